// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file mrc_traffic.cc
 * Sends traffic between two RDMA devices and verifies every byte. Uses plain libibverbs: any RC
 * device will do.
 */
#include <cstdio>
#include <exception>

#include "traffic/run.h"

int main(int argc, char **argv)
{
    const traffic::Options options = traffic::parse_options(argc, argv);

    try {
        traffic::catch_signals();
        auto channel = options.role == traffic::Role::Server
                           ? traffic::Channel::listen(options.socket)
                           : traffic::Channel::connect(options.socket);
        traffic::Run run(options, std::move(channel));
        const traffic::Report report = run.run();
        nlohmann::json summary = report;
        summary["role"] = options.role == traffic::Role::Server ? "server" : "client";
        summary["good"] = report.good();
        std::printf("%s\n", summary.dump().c_str());
        return report.good() ? 0 : 1;
    } catch (const std::exception &e) {
        std::fprintf(stderr, "mrc_traffic: %s\n", e.what());
        return 1;
    }
}
