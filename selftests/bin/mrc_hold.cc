// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file mrc_hold.cc
 * Holds two connected QPs for tests that do things to them from outside.
 *
 * Commands come from standard input, one a line; each is answered by a line of JSON,
 * as is the start:
 *   write   both sides write to each other, and all bytes are compared
 *   state   the states of both QPs
 */
#include <arpa/inet.h>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

#include "verbs/fixture.h"
#include "verbs/options.h"

namespace
{

using nlohmann::json;
using verbs::Side;

constexpr size_t memory = 1 << 18;
/* Less than any packet may be, so that there is something in between. */
constexpr verbs::Shape shape{.mtu = IBV_MTU_1024};
constexpr uint32_t mtu = 1024;

std::string text(const ibv_gid &gid)
{
    char buffer[INET6_ADDRSTRLEN];

    return inet_ntop(AF_INET6, gid.raw, buffer, sizeof(buffer));
}

class Hold
{
public:
    Hold() : sides_{{0, shape, memory}, {1, shape, memory}}, idle_{1, shape, 4096}
    {
        sides_[0].connect(sides_[1]);
        sides_[1].connect(sides_[0]);
        idle_.to_init();
        next_[0] = sides_[0].psn;
        next_[1] = sides_[1].psn;
    }

    /** What an observer needs to know; arrays hold a value for each side. */
    [[nodiscard]] json description() const
    {
        json result = {{"mtu", mtu}, {"idle_qpn", idle_.qp->qp_num}, {"size", memory}};

        for (const Side &side : sides_) {
            result["gid"].push_back(text(side.gid));
            result["qpn"].push_back(side.qp->qp_num);
            result["address"].push_back(side.address());
            result["rkey"].push_back(side.mr->rkey);
        }
        result["next"] = next_;
        return result;
    }

    [[nodiscard]] json states() const
    {
        return {{"state", {sides_[0].state(), sides_[1].state()}},
                {"alive", sides_[0].state() == IBV_QPS_RTS && sides_[1].state() == IBV_QPS_RTS}};
    }

    /** Writes of several sizes both ways; "next" is the PSN that each side sends next. */
    json write()
    {
        bool good = true;

        for (const uint32_t length : {1u, mtu, 3 * mtu + 5, 100000u}) {
            good = good && write_one(0, length) && write_one(1, length);
        }
        return {{"good", good}, {"next", next_}};
    }

private:
    bool write_one(int from, uint32_t length)
    {
        Side &source = sides_[from];
        Side &target = sides_[1 - from];

        source.fill(++seed_);
        if (verbs::post_receives(target, 1, seed_) ||
            verbs::post(source, target, {.id = seed_, .length = length, .imm = true})) {
            return false;
        }
        next_[from] = (next_[from] + (length + mtu - 1) / mtu) & 0xffffff;
        return completed(source.send_cq.get()) && completed(target.recv_cq.get()) &&
               std::memcmp(source.data(), target.data(), length) == 0;
    }

    static bool completed(ibv_cq *cq)
    {
        const auto done = verbs::wait_completions(cq, 1);

        return done.size() == 1 && done[0].status == IBV_WC_SUCCESS;
    }

    Side sides_[2];
    Side idle_; /**< never connected */
    uint32_t next_[2]{};
    uint32_t seed_ = 0;
};

json obey(Hold &hold, const std::string &command)
{
    if (command == "write") {
        return hold.write();
    }
    if (command == "state") {
        return hold.states();
    }
    return {{"error", "unknown command '" + command + "'"}};
}

} // namespace

int main(int argc, char **argv)
{
    verbs::parse_options(argc, argv,
                         "Usage: mrc_hold [-n NETNS] [-g GID] DEVICE [[-N NETNS] [-G GID] DEVICE]\n"
                         "Commands on standard input: write, state\n");
    try {
        Hold hold;

        std::cout << hold.description() << std::endl;
        for (std::string line; std::getline(std::cin, line);) {
            std::cout << obey(hold, line) << std::endl;
        }
        return 0;
    } catch (const std::exception &e) {
        std::cerr << "mrc_hold: " << e.what() << std::endl;
        return 1;
    }
}
