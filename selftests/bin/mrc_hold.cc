// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file mrc_hold.cc
 * Holds two connected QPs for tests that do things to them from outside.
 *
 * Commands come from standard input, one a line; each is answered by a line of JSON,
 * as is the start:
 *   write   both sides write to each other, and all bytes are compared
 *   state   the states of both QPs
 *   renew TIMEOUT RETRIES
 *           makes everything anew, as at the start; these QPs wait 1.024 us x 2^TIMEOUT for each
 *           packet, and send it again at most RETRIES times
 *   connect TIMEOUT RETRIES
 *           everything anew, with these as verbs' timeout and retry_cnt
 *   post LENGTH
 *           the second side posts a write to the first, with an immediate
 *   receive
 *           the second side posts a receive, to memory of no length
 *   settle  how that write ends at the second side
 *   arrive  as settle, and also waits for that write at the first side: all bytes are compared
 *   error SIDE, destroy SIDE
 *           puts the QP of side 0 or 1 into error, or destroys it; after that, until all is made
 *           anew, only "settle" can be asked for, and "post" if the QP was that of side 0
 *   event SIDE NAME
 *           waits until side 0 or 1 has the asynchronous event that libibverbs calls NAME; the
 *           events before it are listed, and dropped
 */
#include <arpa/inet.h>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "qp_attr.h"
#include "verbs/fixture.h"
#include "verbs/options.h"

namespace
{

using nlohmann::json;
using verbs::Side;

constexpr size_t memory = 1 << 18;
/* Less than any packet may be, so that there is something in between. */
constexpr verbs::Shape plain{.mtu = IBV_MTU_1024};
constexpr uint32_t mtu = 1024;

std::string text(const ibv_gid &gid)
{
    char buffer[INET6_ADDRSTRLEN];

    return inet_ntop(AF_INET6, gid.raw, buffer, sizeof(buffer));
}

/** When a packet is given up. */
struct Patience {
    uint8_t timeout;
    uint8_t retries;
};

void set_patience(const Side &side, const Patience &patience)
{
    mrc_abi_qp_attr attr{};

    attr.mask = MRC_QP_ATTR_TIMEOUT | MRC_QP_ATTR_LINEAR | MRC_QP_ATTR_EXP;
    attr.timeout = patience.timeout;
    attr.linear = patience.retries;
    attr.exp = 0;
    if (mrc_qp_attr_set(side.qp.get(), &attr)) {
        throw std::invalid_argument("timeout or retries");
    }
}

class Hold
{
public:
    explicit Hold(const verbs::Shape &shape = plain, const Patience *patience = nullptr)
        : sides_{{0, shape, memory}, {1, shape, memory}}, idle_{1, shape, 4096}
    {
        for (const Side &side : sides_) {
            if (patience) {
                set_patience(side, *patience);
            }
        }
        sides_[0].connect(sides_[1]);
        sides_[1].connect(sides_[0]);
        idle_.to_init();
        next_[0] = sides_[0].psn;
        next_[1] = sides_[1].psn;
    }

    /** What an observer must know; arrays have a value for each side. */
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
        result["messages"] = messages_;
        return result;
    }

    [[nodiscard]] json states() const
    {
        return {{"state", {sides_[0].state(), sides_[1].state()}},
                {"alive", sides_[0].state() == IBV_QPS_RTS && sides_[1].state() == IBV_QPS_RTS}};
    }

    /**
     * Writes of several sizes both ways. "next" is the PSN that each side sends next, "messages"
     * the number of messages that it has sent, each with an immediate.
     */
    json write()
    {
        bool good = true;

        for (const uint32_t length : {1u, mtu, 3 * mtu + 5, 100000u}) {
            good = good && write_one(0, length) && write_one(1, length);
        }
        return {{"good", good}, {"next", next_}, {"messages", messages_}};
    }

    json receive() { return {{"good", verbs::post_receives(sides_[1], 1, ++seed_) == 0}}; }

    json post(uint32_t length)
    {
        posted_ = length;
        return {{"good", length <= memory && post_one(1, length)},
                {"packets", (length + mtu - 1) / mtu},
                {"next", next_},
                {"messages", messages_}};
    }

    json settle()
    {
        const auto sent = verbs::wait_completions(sides_[1].send_cq.get(), 1);

        if (sent.size() != 1) {
            return {{"status", "none"}};
        }
        return {{"status", ibv_wc_status_str(sent[0].status)}};
    }

    json arrive() { return {{"good", completed(sides_[1].send_cq.get()) && arrived(1, posted_)}}; }

    json error(size_t side)
    {
        return {{"good", side < 2 && sides_[side].to_state(IBV_QPS_ERR) == 0}, {"ended", "error"}};
    }

    json destroy(size_t side)
    {
        const bool good = side < 2 && sides_[side].qp;

        if (good) {
            sides_[side].qp.reset();
        }
        return {{"good", good}, {"ended", "destroyed"}};
    }

    json await(size_t side, const std::string &name)
    {
        json before = json::array();

        while (side < 2) {
            const int event = sides_[side].wait_event();
            if (event < 0) {
                break;
            }
            const std::string found = ibv_event_type_str(static_cast<ibv_event_type>(event));
            if (found == name) {
                return {{"seen", true}, {"before", before}};
            }
            before.push_back(found);
        }
        return {{"seen", false}, {"before", before}};
    }

private:
    bool post_one(int from, uint32_t length)
    {
        Side &source = sides_[from];
        Side &target = sides_[1 - from];

        source.fill(++seed_);
        if ((target.qp && verbs::post_receives(target, 1, seed_)) ||
            verbs::post(source, target, {.id = seed_, .length = length, .imm = true})) {
            return false;
        }
        next_[from] = (next_[from] + (length + mtu - 1) / mtu) & 0xffffff;
        ++messages_[from];
        return true;
    }

    bool arrived(int from, uint32_t length)
    {
        return completed(sides_[1 - from].recv_cq.get()) &&
               std::memcmp(sides_[from].data(), sides_[1 - from].data(), length) == 0;
    }

    bool write_one(int from, uint32_t length)
    {
        return post_one(from, length) && completed(sides_[from].send_cq.get()) &&
               arrived(from, length);
    }

    static bool completed(ibv_cq *cq)
    {
        const auto done = verbs::wait_completions(cq, 1);

        return done.size() == 1 && done[0].status == IBV_WC_SUCCESS;
    }

    Side sides_[2];
    Side idle_; /**< never connected */
    uint32_t next_[2]{};
    uint16_t messages_[2]{};
    uint32_t seed_ = 0;
    uint32_t posted_ = 0;
};

/** The rest of a line, without the space before it. */
std::string rest(std::istream &words)
{
    std::string text;

    std::getline(words >> std::ws, text);
    return text;
}

json renew(std::unique_ptr<Hold> &hold, unsigned int timeout, unsigned int retries)
{
    const Patience patience{static_cast<uint8_t>(timeout), static_cast<uint8_t>(retries)};

    hold.reset();
    hold = std::make_unique<Hold>(plain, &patience);
    return hold->description();
}

json connect(std::unique_ptr<Hold> &hold, unsigned int timeout, unsigned int retries)
{
    verbs::Shape shape = plain;

    shape.timeout = static_cast<uint8_t>(timeout);
    shape.retries = static_cast<uint8_t>(retries);
    hold.reset();
    hold = std::make_unique<Hold>(shape);
    return hold->description();
}

json obey(std::unique_ptr<Hold> &hold, const std::string &line)
{
    std::istringstream words(line);
    std::string command;
    unsigned int number = 0, second = 0;

    words >> command;
    if (command == "write") {
        return hold->write();
    }
    if (command == "state") {
        return hold->states();
    }
    if (command == "receive") {
        return hold->receive();
    }
    if (command == "settle") {
        return hold->settle();
    }
    if (command == "arrive") {
        return hold->arrive();
    }
    if (command == "post" && words >> number) {
        return hold->post(number);
    }
    if (command == "error" && words >> number) {
        return hold->error(number);
    }
    if (command == "destroy" && words >> number) {
        return hold->destroy(number);
    }
    if (command == "event" && words >> number) {
        return hold->await(number, rest(words));
    }
    if (command == "renew" && words >> number >> second) {
        return renew(hold, number, second);
    }
    if (command == "connect" && words >> number >> second) {
        return connect(hold, number, second);
    }
    return {{"error", "cannot '" + line + "'"}};
}

} // namespace

int main(int argc, char **argv)
{
    verbs::parse_options(argc, argv,
                         "Usage: mrc_hold [-n NETNS] [-g GID] DEVICE [[-N NETNS] [-G GID] DEVICE]\n"
                         "Commands on standard input: write, state, renew TIMEOUT RETRIES,\n"
                         "connect TIMEOUT RETRIES, post LENGTH, receive, settle, arrive,\n"
                         "error SIDE, destroy SIDE, event SIDE NAME\n");
    try {
        auto hold = std::make_unique<Hold>();

        std::cout << hold->description() << std::endl;
        for (std::string line; std::getline(std::cin, line);) {
            std::cout << obey(hold, line) << std::endl;
        }
        return 0;
    } catch (const std::exception &e) {
        std::cerr << "mrc_hold: " << e.what() << std::endl;
        return 1;
    }
}
