/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A library that is preloaded and overrides the functions of libibverbs that make and change
 * objects, as a library that turns verbs into calls of mrc.h does. Libmrc must not call these
 * functions: a real library of this kind would call libmrc again, without end.
 */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>

#define OVERRIDDEN(result, name, ...)                                                              \
	result name(__VA_ARGS__);                                                                  \
	result name(__VA_ARGS__)                                                                   \
	{                                                                                          \
		fputs("overridden: " #name " was called\n", stderr);                               \
		abort();                                                                           \
	}

#pragma GCC diagnostic ignored "-Wunused-parameter"

OVERRIDDEN(struct ibv_comp_channel *, ibv_create_comp_channel, struct ibv_context *context)
OVERRIDDEN(int, ibv_destroy_comp_channel, struct ibv_comp_channel *channel)
OVERRIDDEN(struct ibv_cq *, ibv_create_cq, struct ibv_context *context, int cqe, void *cq_context,
	   struct ibv_comp_channel *channel, int comp_vector)
OVERRIDDEN(int, ibv_destroy_cq, struct ibv_cq *cq)
OVERRIDDEN(int, ibv_get_cq_event, struct ibv_comp_channel *channel, struct ibv_cq **cq,
	   void **cq_context)
OVERRIDDEN(void, ibv_ack_cq_events, struct ibv_cq *cq, unsigned int nevents)
OVERRIDDEN(struct ibv_qp *, ibv_create_qp, struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
OVERRIDDEN(int, ibv_destroy_qp, struct ibv_qp *qp)
OVERRIDDEN(int, ibv_query_qp, struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
	   struct ibv_qp_init_attr *init)
OVERRIDDEN(int, ibv_modify_qp, struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
OVERRIDDEN(int, ibv_get_async_event, struct ibv_context *context, struct ibv_async_event *event)
OVERRIDDEN(void, ibv_ack_async_event, struct ibv_async_event *event)
