// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/** @file A channel that keeps requests and gives the answers that a test has set. */
#pragma once

#include <deque>
#include <utility>

#include "mrcnl/channel.h"

namespace mrcnl::test
{

/** A request as the kernel would see it. */
struct Seen {
    uint8_t command = 0;
    std::vector<std::byte> attributes;
    bool dump = false;
    bool overflow = false;

    Attributes parsed(int max) const { return {attributes, max}; }
};

/** Makes an answer from a request: the encoding is the same in both directions. */
inline Reply reply_of(const Request &request)
{
    const auto attributes = request.attributes();

    return {request.command(), {attributes.begin(), attributes.end()}};
}

class FakeStream : public MessageStream
{
public:
    explicit FakeStream(Arrivals arrivals) : arrivals_(std::move(arrivals)) {}
    int fd() const override { return 7; }
    bool wait(int) override { return !arrivals_.messages.empty() || arrivals_.overrun; }
    Result<Arrivals> receive() override { return std::exchange(arrivals_, {}); }

private:
    Arrivals arrivals_;
};

/** The fake, which the test owns. The client gets a ChannelRef to it. */
struct FakeChannel {
    std::vector<Seen> seen;
    std::deque<Result<std::vector<Reply>>> answers;
    std::deque<Result<Dump>> dumps;
    Arrivals arrivals;
    std::vector<std::string> groups; ///< groups of the last subscription
};

class ChannelRef : public Channel
{
public:
    explicit ChannelRef(FakeChannel &fake) : fake_(fake) {}

    Result<std::vector<Reply>> transact(const Request &request) override
    {
        note(request, false);
        if (fake_.answers.empty())
            return std::vector<Reply>();
        auto answer = std::move(fake_.answers.front());
        fake_.answers.pop_front();
        return answer;
    }

    Result<Dump> dump(const Request &request) override
    {
        note(request, true);
        if (fake_.dumps.empty())
            return Dump{};
        auto answer = std::move(fake_.dumps.front());
        fake_.dumps.pop_front();
        return answer;
    }

    Result<std::unique_ptr<MessageStream>> subscribe(std::span<const char *const> groups) override
    {
        fake_.groups.assign(groups.begin(), groups.end());
        return std::unique_ptr<MessageStream>(std::make_unique<FakeStream>(fake_.arrivals));
    }

private:
    void note(const Request &request, bool dump)
    {
        const auto attributes = request.attributes();

        fake_.seen.push_back(
            {request.command(), {attributes.begin(), attributes.end()}, dump, request.overflow()});
    }

    FakeChannel &fake_;
};

} // namespace mrcnl::test
