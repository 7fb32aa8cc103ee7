// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the channel over a socket that returns what the test has queued, also after receive errors.
 * An answer must belong to the request, and never be the rest of an earlier answer.
 */
#include "netlink_channel.h"

#include <cstring>
#include <deque>

#include <gtest/gtest.h>
#include <linux/genetlink.h>
#include <linux/mrc.h>
#include <linux/netlink.h>
#include <netlink/errno.h>
#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/socket.h>

namespace mrcnl::netlink_channel_test
{
namespace
{

constexpr int family = 0x20;

/** A datagram, or an error number of libnl instead. */
struct Arrival {
    int error = 0;
    std::vector<std::byte> bytes;
};

/** The queue of the socket. A global, because libnl's functions take no argument of ours. */
std::deque<Arrival> waiting;
std::vector<uint32_t> sent; ///< sequence numbers

int take_request(nl_sock *sock, nl_msg *msg)
{
    nl_complete_msg(sock, msg);
    sent.push_back(nlmsg_hdr(msg)->nlmsg_seq);
    return 0;
}

/** Hands out a datagram. libnl frees it. */
int give_answer(nl_sock *, sockaddr_nl *from, unsigned char **bytes, ucred **)
{
    if (waiting.empty())
        return -NLE_AGAIN;
    const Arrival arrival = waiting.front();
    waiting.pop_front();
    if (arrival.error)
        return -arrival.error;
    *from = {};
    from->nl_family = AF_NETLINK;
    *bytes = static_cast<unsigned char *>(malloc(arrival.bytes.size()));
    memcpy(*bytes, arrival.bytes.data(), arrival.bytes.size());
    return static_cast<int>(arrival.bytes.size());
}

std::vector<std::byte> message(uint16_t type, uint16_t flags, uint32_t sequence,
                               const std::vector<std::byte> &payload)
{
    const nlmsghdr header{static_cast<uint32_t>(NLMSG_HDRLEN + payload.size()), type, flags,
                          sequence, 0};
    std::vector<std::byte> bytes(NLMSG_HDRLEN);

    memcpy(bytes.data(), &header, sizeof(header));
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    return bytes;
}

/** An answer with an object. Its command identifies it. */
Arrival object(uint32_t sequence, uint8_t command, bool of_dump = false)
{
    return {0, message(family, of_dump ? NLM_F_MULTI : 0, sequence,
                       {std::byte{command}, std::byte{MRC_FAMILY_VERSION}, {}, {}})};
}

/** The end of a request. @param code errno; 0: success */
Arrival end(uint32_t sequence, int code = 0)
{
    std::vector<std::byte> payload(sizeof(nlmsgerr));
    nlmsgerr end{};

    end.error = -code;
    end.msg.nlmsg_len = NLMSG_HDRLEN;
    memcpy(payload.data(), &end, sizeof(end));
    return {0, message(NLMSG_ERROR, NLM_F_CAPPED, sequence, payload)};
}

Arrival end_of_dump(uint32_t sequence)
{
    return {0, message(NLMSG_DONE, NLM_F_MULTI, sequence, std::vector<std::byte>(sizeof(int)))};
}

struct NetlinkChannelTest : testing::Test {
    std::unique_ptr<Channel> channel;
    uint32_t next = 0; ///< sequence number of the next request

    NetlinkChannelTest()
    {
        Socket sock(nl_socket_alloc());
        nl_cb *own = nl_socket_get_cb(sock.get());

        nl_cb_overwrite_send(own, take_request);
        nl_cb_overwrite_recv(own, give_answer);
        nl_cb_put(own);
        nl_socket_set_local_port(sock.get(), 1);
        next = nl_socket_use_seq(sock.get()) + 1;
        channel = make_channel(std::move(sock), family);
        waiting.clear();
        sent.clear();
    }

    Result<std::vector<Reply>> get() { return channel->transact(Request(MRC_CMD_QP_GET)); }
    Result<Dump> list() { return channel->dump(Request(MRC_CMD_QP_GET)); }
};

std::string commands(const std::vector<Reply> &replies)
{
    std::string list;

    for (const Reply &reply : replies)
        list += std::to_string(reply.command) + " ";
    return list;
}

TEST_F(NetlinkChannelTest, AnAnswerIsThatToTheRequest)
{
    waiting = {object(next, 11), end(next)};
    const auto answer = get();

    ASSERT_TRUE(answer);
    EXPECT_EQ(commands(*answer), "11 ");
    EXPECT_EQ(sent, std::vector<uint32_t>{next});
}

TEST_F(NetlinkChannelTest, WhatIsLeftOfAnAnswerIsNotTheNextOne)
{
    for (const int error : {NLE_NOMEM, NLE_AGAIN, NLE_INTR}) {
        waiting = {{error, {}}, object(next, 11), end(next, EPERM)};
        EXPECT_FALSE(get()) << error;
        waiting.push_back(object(next + 1, 22));
        waiting.push_back(end(next + 1));
        const auto answer = get();

        ASSERT_TRUE(answer) << error << ": " << answer.error().message();
        EXPECT_EQ(commands(*answer), "22 ") << error;
        EXPECT_TRUE(waiting.empty());
        next += 2;
    }
}

TEST_F(NetlinkChannelTest, WhatIsLeftOfADumpIsNotTheNextOne)
{
    waiting = {object(next, 11, true), {NLE_NOMEM, {}}, object(next, 12, true), end_of_dump(next)};
    EXPECT_FALSE(list());
    waiting.push_back(object(next + 1, 21, true));
    waiting.push_back(end_of_dump(next + 1));
    const auto answer = list();

    ASSERT_TRUE(answer);
    EXPECT_EQ(commands(answer->replies), "21 ");
}

/** Answers without a request, or to a later request, are ignored. */
TEST_F(NetlinkChannelTest, AStrangersAnswerIsNone)
{
    waiting = {object(0, 1), end(next + 1), object(next, 11), end(next)};
    const auto answer = get();

    ASSERT_TRUE(answer);
    EXPECT_EQ(commands(*answer), "11 ");
}

} // namespace
} // namespace mrcnl::netlink_channel_test
