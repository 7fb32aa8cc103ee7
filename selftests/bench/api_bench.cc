// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures what libmrc adds to a call of verbs: requests and polls of a device that does nothing,
 * by verbs' own inline functions and through the library, as a program calls them.
 */
#include <benchmark/benchmark.h>

#include "app/objects.h"

namespace
{

int post_send(ibv_qp *, ibv_send_wr *wr, ibv_send_wr **)
{
    benchmark::DoNotOptimize(wr);
    return 0;
}

int post_recv(ibv_qp *, ibv_recv_wr *wr, ibv_recv_wr **)
{
    benchmark::DoNotOptimize(wr);
    return 0;
}

int poll_cq(ibv_cq *, int, ibv_wc *wc)
{
    benchmark::DoNotOptimize(wc);
    return 0;
}

/** A QP and a CQ of that device, and the objects of mrc.h for them. */
struct Device {
    ibv_context context{};
    ibv_qp qp{};
    ibv_cq cq{};
    mrc_qp mrc_qp_of{};
    mrc_cq mrc_cq_of{};

    Device()
    {
        context.ops.post_send = post_send;
        context.ops.post_recv = post_recv;
        context.ops.poll_cq = poll_cq;
        qp.context = cq.context = &context;
        mrc_qp_of.qp = &qp;
        mrc_cq_of.cq = &cq;
    }
};

template <typename Call>
void measure(benchmark::State &state, Call call)
{
    Device device;

    for (auto round : state) {
        benchmark::DoNotOptimize(&device);
        call(device);
    }
}

ibv_send_wr send_wr;
ibv_recv_wr recv_wr;
ibv_send_wr *bad_send;
ibv_recv_wr *bad_recv;
ibv_wc wc[16];

void register_all()
{
    const auto add = [](const char *name, auto call) {
        benchmark::RegisterBenchmark(name,
                                     [call](benchmark::State &state) { measure(state, call); });
    };

    add("post_send/verbs", [](Device &d) { return ibv_post_send(&d.qp, &send_wr, &bad_send); });
    add("post_send/mrc",
        [](Device &d) { return mrc_post_send(&d.mrc_qp_of, &send_wr, &bad_send); });
    add("post_recv/verbs", [](Device &d) { return ibv_post_recv(&d.qp, &recv_wr, &bad_recv); });
    add("post_recv/mrc",
        [](Device &d) { return mrc_post_recv(&d.mrc_qp_of, &recv_wr, &bad_recv); });
    add("poll_cq/verbs", [](Device &d) { return ibv_poll_cq(&d.cq, 16, wc); });
    add("poll_cq/mrc", [](Device &d) { return mrc_poll_cq(&d.mrc_cq_of, 16, wc); });
}

} // namespace

int main(int argc, char **argv)
{
    register_all();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
