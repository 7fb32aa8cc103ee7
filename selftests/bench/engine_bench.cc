// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Measures what the protocol engine costs on this machine, without a kernel around it: "make
 * bench-engine".
 */
#include <cstring>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <zlib.h>

#include "endpoints.h"

namespace bench
{
namespace
{

/** Benchmarks both ends of a packet. */
void packet(benchmark::State &state, const Shape &shape)
{
    Endpoints ends(shape);

    // Before measuring, as many packets are in flight and lost as will be on average.
    for (uint32_t i = 0; i < 2 * shape.qps + 100; i++)
        ends.turn();
    const Totals before = ends.totals();
    for (auto _ : state)
        ends.turn();
    const Totals now = ends.totals();
    const auto arrived = static_cast<double>(now.arrived - before.arrived);
    // The inverse of a rate is in seconds.
    state.counters["s/packet"] =
        benchmark::Counter(arrived, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
    state.counters["lost/resent"] = now.resent == before.resent
                                        ? 1
                                        : static_cast<double>(now.lost - before.lost) /
                                              static_cast<double>(now.resent - before.resent);
}

mrc_hdr write_header()
{
    mrc_hdr hdr{};

    hdr.bth.opcode = MRC_OP_WRITE_MIDDLE;
    hdr.bth.qpn = MRC_QPN_FIRST;
    hdr.bth.psn = 4711;
    hdr.write.va = 0x123456789000;
    hdr.write.dmalen = 65536;
    return hdr;
}

mrc_hdr sack_header()
{
    mrc_hdr hdr{};

    hdr.bth.opcode = MRC_OP_SACK;
    hdr.bth.psn = hdr.sack.cack_psn = 4711;
    hdr.sack.sack_offset = 1;
    hdr.sack.bitmap = 0x5555555555555555;
    return hdr;
}

void encode(benchmark::State &state, mrc_hdr hdr)
{
    uint8_t bytes[MRC_HDR_MAX];

    for (auto _ : state) {
        benchmark::DoNotOptimize(hdr);
        benchmark::DoNotOptimize(mrc_hdr_encode(bytes, &hdr));
        benchmark::ClobberMemory();
    }
}

void decode(benchmark::State &state, const mrc_hdr &hdr)
{
    uint8_t bytes[MRC_HDR_MAX];
    mrc_hdr read;
    const unsigned int len = mrc_hdr_encode(bytes, &hdr);

    for (auto _ : state) {
        benchmark::DoNotOptimize(bytes);
        benchmark::DoNotOptimize(mrc_hdr_decode(bytes, len, &read));
        benchmark::ClobberMemory();
    }
}

using Bytes = std::vector<uint8_t>;

void copy(const Bytes &from, Bytes &to)
{
    memcpy(to.data(), from.data(), from.size());
}

uint32_t by_table(uint32_t crc, const uint8_t *data, size_t len)
{
    return static_cast<uint32_t>(~crc32(~crc, data, static_cast<uInt>(len)));
}

void table(const Bytes &from, Bytes &to)
{
    const uint32_t crc = by_table(MRC_ICRC_SEED, from.data(), from.size());

    memcpy(to.data(), &crc, sizeof(crc));
}

/** What is left after all else is folded is too short to matter. */
void fold(const Bytes &from, Bytes &to)
{
    mrc_crc_fold f;
    mrc_crc_fold_begin(&f, MRC_ICRC_SEED, from.size());
    mrc_crc_fold_add(&f, from.data(), from.size());
    const unsigned int rest = mrc_crc_fold_end(&f);
    const uint32_t crc = by_table(0, f.keep, rest);

    memcpy(to.data(), &crc, sizeof(crc));
}

void bytes(benchmark::State &state, void (*what)(const Bytes &, Bytes &))
{
    const Bytes from(4096, 0x5a);
    Bytes to(from.size());

    for (auto _ : state) {
        benchmark::DoNotOptimize(from.data());
        what(from, to);
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                            static_cast<int64_t>(from.size()));
}

void add_packets(bool nscc, std::initializer_list<uint32_t> losses)
{
    for (const uint32_t qps : {1u, 64u, 4096u})
        for (const uint32_t per_sack : {64u, 16u, 4u, 1u})
            for (const uint32_t loss : losses) {
                Shape shape;
                shape.nscc = nscc;
                shape.qps = qps;
                shape.per_sack = per_sack;
                shape.loss_mille = loss;
                const std::string name = (nscc ? "nscc/qps:" : "packet/qps:") +
                                         std::to_string(qps) + "/sack:" + std::to_string(per_sack) +
                                         "/loss:" + std::to_string(loss);
                benchmark::RegisterBenchmark(name.c_str(),
                                             [shape](auto &state) { packet(state, shape); });
            }
}

void add_all()
{
    add_packets(false, {0u, 1u, 10u, 100u});
    add_packets(true, {0u, 10u});
    benchmark::RegisterBenchmark("encode/write", [](auto &s) { encode(s, write_header()); });
    benchmark::RegisterBenchmark("encode/sack", [](auto &s) { encode(s, sack_header()); });
    benchmark::RegisterBenchmark("decode/write", [](auto &s) { decode(s, write_header()); });
    benchmark::RegisterBenchmark("decode/sack", [](auto &s) { decode(s, sack_header()); });
    benchmark::RegisterBenchmark("bytes/copy", [](auto &s) { bytes(s, copy); });
    benchmark::RegisterBenchmark("bytes/icrc-table", [](auto &s) { bytes(s, table); });
    benchmark::RegisterBenchmark("bytes/icrc-fold", [](auto &s) { bytes(s, fold); });
}

} // namespace
} // namespace bench

int main(int argc, char **argv)
{
    const uint32_t mpr = bench::Shape().mpr;

    benchmark::AddCustomContext("requester_bytes",
                                std::to_string(bench::Endpoints::requester_bytes(mpr)));
    benchmark::AddCustomContext("responder_bytes",
                                std::to_string(bench::Endpoints::responder_bytes(mpr)));
    bench::add_all();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
