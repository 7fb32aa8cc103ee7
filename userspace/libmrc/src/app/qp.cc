// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>

#include "async_event.h"
#include "base/edge.h"
#include "base/verbs.h"
#include "qp_attributes.h"

namespace mrc
{

namespace
{

constexpr uint64_t operations = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
constexpr uint32_t caps = MRC_QP_CAP_TRIM_NACK_DEST_UNSUPPORTED | MRC_QP_CAP_DYNAMIC_MPR |
                          MRC_QP_CAP_SVC_TIME_DEST_UNSUPPORTED;

using Inner = std::unique_ptr<ibv_qp, decltype(&ibv_destroy_qp)>;

/** Read an enumeration as a number: a C program may have put any number into it. */
template <typename Enum>
uint32_t number(const Enum &value)
{
    uint32_t number = 0;

    static_assert(sizeof(number) == sizeof(value));
    std::memcpy(&number, &value, sizeof(number));
    return number;
}

bool belongs(const mrc_cq *cq, const mrc_context *context)
{
    return is(cq) && cq->context == context;
}

// ---- made and destroyed

/** @return 0 or an errno value */
int check(const mrc_context *context, const mrc_qp_init_attr *init)
{
    if (!is(context) || !init || !belongs(init->send_cq, context) ||
        !belongs(init->recv_cq, context) || !init->pd || init->pd->context != context->device)
        return EINVAL;
    const uint32_t version = number(init->protocol_version);
    if (version != MRC_PROTOCOL_VERSION_0 && version != MRC_PROTOCOL_VERSION_1)
        return EINVAL;
    return init->send_ops_flags & ~operations ? EOPNOTSUPP : 0;
}

/** Make the verbs QP. It has the program's qp_context, too: some programs look for it there. */
Inner make_inner(const Verbs &v, mrc_qp_init_attr &init)
{
    ibv_qp_init_attr attr{};

    attr.qp_context = init.qp_context;
    attr.send_cq = init.send_cq->cq;
    attr.recv_cq = init.recv_cq->cq;
    attr.cap = init.cap;
    attr.qp_type = IBV_QPT_RC;
    attr.sq_sig_all = init.sq_sig_all;
    Inner inner(v.create_qp(init.pd, &attr), v.destroy_qp);
    if (inner)
        init.cap = attr.cap;
    return inner;
}

mrc_qp *create(mrc_context *context, mrc_qp_init_attr *init)
{
    const Verbs *v = verbs();

    if (const int error = check(context, init))
        return refused(error);
    auto qp = std::make_unique<mrc_qp>();
    qp->context = context;
    qp->init = *init;
    Inner inner = make_inner(*v, qp->init);
    if (!inner)
        return nullptr;
    if (const int error = v->query_qp_attr(inner.get(), &qp->defaults)) {
        inner.reset();
        return refused(error);
    }
    const std::lock_guard lock(context->lock);
    context->qps.insert_or_assign(inner.get(), qp.get());
    init->cap = qp->init.cap;
    qp->qp = inner.release();
    return qp.release();
}

/** Give the QP another hint, or none. The context's lock is held. */
void take_hint(mrc_qp &qp, mrc_qp_hint *hint)
{
    if (hint)
        hint->qps++;
    if (qp.hint)
        qp.hint->qps--;
    qp.hint = hint;
}

int destroy(mrc_qp *qp)
{
    if (!is(qp))
        return EINVAL;
    mrc_context *context = qp->context;
    ibv_qp *inner = qp->qp;
    forget_events(*qp);
    // Until the QP is destroyed its events may be read, so the context must know it until then.
    if (const int error = error_of(verbs()->destroy_qp(inner))) {
        keep_events(*qp);
        return error;
    }
    const std::lock_guard lock(context->lock);
    const auto found = context->qps.find(inner);
    // A new verbs QP may have the same address already.
    if (found != context->qps.end() && found->second == qp)
        context->qps.erase(found);
    take_hint(*qp, nullptr);
    delete qp;
    return 0;
}

// ---- changed

bool has_vendor_cfg(const mrc_qp_attr &attr)
{
    return std::any_of(std::begin(attr.vendor_cfg), std::end(attr.vendor_cfg),
                       [](uint8_t byte) { return byte != 0; });
}

/** @return 0 or an errno value */
int check(const mrc_qp &qp, const mrc_qp_attr *attr, int mask)
{
    if (!mask)
        return 0;
    if (!attr || (mask & ~qp_attr_all))
        return EINVAL;
    if ((mask & MRC_QP_HINT) && attr->qp_hint &&
        (!is(attr->qp_hint) || attr->qp_hint->context != qp.context))
        return EINVAL;
    if ((mask & MRC_QP_CAP) && (attr->cap & ~caps))
        return EINVAL;
    return (mask & MRC_QP_VENDOR_CFG) && has_vendor_cfg(*attr) ? EINVAL : 0;
}

/** A change of MRC's attributes in the kernel, which can be undone if verbs refuses its own. */
class KernelChange
{
public:
    KernelChange(const Verbs &v, mrc_qp &qp) : v_(v), qp_(qp) {}

    /** @return 0 or an errno value */
    int make(const mrc_abi_qp_attr &abi)
    {
        if (!abi.mask)
            return 0;
        if (const int error = v_.query_qp_attr(qp_.qp, &before_))
            return error;
        if (const int error = v_.set_qp_attr(qp_.qp, &abi))
            return error;
        mask_ = abi.mask;
        return 0;
    }

    void keep() { qp_.explicitly |= mask_; }

    /** Attributes that the program had not set before count as not set again. */
    void undo()
    {
        restore(mask_ & qp_.explicitly, 0);
        restore(mask_ & ~qp_.explicitly, MRC_QP_ATTR_UNSET);
    }

private:
    void restore(uint32_t fields, uint32_t flag)
    {
        mrc_abi_qp_attr abi = before_;

        abi.mask = fields | flag;
        if (fields)
            v_.set_qp_attr(qp_.qp, &abi);
    }

    const Verbs &v_;
    mrc_qp &qp_;
    mrc_abi_qp_attr before_{};
    uint32_t mask_ = 0;
};

/** Keep the attributes that only this library has. This cannot fail. */
void keep(mrc_qp &qp, const mrc_qp_attr *attr, int mask)
{
    if (mask & MRC_QP_HINT) {
        const std::lock_guard lock(qp.context->lock);
        take_hint(qp, attr->qp_hint);
    }
    // This device never changes the window of a connection.
    if (mask & MRC_QP_CAP)
        qp.cap = attr->cap & ~static_cast<uint32_t>(MRC_QP_CAP_DYNAMIC_MPR);
}

/** Drop the hint and capabilities of a QP that was reset, whatever the program's mask says. */
void forget(mrc_qp &qp)
{
    const std::lock_guard lock(qp.context->lock);

    take_hint(qp, nullptr);
    qp.cap = 0;
}

int modify(mrc_qp *qp, ibv_qp_attr *vattr, int vmask, const mrc_qp_attr *attr, int mask)
{
    const Verbs *v = verbs();
    mrc_abi_qp_attr abi{};

    if (!is(qp) || (vmask && !vattr))
        return EINVAL;
    const bool to_state = vmask & IBV_QP_STATE;
    const bool reset = to_state && number(vattr->qp_state) == IBV_QPS_RESET;
    // In these transitions programs leave attr and mask uninitialised.
    if (reset || (to_state && number(vattr->qp_state) == IBV_QPS_ERR))
        mask = 0;
    const std::lock_guard lock(qp->lock);
    if (const int error = check(*qp, attr, mask))
        return error;
    if (mask)
        to_kernel(*attr, mask, qp->defaults, abi);
    KernelChange change(*v, *qp);
    if (const int error = change.make(abi))
        return error;
    if (vmask)
        if (const int error = error_of(v->modify_qp(qp->qp, vattr, vmask))) {
            change.undo();
            return error;
        }
    change.keep();
    keep(*qp, attr, mask);
    if (reset)
        forget(*qp);
    return 0;
}

// ---- queried

int query_attr(mrc_qp &qp, mrc_qp_attr *attr, int mask)
{
    mrc_abi_qp_attr abi;

    if (!mask)
        return 0;
    if (!attr || (mask & ~qp_attr_all))
        return EINVAL;
    if (const int error = verbs()->query_qp_attr(qp.qp, &abi))
        return error;
    from_kernel(abi, mask, *attr);
    if (mask & MRC_QP_HINT) {
        const std::lock_guard lock(qp.context->lock);
        attr->qp_hint = qp.hint;
    }
    if (mask & MRC_QP_CAP)
        attr->cap = qp.cap;
    if (mask & MRC_QP_VENDOR_CFG)
        std::fill(std::begin(attr->vendor_cfg), std::end(attr->vendor_cfg), 0);
    return 0;
}

int query(mrc_qp *qp, ibv_qp_attr *vattr, int vmask, mrc_qp_attr *attr, int mask,
          mrc_qp_init_attr *init)
{
    ibv_qp_init_attr inner{};
    ibv_qp_attr unwanted;

    if (!is(qp))
        return EINVAL;
    const std::lock_guard lock(qp->lock);
    if (const int error = query_attr(*qp, attr, mask))
        return error;
    if (const int error =
            error_of(verbs()->query_qp(qp->qp, vattr ? vattr : &unwanted, vmask, &inner)))
        return error;
    if (init) {
        *init = qp->init;
        init->cap = inner.cap;
    }
    return 0;
}

} // namespace

} // namespace mrc

MRC_EXPORT mrc_qp *mrc_create_qp(mrc_context *mrc_ctx, mrc_qp_init_attr *mrc_qp_attr)
{
    return mrc::pointer([&] { return mrc::create(mrc_ctx, mrc_qp_attr); });
}

MRC_EXPORT int mrc_destroy_qp(mrc_qp *qp)
{
    return mrc::errno_value([&] { return mrc::destroy(qp); });
}

MRC_EXPORT int mrc_query_qp(mrc_qp *qp, ibv_qp_attr *vattr, int vattr_mask,
                            struct mrc_qp_attr *mrc_attr, int mrc_attr_mask,
                            mrc_qp_init_attr *init_attr)
{
    return mrc::errno_value(
        [&] { return mrc::query(qp, vattr, vattr_mask, mrc_attr, mrc_attr_mask, init_attr); });
}

MRC_EXPORT int mrc_modify_qp(mrc_qp *qp, ibv_qp_attr *vattr, int vattr_mask,
                             struct mrc_qp_attr *mrc_attr, int mrc_attr_mask)
{
    return mrc::errno_value(
        [&] { return mrc::modify(qp, vattr, vattr_mask, mrc_attr, mrc_attr_mask); });
}

MRC_EXPORT int mrc_get_qpn(mrc_qp *qp, uint32_t *qpn)
{
    return mrc::zero_or_minus([&] {
        if (!mrc::is(qp) || !qpn)
            return EINVAL;
        *qpn = qp->qp->qp_num;
        return 0;
    });
}
