/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The layout and values of mrc.h. Included after layout.h. */
SIZE(mrc_device_attr, 20);
AT(mrc_device_attr, mrc_protocol_version, 0);
AT(mrc_device_attr, wimm_attr.max_wimm, 4);
AT(mrc_device_attr, wimm_attr.max_wimm_dest, 6);
AT(mrc_device_attr, mpr_attr.max_mpr, 8);
AT(mrc_device_attr, mpr_attr.mpr_resolution, 9);
AT(mrc_device_attr, qp_attr.max_qp_hint, 12);
AT(mrc_device_attr, cap, 16);

SIZE(mrc_context_attr, 8);
AT(mrc_context_attr, mrc_api_version_used, 0);
AT(mrc_context_attr, mrc_vendor_api_version_used, 4);

SIZE(mrc_qp_hint_attr, 140);
AT(mrc_qp_hint_attr, num_qps_per_peer, 0);
AT(mrc_qp_hint_attr, num_send_peers, 4);
AT(mrc_qp_hint_attr, num_remote_recv_peers, 8);
AT(mrc_qp_hint_attr, vendor_cfg, 12);
SIZE(mrc_qp_hint_init_attr, 140);

SIZE(mrc_qp_init_attr, 72);
AT(mrc_qp_init_attr, qp_context, 0);
AT(mrc_qp_init_attr, send_cq, 8);
AT(mrc_qp_init_attr, recv_cq, 16);
AT(mrc_qp_init_attr, cap, 24);
AT(mrc_qp_init_attr, sq_sig_all, 44);
AT(mrc_qp_init_attr, pd, 48);
AT(mrc_qp_init_attr, send_ops_flags, 56);
AT(mrc_qp_init_attr, protocol_version, 64);

SIZE(mrc_qp_attr, 176);
AT(mrc_qp_attr, mpr.mpr, 0);
AT(mrc_qp_attr, mpr.mpr_dest, 1);
AT(mrc_qp_attr, wimm.max_wimm, 2);
AT(mrc_qp_attr, wimm.max_wimm_dest, 4);
AT(mrc_qp_attr, timeout, 6);
AT(mrc_qp_attr, profile.ev_profile_id, 8);
AT(mrc_qp_attr, profile.cc_profile_id, 16);
AT(mrc_qp_attr, retry.linear_cnt, 24);
AT(mrc_qp_attr, retry.exp_cnt, 25);
AT(mrc_qp_attr, qp_hint, 32);
AT(mrc_qp_attr, cap, 40);
AT(mrc_qp_attr, vendor_cfg, 44);

SIZE(mrc_async_event, 16);
AT(mrc_async_event, element.qp, 0);
AT(mrc_async_event, event_type, 8);

IS(MRC_PROTOCOL_VERSION_0, 0);
IS(MRC_PROTOCOL_VERSION_1, 1);
IS(MRC_DEVICE_CAP_TRIM_NACK, 1);
IS(MRC_DEVICE_CAP_DYNAMIC_MPR, 2);
IS(MRC_DEVICE_CAP_SVC_TIME, 4);
IS(MRC_QP_HINT_NUM_QPS_PER_PEER, 1);
IS(MRC_QP_HINT_NUM_SEND_PEERS, 2);
IS(MRC_QP_HINT_NUM_REMOTE_RECV_PEERS, 4);
IS(MRC_QP_HINT_VENDOR_CFG, 0x80000000);
IS(MRC_QP_MAX_WIMM, 1 << 0);
IS(MRC_QP_MAX_WIMM_DEST, 1 << 1);
IS(MRC_QP_MPR, 1 << 2);
IS(MRC_QP_MPR_DEST, 1 << 3);
IS(MRC_QP_TIMEOUT, 1 << 4);
IS(MRC_QP_EV_PROFILE_ID, 1 << 5);
IS(MRC_QP_CC_PROFILE_ID, 1 << 6);
IS(MRC_QP_HINT, 1 << 7);
IS(MRC_QP_RETRY_CNT, 1 << 8);
IS(MRC_QP_CAP, 1 << 9);
IS(MRC_QP_VENDOR_CFG, 0x80000000);
IS(MRC_QP_CAP_TRIM_NACK_DEST_UNSUPPORTED, 1);
IS(MRC_QP_CAP_DYNAMIC_MPR, 2);
IS(MRC_QP_CAP_SVC_TIME_DEST_UNSUPPORTED, 4);
IS(MRC_MAX_VENDOR_CFG_SIZE, 128);
IS(MRC_API_CURRENT_VERSION, 0x01000001);
IS(MRC_API_LAST_SUPPORTED_VERSION, 0);
IS(MRC_API_VER_LATEST, 0xffffffff);
IS(MRC_VENDOR_API_CURRENT_VERSION, 0x01000000);
