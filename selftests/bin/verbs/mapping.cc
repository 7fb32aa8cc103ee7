// SPDX-License-Identifier: GPL-2.0-only
#include "mapping.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <rdma/ib_user_verbs.h>
#include <string>
#include <unistd.h>

namespace verbs
{

std::vector<Mapping> ring_mappings()
{
    std::ifstream maps("/proc/self/maps");
    std::vector<Mapping> found;

    for (std::string line; std::getline(maps, line);) {
        unsigned long start = 0, end = 0, offset = 0;

        if (line.find("uverbs") == std::string::npos ||
            std::sscanf(line.c_str(), "%lx-%lx %*s %lx", &start, &end, &offset) != 3) {
            continue;
        }
        found.push_back({offset, reinterpret_cast<mrc_ring *>(start), end - start});
    }
    std::sort(found.begin(), found.end(), [](const Mapping &a, const Mapping &b) {
        return a.offset != b.offset ? a.offset < b.offset : a.ring < b.ring;
    });
    return found;
}

int doorbell(ibv_qp *qp)
{
    struct {
        ib_uverbs_cmd_hdr hdr;
        ib_uverbs_post_send send;
    } cmd{};
    ib_uverbs_post_send_resp resp{};

    cmd.hdr = {.command = IB_USER_VERBS_CMD_POST_SEND,
               .in_words = sizeof(cmd) / 4,
               .out_words = sizeof(resp) / 4};
    cmd.send.response = reinterpret_cast<uintptr_t>(&resp);
    cmd.send.qp_handle = qp->handle;
    cmd.send.wqe_size = sizeof(ib_uverbs_send_wr);
    return write(qp->context->cmd_fd, &cmd, sizeof(cmd)) == sizeof(cmd) ? 0 : errno;
}

} // namespace verbs
