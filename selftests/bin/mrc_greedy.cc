// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file mrc_greedy.cc
 * Takes as many objects of one kind as a device gives, frees them, and takes them again, for
 * SECONDS: one memory region after another, or QPs until there are no more. Prints a line of JSON:
 * how often, how many there were at most, and the name of the errno that ended a round.
 *
 *   mrc_greedy DEVICE mrs|qps SECONDS
 */
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "verbs/fixture.h"

namespace
{

using Clock = std::chrono::steady_clock;

/* Regions of a round: from one page to this many, one after the other. */
constexpr size_t most_pages = 256;
constexpr size_t page = 4096;

class Greedy
{
public:
    explicit Greedy(const std::string &device)
        : context_(verbs::open_device(device)),
          pd_(verbs::must(ibv_alloc_pd(context_.get()), "PD")),
          cq_(verbs::must(ibv_create_cq(context_.get(), 1, nullptr, nullptr, 0), "CQ"))
    {
    }

    /** Each region is given back before the next is taken. */
    void take_mrs()
    {
        for (size_t pages = 1; pages <= most_pages; pages *= 2) {
            const verbs::Mr mr(
                ibv_reg_mr(pd_.get(), memory_.data(), pages * page, IBV_ACCESS_LOCAL_WRITE));

            if (!note(mr.get(), 1)) {
                return;
            }
        }
    }

    void take_qps()
    {
        std::vector<verbs::Qp> qps;
        ibv_qp_init_attr init{};

        init.qp_type = IBV_QPT_RC;
        init.send_cq = cq_.get();
        init.recv_cq = cq_.get();
        do {
            qps.emplace_back(ibv_create_qp(pd_.get(), &init));
        } while (note(qps.back().get(), qps.size()));
    }

    /** Runs rounds of one kind until the time is over. */
    nlohmann::json take(void (Greedy::*round)(), std::chrono::seconds time)
    {
        const auto end = Clock::now() + time;
        size_t rounds = 0;

        for (; Clock::now() < end; rounds++) {
            (this->*round)();
        }
        return {{"rounds", rounds}, {"most", most_}, {"error", error_}};
    }

private:
    /** @return whether @p object was made; @p now: how many there are */
    bool note(const void *object, size_t now)
    {
        if (!object) {
            error_ = strerrorname_np(errno);
            return false;
        }
        most_ = std::max(most_, now);
        return true;
    }

    verbs::Context context_;
    verbs::Pd pd_;
    verbs::Cq cq_;
    std::vector<uint8_t> memory_ = std::vector<uint8_t>(most_pages * page);
    size_t most_ = 0;
    std::string error_;
};

} // namespace

int main(int argc, char **argv)
{
    const std::map<std::string, void (Greedy::*)()> kinds = {{"mrs", &Greedy::take_mrs},
                                                             {"qps", &Greedy::take_qps}};

    try {
        if (argc != 4 || !kinds.count(argv[2])) {
            throw std::invalid_argument("usage: mrc_greedy DEVICE mrs|qps SECONDS");
        }
        Greedy greedy(argv[1]);

        std::cout << greedy.take(kinds.at(argv[2]), std::chrono::seconds(std::stoul(argv[3])))
                  << std::endl;
    } catch (const std::exception &error) {
        std::cerr << "mrc_greedy: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
