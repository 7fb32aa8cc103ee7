// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Requests to endpoints, which the kernel sends as raw probes.
 */
#include <algorithm>
#include <span>

#include "base/edge.h"
#include "ctl/controller.h"
#include "ctl/format_profile.h"
#include "ctl/wire_ev.h"

namespace mrc
{

namespace
{

constexpr uint8_t last_dscp = 63;

struct Batch {
    uint8_t dscp;
    uint32_t limit; ///< ns
    bool status;    ///< the requests are port status updates
    std::span<const mrc_ctl_ep_req> requests;
};

mrcnl::Address address_of(const ibv_gid &gid)
{
    mrcnl::Address address;

    std::copy(std::begin(gid.raw), std::end(gid.raw), address.bytes.begin());
    return address;
}

/** In the kernel's mask bit 0 is port 1. The API has no bit for port 32: it counts as receiving. */
uint32_t kernel_ports(uint32_t mask)
{
    return mask >> 1 | 1u << 31;
}

/** @return nothing if the request cannot be sent */
std::optional<mrcnl::RawProbeRequest> request_of(const mrc_ctl_ep_req &req, const Batch &batch)
{
    const mrcnl::Address from = address_of(req.sgid);
    const size_t width = is_mode(req.ev_fmt_mode) ? width_of(req.ev_fmt_mode) : 0;
    mrcnl::RawProbeRequest request;

    // Check it as an EV of a profile without fields, in the widest format.
    if (!width || !req.req_ev.port ||
        !expand(bits_of(req.req_ev), {}, EvFormatWidths(width / 8, 8)))
        return std::nullopt;
    request.to = {address_of(req.dgid)};
    if (!from.unspecified())
        request.local_gid = from;
    request.format = kernel_format(req.ev_fmt_mode);
    request.ev = {req.req_ev.port, path_of(req.ev_fmt_mode, bits_of(req.req_ev)), false};
    request.dscp = batch.dscp;
    request.limit = batch.limit;
    if (batch.status)
        request.port_status = kernel_ports(req.op.port_status_update.port_status);
    return request;
}

/** @param code why a request was not sent; 0: it was sent @return the API's errno value, or 0 */
int refusal_of(int code)
{
    if (code == EBUSY || code == ENOBUFS)
        return EAGAIN;
    if (code == ENETUNREACH || code == EHOSTUNREACH || code == ENETDOWN || code == ENODEV)
        return EIO;
    if (code == ENOENT) // no such port
        return EINVAL;
    return code ? api_error({code, {}, {}}) : 0;
}

/** Collects the results of requests. */
class Answers
{
public:
    Answers(const Batch &batch, mrc_ctl_ep_rsp *rsp) : batch_(batch), rsp_(rsp) {}

    void take(size_t request, const mrcnl::Result<mrcnl::Probe> &probe)
    {
        if (!probe) {
            note(refusal_of(probe.error().code));
            return;
        }
        if (probe->results.empty())
            return;
        const mrcnl::ProbeResult &result = probe->results.front();
        note(refusal_of(result.error));
        if (!result.rtt)
            return;
        rsp_[count_++] = {batch_.requests[request].req_id, result.rx_port,
                          static_cast<unsigned int>(std::min<uint64_t>(*result.rtt, UINT32_MAX)),
                          0};
    }

    [[nodiscard]] size_t count() const { return count_; }
    /** @return 0, or the errno value for the whole batch */
    [[nodiscard]] int error() const
    {
        if (error_)
            return error_;
        return count_ < batch_.requests.size() ? ETIMEDOUT : 0;
    }

private:
    /** The first error counts. */
    void note(int error)
    {
        if (!error_)
            error_ = error;
    }

    const Batch &batch_;
    mrc_ctl_ep_rsp *rsp_;
    size_t count_ = 0;
    int error_ = 0;
};

/** Uses a connection of its own to the module, so that other calls need not wait. */
int send(mrc_context *context, const Batch &batch, mrc_ctl_ep_rsp *rsp, int *num_rsp)
{
    Controller controller(context->device->device->name);
    std::vector<mrcnl::RawProbeRequest> requests;
    Answers answers(batch, rsp);

    for (const mrc_ctl_ep_req &req : batch.requests) {
        const auto request = request_of(req, batch);
        if (!request)
            return EINVAL;
        requests.push_back(*request);
    }
    // Only the controller may tell peers about our ports.
    if (batch.status)
        if (const int error = controlled(context, true, [](Controller &) { return 0; }))
            return error;
    if (const int error = controller.begin(false))
        return error;
    const auto sent = controller.kernel().probe_raw_each(
        controller.device(), requests,
        [&](size_t request, const mrcnl::Result<mrcnl::Probe> &probe) {
            answers.take(request, probe);
        });
    *num_rsp = static_cast<int>(answers.count());
    return sent ? answers.error() : api_error(sent.error());
}

} // namespace

} // namespace mrc

MRC_EXPORT int mrc_ctl_ep_batch_send_wait(mrc_context *mrc_ctx, uint8_t req_tc,
                                          mrc_ctl_ep_op_type op_type, mrc_ctl_ep_req *req,
                                          int num_req, uint32_t rsp_timeout, mrc_ctl_ep_rsp *rsp,
                                          int *num_rsp)
{
    return mrc::zero_or_minus([&] {
        if (!mrc::is(mrc_ctx) || req_tc > mrc::last_dscp || !req || num_req < 1 || !rsp_timeout ||
            !rsp || !num_rsp)
            return EINVAL;
        *num_rsp = 0;
        if (!mrc::one_of(op_type, {MRC_CTL_EP_OP_EV_PROBE, MRC_CTL_EP_OP_PORT_STATUS_UPDATE}))
            return ENOTSUP;
        return mrc::send(mrc_ctx,
                         {req_tc, rsp_timeout, op_type == MRC_CTL_EP_OP_PORT_STATUS_UPDATE,
                          std::span<const mrc_ctl_ep_req>(req, static_cast<size_t>(num_req))},
                         rsp, num_rsp);
    });
}
