// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Devices and ports. */
#include <gtest/gtest.h>

#include "fake_module.h"

namespace mrc::test
{
namespace
{

class ControllerTest : public ::testing::Test
{
protected:
    ControllerRig rig;
};

TEST_F(ControllerTest, ADeviceSaysWhatItCan)
{
    mrc_ctl_device_attr attr{};

    rig.online(1, 4);
    rig.offline(2, 13, 6);
    rig.module.plane_ifindex[32] = 3;
    ASSERT_EQ(failed(mrc_ctl_query_device(&rig.verbs.context, &attr)), 0);
    EXPECT_EQ(attr.mrc_ctl_protocol_version, static_cast<uint32_t>(MRC_CTL_PROTOCOL_VERSION_1));
    EXPECT_EQ(attr.ev.ev_max_fmt_profiles, 1024u);
    EXPECT_EQ(attr.ev.ev_max_profiles, 1024u);
    EXPECT_EQ(attr.ev.ev_max_count, 1024u * 256);
    EXPECT_EQ(attr.ev.ev_free_count, 1024u * 256 - 10);
    EXPECT_EQ(attr.ev.ev_max_count_profile, 256u);
    EXPECT_EQ(attr.ev.ev_count_align, 1u) << "programs divide by it";
    EXPECT_EQ(attr.ev.ev_max_width, 256u);
    EXPECT_EQ(attr.ev.ev_fmt_mode_mask, 7u);
    EXPECT_EQ(attr.ev.ev_mode_mask, 7u);
    EXPECT_EQ(attr.ev.ev_op_max_entries, 0u);
    EXPECT_EQ(attr.cc.cc_max_profiles, 1024u);
    ASSERT_NE(attr.cc.algorithms, nullptr);
    EXPECT_STREQ(attr.cc.algorithms[0], "uet-1.0-nscc");
    EXPECT_EQ(attr.cc.algorithms[1], nullptr);
    EXPECT_EQ(attr.phy_port_mask, 6u) << "ports 1 and 2; there is no bit for 32";
    EXPECT_EQ(attr.opt_attr,
              static_cast<uint32_t>(MRC_CTL_OPT_CAP_EV_PROFILE_MODIFY_ONLINE |
                                    MRC_CTL_OPT_CAP_CC_PROFILE_MODIFY_ONLINE |
                                    MRC_CTL_OPT_CAP_EV_EVENT | MRC_CTL_OPT_CAP_EP_OP_EV_PROBE));
}

TEST_F(ControllerTest, AnotherDriversDeviceIsNone)
{
    mrc_ctl_device_attr attr{};
    int supported = 7;

    rig.verbs.errors["query_device"] = ENOTTY;
    EXPECT_EQ(failed(mrc_ctl_query_device(&rig.verbs.context, &attr)), ENOTSUP);
    EXPECT_EQ(failed(mrc_ctl_query_device_ex(&rig.verbs.context, nullptr, &attr, &supported)), 0);
    EXPECT_EQ(supported, 0);
    EXPECT_EQ(rig.module.opened, 0);
    rig.verbs.errors.clear();
    EXPECT_EQ(failed(mrc_ctl_query_device_ex(&rig.verbs.context, rig.context, &attr, &supported)),
              0);
    EXPECT_EQ(supported, 1);
    rig.module.exists = false;
    EXPECT_EQ(failed(mrc_ctl_query_device(&rig.verbs.context, &attr)), EIO);
    EXPECT_EQ(failed(mrc_ctl_query_device_ex(&rig.verbs.context, nullptr, &attr, &supported)), EIO);
}

TEST_F(ControllerTest, DeviceQueriesWantAllPointers)
{
    mrc_ctl_device_attr attr{};
    int supported = 0;

    EXPECT_EQ(failed(mrc_ctl_query_device(nullptr, &attr)), EINVAL);
    EXPECT_EQ(failed(mrc_ctl_query_device(&rig.verbs.context, nullptr)), EINVAL);
    EXPECT_EQ(failed(mrc_ctl_query_device_ex(&rig.verbs.context, nullptr, &attr, nullptr)), EINVAL);
    int thing[64]{};
    EXPECT_EQ(failed(mrc_ctl_query_device_ex(
                  &rig.verbs.context, reinterpret_cast<mrc_context *>(thing), &attr, &supported)),
              EINVAL);
}

TEST_F(ControllerTest, Ports)
{
    mrc_ctl_port_attr attr{MRC_CTL_PORT_ADMIN_DISABLED};
    constexpr int mask = MRC_CTL_PORT_ADMIN_STATE;

    rig.module.plane_owner[2] = MRC_NL_OWNER_ADMIN;
    ASSERT_EQ(failed(mrc_ctl_query_port(rig.context, 2, &attr, mask)), 0);
    EXPECT_EQ(attr.port_admin_state, MRC_CTL_PORT_ADMIN_ENABLED);
    attr.port_admin_state = MRC_CTL_PORT_ADMIN_DISABLED;
    ASSERT_EQ(failed(mrc_ctl_modify_port(rig.context, 2, &attr, mask)), 0);
    EXPECT_TRUE(rig.module.planes_down.contains(2));
    EXPECT_EQ(rig.module.plane_owner[2], MRC_NL_OWNER_ADMIN) << "it stays whose it is";
    attr.port_admin_state = MRC_CTL_PORT_ADMIN_ENABLED;
    ASSERT_EQ(failed(mrc_ctl_query_port(rig.context, 2, &attr, mask)), 0);
    EXPECT_EQ(attr.port_admin_state, MRC_CTL_PORT_ADMIN_DISABLED);
    attr.port_admin_state = MRC_CTL_PORT_ADMIN_ENABLED;
    ASSERT_EQ(failed(mrc_ctl_modify_port(rig.context, 2, &attr, 0)), 0) << "of nothing nothing";
    EXPECT_TRUE(rig.module.planes_down.contains(2));
    ASSERT_EQ(failed(mrc_ctl_modify_port(rig.context, 2, &attr, mask)), 0);
    EXPECT_FALSE(rig.module.planes_down.contains(2));
    rig.online(1, 2);
    EXPECT_EQ(rig.module.profiles.at(1).owner, MRC_NL_OWNER_MRC_CTL) << "as always afterwards";
}

TEST_F(ControllerTest, PortsThatAreNone)
{
    mrc_ctl_port_attr attr{MRC_CTL_PORT_ADMIN_DISABLED};
    constexpr int mask = MRC_CTL_PORT_ADMIN_STATE;

    for (const int port : {0, 3, 255}) {
        EXPECT_EQ(failed(mrc_ctl_query_port(rig.context, static_cast<uint8_t>(port), &attr, mask)),
                  EINVAL)
            << port;
        EXPECT_EQ(failed(mrc_ctl_modify_port(rig.context, static_cast<uint8_t>(port), &attr, mask)),
                  EINVAL)
            << port;
    }
    EXPECT_EQ(failed(mrc_ctl_query_port(rig.context, 1, &attr, 2)), EINVAL);
    EXPECT_EQ(failed(mrc_ctl_query_port(rig.context, 1, nullptr, mask)), EINVAL);
    EXPECT_EQ(failed(mrc_ctl_modify_port(rig.context, 1, nullptr, mask)), EINVAL);
    EXPECT_EQ(failed(mrc_ctl_query_port(nullptr, 1, &attr, mask)), EINVAL);
    EXPECT_EQ(failed(mrc_ctl_modify_port(nullptr, 1, &attr, mask)), EINVAL);
    attr.port_admin_state = static_cast<mrc_ctl_port_admin_state>(2);
    EXPECT_EQ(failed(mrc_ctl_modify_port(rig.context, 1, &attr, mask)), EINVAL);
    EXPECT_TRUE(rig.module.planes_down.empty());
}

// ---- requests to endpoints

class EndpointTest : public ::testing::Test
{
protected:
    ControllerRig rig;
    mrc_ctl_ep_req req[3]{};
    mrc_ctl_ep_rsp rsp[3]{};
    int answered = -1;
    mrc_ctl_ep_op_type op = MRC_CTL_EP_OP_EV_PROBE;

    EndpointTest()
    {
        for (uint16_t i = 0; i < 3; i++) {
            req[i].req_id = static_cast<uint16_t>(100 + i);
            req[i].dgid.raw[0] = 0xfd;
            req[i].dgid.raw[15] = static_cast<uint8_t>(i + 1);
            req[i].ev_fmt_mode = MRC_CTL_EV_FMT_MODE_STEV;
            req[i].req_ev = ev(0xc000, static_cast<uint8_t>(i + 1));
        }
    }

    int send(int count = 3, uint32_t timeout = 2'000'000, uint8_t dscp = 11)
    {
        return failed(
            mrc_ctl_ep_batch_send_wait(rig.context, dscp, op, req, count, timeout, rsp, &answered));
    }
    static mrcnl::Probe answer(uint64_t rtt, uint8_t port)
    {
        mrcnl::Probe probe;
        probe.results.push_back({0, 0, rtt, port});
        return probe;
    }
};

TEST_F(EndpointTest, AnswersStandInTheOrderInWhichTheyCame)
{
    rig.module.answers.insert({0, answer(50'000, 1)});
    rig.module.answers.insert({1, answer(40'000, 2)});
    rig.module.answers.insert({2, answer(uint64_t{1} << 40, 0)});
    rig.module.order = {1, 2, 0};
    req[1].sgid.raw[15] = 9;
    ASSERT_EQ(send(), 0);
    ASSERT_EQ(answered, 3);
    EXPECT_EQ(rsp[0].req_id, 101);
    EXPECT_EQ(rsp[0].port, 2);
    EXPECT_EQ(rsp[0].rtt, 40'000u);
    EXPECT_EQ(rsp[0].adj_svc_time, 0);
    EXPECT_EQ(rsp[1].req_id, 102);
    EXPECT_EQ(rsp[1].rtt, UINT32_MAX) << "as much as the number holds";
    EXPECT_EQ(rsp[2].req_id, 100);
    const auto &probes = rig.module.probes;
    ASSERT_EQ(probes.size(), 3u);
    EXPECT_EQ(probes[2].to[0].text(), "fd00::3");
    EXPECT_FALSE(probes[0].local_gid) << "the one towards it";
    EXPECT_EQ(probes[1].local_gid->text(), "::9");
    EXPECT_EQ(probes[1].ev.port, 2);
    EXPECT_EQ(std::get<mrcnl::EvValue>(probes[1].ev.path).value, 0xc0000000u);
    EXPECT_EQ(probes[1].dscp, 11);
    EXPECT_EQ(probes[1].limit, 2'000'000u);
}

TEST_F(EndpointTest, PortStatus)
{
    rig.module.answers.insert({0, answer(50'000, 1)});
    op = MRC_CTL_EP_OP_PORT_STATUS_UPDATE;
    req[0].op.port_status_update.port_status = 0b1010; // ports 1 and 3
    ASSERT_EQ(send(1), 0);
    EXPECT_EQ(rig.module.probes[0].port_status, 0x80000005u);
    EXPECT_EQ(rsp[0].rtt, 50'000u);
    mrc_context *controller = rig.context;
    rig.context = mrc_create_context(&rig.verbs.context, nullptr);
    EXPECT_EQ(send(1), EBUSY) << "that is the controller's to say";
    op = MRC_CTL_EP_OP_EV_PROBE;
    EXPECT_EQ(send(1), 0) << "this is everybody's";
    mrc_destroy_context(rig.context);
    rig.context = controller;
    ASSERT_EQ(send(1), 0);
    EXPECT_FALSE(rig.module.probes[0].port_status);
}

TEST_F(EndpointTest, AnswersThatNobodyHasRoomFor)
{
    auto many = answer(50'000, 1);

    many.results.resize(100, many.results[0]);
    for (const size_t i : {0, 1, 2})
        rig.module.answers.insert({i, many});
    ASSERT_EQ(send(), 0);
    EXPECT_EQ(answered, 3);
}

TEST_F(EndpointTest, NotAllAreAnswered)
{
    rig.module.answers.insert({2, answer(50'000, 1)});
    EXPECT_EQ(send(), ETIMEDOUT);
    EXPECT_EQ(answered, 1);
    EXPECT_EQ(rsp[0].req_id, 102);
}

TEST_F(EndpointTest, NotAllCanBeSent)
{
    rig.module.answers.insert({0, answer(50'000, 1)});
    rig.module.answers.insert({1, mrcnl::Error{EBUSY, "", ""}});
    EXPECT_EQ(send(), EAGAIN);
    EXPECT_EQ(answered, 1);
    mrcnl::Probe unsent;
    unsent.results.push_back({0, 0, {}, 0, {}, EBUSY});
    rig.module.answers.at(1) = unsent;
    EXPECT_EQ(send(), EAGAIN);
    rig.module.answers.at(1) = mrcnl::Error{ENOENT, "", "raw-ev"};
    EXPECT_EQ(send(), EINVAL) << "there is no such port";
    rig.module.answers.at(1) = mrcnl::Error{ENETUNREACH, "", ""};
    EXPECT_EQ(send(), EIO);
    rig.module.answers.at(1) = mrcnl::Error{EPERM, "", ""};
    EXPECT_EQ(send(), EPERM);
}

TEST_F(EndpointTest, RequestsThatAreNone)
{
    EXPECT_EQ(send(0), EINVAL);
    EXPECT_EQ(send(-1), EINVAL);
    EXPECT_EQ(send(3, 0), EINVAL) << "no time";
    EXPECT_EQ(send(3, 1, 64), EINVAL) << "no DSCP";
    EXPECT_EQ(failed(mrc_ctl_ep_batch_send_wait(nullptr, 0, op, req, 1, 1, rsp, &answered)),
              EINVAL);
    EXPECT_EQ(failed(mrc_ctl_ep_batch_send_wait(rig.context, 0, op, nullptr, 1, 1, rsp, &answered)),
              EINVAL);
    EXPECT_EQ(failed(mrc_ctl_ep_batch_send_wait(rig.context, 0, op, req, 1, 1, nullptr, &answered)),
              EINVAL);
    EXPECT_EQ(failed(mrc_ctl_ep_batch_send_wait(rig.context, 0, op, req, 1, 1, rsp, nullptr)),
              EINVAL);
    op = static_cast<mrc_ctl_ep_op_type>(2);
    EXPECT_EQ(send(), ENOTSUP);
    op = MRC_CTL_EP_OP_EV_PROBE;
    req[2].ev_fmt_mode = static_cast<mrc_ctl_ev_fmt_mode>(3);
    EXPECT_EQ(send(), EINVAL);
    req[2].ev_fmt_mode = MRC_CTL_EV_FMT_MODE_STEV;
    req[2].req_ev.val[4] = 1;
    EXPECT_EQ(send(), EINVAL) << "more bits than an EV of this format has";
    req[2].req_ev.val[4] = 0;
    req[2].req_ev.port = 0;
    EXPECT_EQ(send(), EINVAL);
    EXPECT_TRUE(rig.module.probes.empty()) << "nothing was sent of a batch that is none";
}

} // namespace

} // namespace mrc::test
