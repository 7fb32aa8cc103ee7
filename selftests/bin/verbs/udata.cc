// SPDX-License-Identifier: GPL-2.0-only
//
// Libraries that are older or newer than the module: what they send beside the core's commands, and
// the room that they have for the answers.
//

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <rdma/ib_user_verbs.h>
#include <rdma/mrc-abi.h>
#include <unistd.h>
#include <vector>

#include "fixture.h"

namespace verbs
{
namespace
{

constexpr uint8_t untouched = 0xa5;
/* Size of an answer when it had no comp_mask. */
constexpr size_t old_room = offsetof(mrc_create_cq_resp, comp_mask);

struct Answer {
    ib_uverbs_create_cq_resp core;
    mrc_create_cq_resp mrc;
};

class Udata : public Pair
{
protected:
    /**
     * Makes a CQ, as a library would, and destroys it.
     *
     * @param more bytes behind the command
     * @param room for the module's answer, behind the core's part
     * @return 0 or errno
     */
    int try_cq(const std::vector<uint8_t> &more, size_t room)
    {
        struct {
            ib_uverbs_cmd_hdr hdr;
            ib_uverbs_create_cq create;
        } cmd{};
        std::vector<uint8_t> bytes(sizeof(cmd) + more.size());

        std::memset(&answer, untouched, sizeof(answer));
        cmd.hdr = {.command = IB_USER_VERBS_CMD_CREATE_CQ,
                   .in_words = static_cast<uint16_t>(bytes.size() / 4),
                   .out_words = static_cast<uint16_t>((sizeof(answer.core) + room) / 4)};
        cmd.create.response = reinterpret_cast<uintptr_t>(&answer);
        cmd.create.cqe = 16;
        cmd.create.comp_channel = -1;
        std::memcpy(bytes.data(), &cmd, sizeof(cmd));
        std::copy(more.begin(), more.end(), bytes.begin() + sizeof(cmd));
        if (!send(bytes.data(), bytes.size())) {
            return errno;
        }
        destroy_cq(answer.core.cq_handle);
        return 0;
    }

    /** Takes the QP to INIT, with two words behind the command. @return 0 or errno */
    int try_init(uint64_t first, uint64_t second)
    {
        struct {
            ib_uverbs_cmd_hdr hdr;
            ib_uverbs_ex_cmd_hdr ex;
            ib_uverbs_ex_modify_qp modify;
            uint64_t more[2];
        } cmd{};

        cmd.hdr = {.command = IB_USER_VERBS_EX_CMD_MODIFY_QP | IB_USER_VERBS_CMD_FLAG_EXTENDED,
                   .in_words = sizeof(cmd.modify) / 8,
                   .out_words = 0};
        cmd.ex.provider_in_words = sizeof(cmd.more) / 8;
        cmd.modify.base.qp_handle = a->qp->handle;
        cmd.modify.base.attr_mask =
            IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
        cmd.modify.base.qp_state = IBV_QPS_INIT;
        cmd.modify.base.port_num = 1;
        cmd.more[0] = first;
        cmd.more[1] = second;
        return send(&cmd, sizeof(cmd)) ? 0 : errno;
    }

    Answer answer{};

private:
    bool send(const void *data, size_t size)
    {
        return write(a->context->cmd_fd, data, size) == static_cast<ssize_t>(size);
    }

    void destroy_cq(uint32_t handle)
    {
        struct {
            ib_uverbs_cmd_hdr hdr;
            ib_uverbs_destroy_cq destroy;
        } cmd{};
        ib_uverbs_destroy_cq_resp resp{};

        cmd.hdr = {.command = IB_USER_VERBS_CMD_DESTROY_CQ,
                   .in_words = sizeof(cmd) / 4,
                   .out_words = sizeof(resp) / 4};
        cmd.destroy.response = reinterpret_cast<uintptr_t>(&resp);
        cmd.destroy.cq_handle = handle;
        ASSERT_TRUE(send(&cmd, sizeof(cmd))) << std::strerror(errno);
    }
};

TEST_F(Udata, WhatIsNotKnownIsRefused)
{
    make();
    std::vector<uint8_t> more(16);
    EXPECT_EQ(try_cq(more, sizeof(answer.mrc)), 0) << "zeros ask for nothing";
    for (uint8_t &byte : more) {
        byte = 1;
        EXPECT_EQ(try_cq(more, sizeof(answer.mrc)), EOPNOTSUPP) << &byte - more.data();
        byte = 0;
    }
}

TEST_F(Udata, NorIsItInAChangeOfState)
{
    make();
    EXPECT_EQ(try_init(1, 0), EOPNOTSUPP);
    EXPECT_EQ(try_init(0, 1ull << 63), EOPNOTSUPP);
    EXPECT_EQ(a->state(), IBV_QPS_RESET) << "nothing is done";
    EXPECT_EQ(try_init(0, 0), 0);
    EXPECT_EQ(a->state(), IBV_QPS_INIT);
}

TEST_F(Udata, AnswersAreAsLongAsTheRoomThatThereIs)
{
    make();
    EXPECT_EQ(try_cq({}, sizeof(answer.mrc)), 0);
    EXPECT_EQ(answer.mrc.comp_mask, 0u);
    EXPECT_EQ(answer.mrc.reserved, 0u);
    EXPECT_EQ(try_cq({}, old_room), 0) << "an older library's";
    EXPECT_EQ(answer.mrc.cq.entry_size, sizeof(mrc_cqe));
    EXPECT_EQ(answer.mrc.comp_mask, untouched * 0x01010101u);
    EXPECT_EQ(try_cq({}, old_room - 4), EINVAL);
    EXPECT_EQ(try_cq({}, 0), EINVAL);
}

} // namespace
} // namespace verbs
