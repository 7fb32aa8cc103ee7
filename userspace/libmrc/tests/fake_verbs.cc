// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fake_verbs.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <unistd.h>

#include "base/verbs.h"

namespace mrc::test
{

namespace
{

FakeVerbs *current;
std::mutex lock;

ibv_comp_channel *create_comp_channel(ibv_context *context)
{
    if (const int error = fake().call("create_comp_channel")) {
        errno = error;
        return nullptr;
    }
    const std::lock_guard guard(lock);
    auto *channel = new ibv_comp_channel{context, 77, 0};
    fake().channels[channel] = 0;
    return channel;
}

int destroy_comp_channel(ibv_comp_channel *channel)
{
    if (const int error = fake().call("destroy_comp_channel"))
        return error;
    const std::lock_guard guard(lock);
    if (fake().channels.at(channel))
        return EBUSY;
    fake().channels.erase(channel);
    delete channel;
    return 0;
}

ibv_cq *create_cq(ibv_context *context, int cqe, void *cq_context, ibv_comp_channel *channel,
                  int vector)
{
    const int error = fake().call("create_cq");

    if (error || cqe < 1 || vector < 0) {
        errno = error ? error : EINVAL;
        return nullptr;
    }
    const std::lock_guard guard(lock);
    auto *cq = new ibv_cq{};
    cq->context = context;
    cq->channel = channel;
    cq->cq_context = cq_context;
    cq->cqe = cqe;
    fake().cqs[cq] = 0;
    if (channel)
        fake().channels.at(channel)++;
    return cq;
}

int destroy_cq(ibv_cq *cq)
{
    if (const int error = fake().call("destroy_cq"))
        return error;
    const std::lock_guard guard(lock);
    if (fake().cqs.at(cq))
        return EBUSY;
    if (cq->channel)
        fake().channels.at(cq->channel)--;
    fake().cqs.erase(cq);
    delete cq;
    return 0;
}

int get_cq_event(ibv_comp_channel *, ibv_cq **cq, void **cq_context)
{
    const int error = fake().call("get_cq_event");
    const std::lock_guard guard(lock);

    if (error || fake().cq_events.empty()) {
        errno = error ? error : EAGAIN;
        return -1;
    }
    *cq = fake().cq_events.front();
    *cq_context = (*cq)->cq_context;
    fake().cq_events.pop_front();
    return 0;
}

void ack_cq_events(ibv_cq *, unsigned int events)
{
    fake().call("ack_cq_events");
    const std::lock_guard guard(lock);
    fake().acked_cq_events += events;
}

ibv_qp *create_qp(ibv_pd *pd, ibv_qp_init_attr *init)
{
    if (const int error = fake().call("create_qp")) {
        errno = error;
        return nullptr;
    }
    const std::lock_guard guard(lock);
    auto *qp = new ibv_qp{};
    qp->context = pd->context;
    qp->qp_context = init->qp_context;
    qp->pd = pd;
    qp->send_cq = init->send_cq;
    qp->recv_cq = init->recv_cq;
    qp->qp_num = 0x1234;
    qp->qp_type = init->qp_type;
    // As the kernel, rounded up to a power of two.
    init->cap.max_send_wr = 128;
    FakeQp &made = fake().qps[qp];
    made.init = *init;
    made.params = {.wimm_rx = 64,
                   .wimm_tx = 64,
                   .mpr_rx = 8,
                   .mpr_tx = 8,
                   .timeout = 14,
                   .linear = 7,
                   .exp = 3};
    fake().cqs.at(init->send_cq)++;
    fake().cqs.at(init->recv_cq)++;
    return qp;
}

int destroy_qp(ibv_qp *qp)
{
    if (const int error = fake().call("destroy_qp"))
        return error;
    const std::lock_guard guard(lock);
    fake().cqs.at(qp->send_cq)--;
    fake().cqs.at(qp->recv_cq)--;
    fake().qps.erase(qp);
    delete qp;
    return 0;
}

int query_qp(ibv_qp *qp, ibv_qp_attr *attr, int, ibv_qp_init_attr *init)
{
    if (const int error = fake().call("query_qp"))
        return error;
    const std::lock_guard guard(lock);
    const FakeQp &of = fake().qps.at(qp);
    *attr = {};
    attr->qp_state = qp->state;
    attr->timeout = of.verbs_timeout;
    attr->cap = of.init.cap;
    *init = of.init;
    return 0;
}

int modify_qp(ibv_qp *qp, ibv_qp_attr *attr, int mask)
{
    if (const int error = fake().call("modify_qp"))
        return error;
    const std::lock_guard guard(lock);
    FakeQp &of = fake().qps.at(qp);
    if (mask & IBV_QP_STATE)
        qp->state = attr->qp_state;
    if (mask & IBV_QP_TIMEOUT) {
        of.verbs_timeout = attr->timeout;
        if (!(of.explicitly & MRC_QP_ATTR_TIMEOUT))
            of.params.timeout = attr->timeout;
    }
    return 0;
}

int get_async_event(ibv_context *, ibv_async_event *event)
{
    const int error = fake().call("get_async_event");

    while (fake().waits_for_events)
        pause();
    const std::lock_guard guard(lock);

    if (error || fake().async_events.empty()) {
        errno = error ? error : EAGAIN;
        return -1;
    }
    *event = fake().async_events.front();
    fake().async_events.pop_front();
    return 0;
}

void ack_async_event(ibv_async_event *event)
{
    fake().call("ack_async_event");
    const std::lock_guard guard(lock);
    fake().acked_async_events.push_back(*event);
}

int query_device(ibv_context *context, mrc_abi_device_attr *attr)
{
    if (const int error = fake().call("query_device"))
        return error;
    if (context != &fake().context)
        return EPROTONOSUPPORT;
    *attr = fake().device;
    return 0;
}

bool in_range(const mrc_abi_qp_attr &p)
{
    return p.mpr_rx && p.mpr_tx && p.wimm_rx && p.wimm_tx && p.timeout <= 24 && p.linear <= 7 &&
           p.exp <= 25;
}

int set_qp_attr(ibv_qp *qp, const mrc_abi_qp_attr *values)
{
    if (const int error = fake().call("set_qp_attr"))
        return error;
    const std::lock_guard guard(lock);
    FakeQp &of = fake().qps.at(qp);
    mrc_abi_qp_attr p = of.params;
    const uint32_t mask = values->mask;
    p.ev_profile = mask & MRC_QP_ATTR_EV_PROFILE ? values->ev_profile : p.ev_profile;
    p.cc_profile = mask & MRC_QP_ATTR_CC_PROFILE ? values->cc_profile : p.cc_profile;
    p.mpr_rx = mask & MRC_QP_ATTR_MPR_RX ? values->mpr_rx : p.mpr_rx;
    p.mpr_tx = mask & MRC_QP_ATTR_MPR_TX ? values->mpr_tx : p.mpr_tx;
    p.wimm_rx = mask & MRC_QP_ATTR_WIMM_RX ? values->wimm_rx : p.wimm_rx;
    p.wimm_tx = mask & MRC_QP_ATTR_WIMM_TX ? values->wimm_tx : p.wimm_tx;
    p.timeout = mask & MRC_QP_ATTR_TIMEOUT ? values->timeout : p.timeout;
    p.linear = mask & MRC_QP_ATTR_LINEAR ? values->linear : p.linear;
    p.exp = mask & MRC_QP_ATTR_EXP ? values->exp : p.exp;
    if (!in_range(p))
        return EINVAL;
    of.params = p;
    if (mask & MRC_QP_ATTR_UNSET)
        of.explicitly &= ~mask;
    else
        of.explicitly |= mask;
    return 0;
}

int query_qp_attr(ibv_qp *qp, mrc_abi_qp_attr *values)
{
    if (const int error = fake().call("query_qp_attr"))
        return error;
    const std::lock_guard guard(lock);
    *values = fake().qps.at(qp).params;
    values->mask = MRC_QP_ATTR_ALL;
    return 0;
}

// ---- operations that verbs calls through the open device

int post_send(ibv_qp *, ibv_send_wr *wr, ibv_send_wr **bad)
{
    const int error = fake().call("post_send");

    if (error)
        *bad = wr;
    return error;
}

int post_recv(ibv_qp *, ibv_recv_wr *wr, ibv_recv_wr **bad)
{
    const int error = fake().call("post_recv");

    if (error)
        *bad = wr;
    return error;
}

int poll_cq(ibv_cq *, int entries, ibv_wc *wc)
{
    if (fake().call("poll_cq"))
        return -EIO;
    const int found = std::min(entries, 2);
    for (int i = 0; i < found; i++)
        wc[i].wr_id = static_cast<uint64_t>(i) + 40;
    return found;
}

int req_notify_cq(ibv_cq *, int)
{
    return fake().call("req_notify_cq");
}

const Verbs table = {create_comp_channel, destroy_comp_channel, create_cq,
                     destroy_cq,          get_cq_event,         ack_cq_events,
                     create_qp,           destroy_qp,           query_qp,
                     modify_qp,           get_async_event,      ack_async_event,
                     query_device,        set_qp_attr,          query_qp_attr};

} // namespace

FakeVerbs::FakeVerbs()
{
    current = this;
    context.ops.post_send = post_send;
    context.ops.post_recv = post_recv;
    context.ops.poll_cq = poll_cq;
    context.ops.req_notify_cq = req_notify_cq;
    pd.context = &context;
    strcpy(ibdev.name, "mrc0");
    context.device = &ibdev;
    device = {.caps = MRC_ABI_DEVICE_CAP_TRIM_NACK,
              .max_qp = 1000,
              .max_wimm_rx = 500,
              .max_wimm_tx = 400,
              .max_mpr = 255};
}

FakeVerbs::~FakeVerbs()
{
    current = nullptr;
    for (const auto &[qp, of] : qps)
        delete qp;
    for (const auto &[cq, users] : cqs)
        delete cq;
    for (const auto &[channel, users] : channels)
        delete channel;
}

int FakeVerbs::call(const char *name)
{
    const std::lock_guard guard(lock);
    const auto error = errors.find(name);

    calls.emplace_back(name);
    return error == errors.end() ? 0 : error->second;
}

void FakeVerbs::happens(const ibv_async_event &event)
{
    const std::lock_guard guard(lock);

    async_events.push_back(event);
}

size_t FakeVerbs::count(const std::string &name) const
{
    return static_cast<size_t>(std::count(calls.begin(), calls.end(), name));
}

FakeVerbs &fake()
{
    if (!current)
        throw std::logic_error("no FakeVerbs");
    return *current;
}

Objects::Objects()
{
    context = mrc_create_context(&fake().context, nullptr);
    cq = mrc_create_cq(context, 16, &cq_context, nullptr, 0);
    mrc_qp_init_attr attr = init();
    qp = mrc_create_qp(context, &attr);
    if (!qp)
        throw std::runtime_error("objects");
}

Objects::~Objects()
{
    fake().errors.clear();
    if (context)
        mrc_destroy_context(context);
}

mrc_qp_init_attr Objects::init()
{
    mrc_qp_init_attr attr{};

    attr.qp_context = &qp_context;
    attr.send_cq = attr.recv_cq = cq;
    attr.cap = {100, 10, 1, 1, 64};
    attr.pd = &fake().pd;
    return attr;
}

} // namespace mrc::test

namespace mrc
{

const Verbs *verbs()
{
    return &test::table;
}

} // namespace mrc
