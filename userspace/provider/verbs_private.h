/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/**
 * @file
 * The part of libibverbs that providers use and libibverbs-dev does not ship.
 *
 * The declarations follow the private ABIs that rdma-core has had since release 39: suffix 34
 * (releases 39 to 56), 57 (57 and 58), 59 (59 to 63), 64 and 65. MRC_PRIVATE selects one of them:
 * structures have the same layout as there, functions the same type. Release 62 has other
 * operations than 61 under the same suffix; its MRC_PRIVATE is 62. Only what this provider uses is
 * declared in full. The assertions below and, at run time, mrc_check_private_abi() test what can be
 * tested. For another ABI, build with -DRDMA_CORE_SRC=, against the headers of the real tree.
 */
#ifndef MRC_VERBS_PRIVATE_H
#define MRC_VERBS_PRIVATE_H

#ifdef MRC_RDMA_CORE_TREE

#include <infiniband/driver.h>

#ifndef MRC_PRIVATE
#error "MRC_PRIVATE: the private ABI of that tree"
#endif

#else

#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct verbs_sysfs_dev;
struct verbs_device;

/* ---- commands: a header, then the kernel's structure --------------------- */

struct ibv_get_context {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_get_context core_payload;
};

struct ibv_query_port {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_query_port core_payload;
};

struct ibv_alloc_pd {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_alloc_pd core_payload;
};

struct ibv_reg_mr {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_reg_mr core_payload;
};

struct ibv_create_cq {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_create_cq core_payload;
};

struct ibv_create_qp_ex {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_ex_cmd_hdr ex_hdr;
	struct ib_uverbs_ex_create_qp core_payload;
};

struct ibv_create_srq {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_create_srq core_payload;
};

struct ibv_modify_srq {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_modify_srq core_payload;
};

struct ibv_query_srq {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_query_srq core_payload;
};

struct ibv_modify_qp {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_modify_qp core_payload;
};

struct ibv_query_qp {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_query_qp core_payload;
};

/* ---- objects --------------------------------------------------------------- */

enum ibv_mr_type { IBV_MR_TYPE_MR };

struct verbs_mr {
	struct ibv_mr ibv_mr;
	enum ibv_mr_type mr_type;
	int access;
};

struct verbs_xrcd;

#define VERBS_QP_EX (1u << 1)

struct verbs_qp {
	union {
		struct ibv_qp qp;
		struct ibv_qp_ex qp_ex;
	};
	uint32_t comp_mask;
	struct verbs_xrcd *xrcd;
};

struct verbs_cq {
	union {
		struct ibv_cq cq;
		struct ibv_cq_ex cq_ex;
	};
};

/* ---- devices --------------------------------------------------------------- */

#define VERBS_MATCH_DRIVER_ID 3

struct verbs_match_ent {
	void *driver_data;
	union {
		const char *modalias;
		uint64_t driver_id;
	} u;
	uint16_t vendor;
	uint16_t device;
	uint8_t kind;
};

#define VERBS_DRIVER_ID(id)                                           \
	{                                                             \
		.u = { .driver_id = (id) }, .kind = VERBS_MATCH_DRIVER_ID \
	}

struct verbs_device_ops {
	const char *name;
	uint32_t match_min_abi_version;
	uint32_t match_max_abi_version;
	const struct verbs_match_ent *match_table;
	const struct verbs_device_ops **static_providers;
	bool (*match_device)(struct verbs_sysfs_dev *sysfs_dev);
	struct verbs_context *(*alloc_context)(struct ibv_device *device, int cmd_fd,
					       void *private_data);
	struct verbs_context *(*import_context)(struct ibv_device *device, int cmd_fd);
	struct verbs_device *(*alloc_device)(struct verbs_sysfs_dev *sysfs_dev);
	void (*uninit_device)(struct verbs_device *device);
};

struct verbs_list_node {
	struct verbs_list_node *next;
	struct verbs_list_node *prev;
};

struct verbs_device {
	struct ibv_device device;
	const struct verbs_device_ops *ops;
	atomic_int refcount;
	struct verbs_list_node entry;
	struct verbs_sysfs_dev *sysfs;
	uint64_t core_support;
};

/* ---- operations, in alphabetical order -------------------------------------- */

typedef void (*verbs_unused_op)(void);

/* Operations that later ABIs added. */
#if MRC_PRIVATE >= 59
#define MRC_OPS_59(...) verbs_unused_op __VA_ARGS__;
#else
#define MRC_OPS_59(...)
#endif
#if MRC_PRIVATE >= 62
#define MRC_OPS_62(...) verbs_unused_op __VA_ARGS__;
#else
#define MRC_OPS_62(...)
#endif
#if MRC_PRIVATE >= 64
#define MRC_OPS_64(...) verbs_unused_op __VA_ARGS__;
#else
#define MRC_OPS_64(...)
#endif
#if MRC_PRIVATE >= 65
#define MRC_OPS_65(...) verbs_unused_op __VA_ARGS__;
#else
#define MRC_OPS_65(...)
#endif

struct verbs_context_ops {
	verbs_unused_op advise_mr;
	MRC_OPS_64(alloc_buf)
	verbs_unused_op alloc_dm;
	MRC_OPS_59(alloc_dmah)
	verbs_unused_op alloc_mw, alloc_null_mr, alloc_parent_domain;
	struct ibv_pd *(*alloc_pd)(struct ibv_context *context);
	verbs_unused_op alloc_td, async_event, attach_counters_point_flow, attach_mcast,
		bind_mw, close_xrcd, cq_event;
	struct ibv_ah *(*create_ah)(struct ibv_pd *pd, struct ibv_ah_attr *attr);
	MRC_OPS_65(create_comp_cntr)
	verbs_unused_op create_counters;
	struct ibv_cq *(*create_cq)(struct ibv_context *context, int cqe,
				    struct ibv_comp_channel *channel, int comp_vector);
	struct ibv_cq_ex *(*create_cq_ex)(struct ibv_context *context,
					  struct ibv_cq_init_attr_ex *attr);
	verbs_unused_op create_flow, create_flow_action_esp;
	struct ibv_qp *(*create_qp)(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
	struct ibv_qp *(*create_qp_ex)(struct ibv_context *context,
				       struct ibv_qp_init_attr_ex *attr);
	verbs_unused_op create_rwq_ind_table;
	struct ibv_srq *(*create_srq)(struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
	verbs_unused_op create_srq_ex, create_wq;
	MRC_OPS_59(dealloc_dmah)
	verbs_unused_op dealloc_mw;
	int (*dealloc_pd)(struct ibv_pd *pd);
	verbs_unused_op dealloc_td;
	int (*dereg_mr)(struct verbs_mr *vmr);
	int (*destroy_ah)(struct ibv_ah *ah);
	MRC_OPS_65(destroy_comp_cntr)
	verbs_unused_op destroy_counters;
	int (*destroy_cq)(struct ibv_cq *cq);
	verbs_unused_op destroy_flow, destroy_flow_action;
	int (*destroy_qp)(struct ibv_qp *qp);
	verbs_unused_op destroy_rwq_ind_table;
	int (*destroy_srq)(struct ibv_srq *srq);
	verbs_unused_op destroy_wq, detach_mcast;
	MRC_OPS_62(dm_export_dmabuf_fd)
	MRC_OPS_64(free_buf)
	void (*free_context)(struct ibv_context *context);
	verbs_unused_op free_dm, get_srq_num, import_dm, import_mr, import_pd;
	MRC_OPS_65(inc_comp_cntr, inc_err_comp_cntr)
	verbs_unused_op modify_cq, modify_flow_action_esp;
	int (*modify_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);
	verbs_unused_op modify_qp_rate_limit;
	int (*modify_srq)(struct ibv_srq *srq, struct ibv_srq_attr *attr, int attr_mask);
	verbs_unused_op modify_wq, open_qp, open_xrcd;
	int (*poll_cq)(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
	int (*post_recv)(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad_wr);
	int (*post_send)(struct ibv_qp *qp, struct ibv_send_wr *wr,
			 struct ibv_send_wr **bad_wr);
	verbs_unused_op post_srq_ops;
	int (*post_srq_recv)(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			     struct ibv_recv_wr **bad_wr);
	MRC_OPS_65(qp_attach_comp_cntr, query_comp_cntr_caps)
	int (*query_device_ex)(struct ibv_context *context,
			       const struct ibv_query_device_ex_input *input,
			       struct ibv_device_attr_ex *attr, size_t attr_size);
	verbs_unused_op query_ece;
	int (*query_port)(struct ibv_context *context, uint8_t port_num,
			  struct ibv_port_attr *port_attr);
	MRC_OPS_62(query_port_speed)
	int (*query_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
			struct ibv_qp_init_attr *init_attr);
	verbs_unused_op query_qp_data_in_order, query_rt_values;
	int (*query_srq)(struct ibv_srq *srq, struct ibv_srq_attr *attr);
	MRC_OPS_65(read_comp_cntr)
	verbs_unused_op read_counters;
	MRC_OPS_65(read_err_comp_cntr)
	verbs_unused_op reg_dm_mr;
	struct ibv_mr *(*reg_dmabuf_mr)(struct ibv_pd *pd, uint64_t offset, size_t length,
					uint64_t iova, int fd, int access);
	struct ibv_mr *(*reg_mr)(struct ibv_pd *pd, void *addr, size_t length,
				 uint64_t hca_va, int access);
	MRC_OPS_59(reg_mr_ex)
	int (*req_notify_cq)(struct ibv_cq *cq, int solicited_only);
	verbs_unused_op rereg_mr, resize_cq;
	MRC_OPS_65(set_comp_cntr)
	verbs_unused_op set_ece;
	MRC_OPS_65(set_err_comp_cntr)
	verbs_unused_op unimport_dm, unimport_mr, unimport_pd;
};

/* ---- functions ------------------------------------------------------------- */

#define MRC_JOIN_(a, b) a##b
#define MRC_JOIN(a, b) MRC_JOIN_(a, b)
/* The ABI's suffix is a part of the function's name. */
#define mrc_verbs_register_driver MRC_JOIN(verbs_register_driver_, MRC_PROVIDER_ABI)

void mrc_verbs_register_driver(const struct verbs_device_ops *ops);

#define PROVIDER_DRIVER(provider_name, drv_struct)                                       \
	static __attribute__((constructor)) void provider_name##_register_driver(void)   \
	{                                                                                \
		mrc_verbs_register_driver(&(drv_struct));                                \
	}

void *_verbs_init_and_alloc_context(struct ibv_device *device, int cmd_fd, size_t alloc_size,
				    struct verbs_context *context_offset,
				    uint32_t driver_id);
void verbs_uninit_context(struct verbs_context *context);
void verbs_set_ops(struct verbs_context *vctx, const struct verbs_context_ops *ops);

struct ibv_command_buffer;

#if MRC_PRIVATE >= 57
int ibv_cmd_get_context(struct verbs_context *context, struct ibv_get_context *cmd,
			size_t cmd_size, struct ibv_fd_arr *fd_arr,
			struct ib_uverbs_get_context_resp *resp, size_t resp_size);
#else
int ibv_cmd_get_context(struct verbs_context *context, struct ibv_get_context *cmd,
			size_t cmd_size, struct ib_uverbs_get_context_resp *resp,
			size_t resp_size);
#endif
int ibv_cmd_query_device_any(struct ibv_context *context,
			     const struct ibv_query_device_ex_input *input,
			     struct ibv_device_attr_ex *attr, size_t attr_size,
			     struct ib_uverbs_ex_query_device_resp *resp,
			     size_t *resp_size);
int ibv_cmd_query_port(struct ibv_context *context, uint8_t port_num,
		       struct ibv_port_attr *port_attr, struct ibv_query_port *cmd,
		       size_t cmd_size);
int ibv_cmd_alloc_pd(struct ibv_context *context, struct ibv_pd *pd, struct ibv_alloc_pd *cmd,
		     size_t cmd_size, struct ib_uverbs_alloc_pd_resp *resp,
		     size_t resp_size);
int ibv_cmd_dealloc_pd(struct ibv_pd *pd);
int ibv_cmd_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t hca_va, int access,
		   struct verbs_mr *vmr, struct ibv_reg_mr *cmd, size_t cmd_size,
		   struct ib_uverbs_reg_mr_resp *resp, size_t resp_size);
/* Releases up to 53 take no @driver, and do not look at it. */
int ibv_cmd_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd,
			  int access, struct verbs_mr *vmr, struct ibv_command_buffer *driver);
int ibv_cmd_dereg_mr(struct verbs_mr *vmr);
int ibv_cmd_create_cq(struct ibv_context *context, int cqe, struct ibv_comp_channel *channel,
		      int comp_vector, struct ibv_cq *cq, struct ibv_create_cq *cmd,
		      size_t cmd_size, struct ib_uverbs_create_cq_resp *resp,
		      size_t resp_size);
int ibv_cmd_req_notify_cq(struct ibv_cq *cq, int solicited_only);
int ibv_cmd_destroy_cq(struct ibv_cq *cq);
#if MRC_PRIVATE >= 64
int ibv_cmd_create_qp_ex2(struct ibv_context *context, struct verbs_qp *qp,
			  struct ibv_qp_init_attr_ex *qp_attr, struct ibv_create_qp_ex *cmd,
			  size_t cmd_size, struct ib_uverbs_ex_create_qp_resp *resp,
			  size_t resp_size, struct ibv_command_buffer *driver);
#else
int ibv_cmd_create_qp_ex2(struct ibv_context *context, struct verbs_qp *qp,
			  struct ibv_qp_init_attr_ex *qp_attr, struct ibv_create_qp_ex *cmd,
			  size_t cmd_size, struct ib_uverbs_ex_create_qp_resp *resp,
			  size_t resp_size);
#endif
int ibv_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		      struct ibv_modify_qp *cmd, size_t cmd_size);
int ibv_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		     struct ibv_qp_init_attr *init_attr, struct ibv_query_qp *cmd,
		     size_t cmd_size);
int ibv_cmd_destroy_qp(struct ibv_qp *qp);
int ibv_cmd_create_srq(struct ibv_pd *pd, struct ibv_srq *srq, struct ibv_srq_init_attr *attr,
		       struct ibv_create_srq *cmd, size_t cmd_size,
		       struct ib_uverbs_create_srq_resp *resp, size_t resp_size);
int ibv_cmd_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int attr_mask,
		       struct ibv_modify_srq *cmd, size_t cmd_size);
int ibv_cmd_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, struct ibv_query_srq *cmd,
		      size_t cmd_size);
int ibv_cmd_destroy_srq(struct ibv_srq *srq);
int ibv_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah, struct ibv_ah_attr *attr,
		      struct ib_uverbs_create_ah_resp *resp, size_t resp_size);
int ibv_cmd_destroy_ah(struct ibv_ah *ah);

/* Structures that the kernel reads and writes must have no padding. */
_Static_assert(sizeof(struct ibv_create_qp_ex) ==
		       sizeof(struct ib_uverbs_cmd_hdr) + sizeof(struct ib_uverbs_ex_cmd_hdr) +
			       sizeof(struct ib_uverbs_ex_create_qp),
	       "padding in a command");
_Static_assert(sizeof(struct ibv_modify_qp) ==
		       sizeof(struct ib_uverbs_cmd_hdr) + sizeof(struct ib_uverbs_modify_qp),
	       "padding in a command");
_Static_assert(offsetof(struct ibv_qp_ex, qp_base) == 0, "QP layout");
_Static_assert(offsetof(struct verbs_device, ops) == sizeof(struct ibv_device),
	       "device layout");

#endif /* MRC_RDMA_CORE_TREE */

/* Arguments that later private ABIs added, and that this provider leaves empty. */
#if MRC_PRIVATE >= 57
#define MRC_NO_FDS NULL,
#else
#define MRC_NO_FDS
#endif
#if MRC_PRIVATE >= 64
#define MRC_NO_ATTRIBUTES , NULL
#else
#define MRC_NO_ATTRIBUTES
#endif
#if !defined(MRC_RDMA_CORE_TREE) || MRC_PRIVATE >= 57
#define MRC_NO_DMABUF_ATTRIBUTES , NULL
#else
#define MRC_NO_DMABUF_ATTRIBUTES
#endif

#endif /* MRC_VERBS_PRIVATE_H */
