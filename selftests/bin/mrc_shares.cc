// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file mrc_shares.cc
 * Takes what a user may have of a device: as many objects of each kind as the device gives, at most
 * twelve. Prints a line of JSON: how many it got, and the name of the errno that ended it. Holds
 * them until standard input ends.
 *
 *   mrc_shares DEVICE REMOTE
 *   REMOTE is an IPv6 address; the peers are it and the addresses that follow, whoever has them.
 */
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "verbs/fixture.h"

namespace
{

using nlohmann::json;

constexpr size_t most = 12;

/**
 * Calls until it gets an errno. @return the number of successful calls, and the name of that errno
 */
json take(const std::function<int()> &one)
{
    size_t n = 0;
    int error = 0;

    while (n < most && !(error = one())) {
        n++;
    }
    return {n, error ? strerrorname_np(error) : ""};
}

/** Puts an object where it is held. @return 0 or errno */
template <typename Handle>
int keep(std::vector<Handle> &held, typename Handle::pointer object)
{
    if (!object) {
        return errno;
    }
    held.emplace_back(object);
    return 0;
}

class Shares
{
public:
    Shares(const std::string &device, const std::string &remote)
        : context_(verbs::open_device(device))
    {
        if (inet_pton(AF_INET6, remote.c_str(), remote_.raw) != 1) {
            throw std::invalid_argument("no IPv6 address: " + remote);
        }
        gid_index_ = verbs::find_gid(context_.get(), 256, "", &local_);
    }

    json take_all()
    {
        json taken;

        taken["pds"] = take([this] { return keep(pds_, ibv_alloc_pd(context_.get())); });
        taken["cqs"] = take(
            [this] { return keep(cqs_, ibv_create_cq(context_.get(), 1, nullptr, nullptr, 0)); });
        if (pds_.empty() || cqs_.empty()) {
            return taken;
        }
        taken["mrs"] = take([this] {
            return keep(mrs_, ibv_reg_mr(pds_[0].get(), memory_.data(), memory_.size(), 0));
        });
        taken["qps"] = take([this] { return add_qp(); });
        taken["peers"] = take([this] { return connect_next(); });
        taken["ahs"] = take([this] { return add_ah(); });
        return taken;
    }

private:
    int add_qp()
    {
        ibv_qp_init_attr init{};

        init.qp_type = IBV_QPT_RC;
        init.send_cq = cqs_[0].get();
        init.recv_cq = cqs_[0].get();
        return keep(qps_, ibv_create_qp(pds_[0].get(), &init));
    }

    /** To the first peer. */
    int add_ah()
    {
        ibv_ah_attr attr = address(0);

        return keep(ahs_, ibv_create_ah(pds_[0].get(), &attr));
    }

    /** @param peer how many addresses after the first one */
    [[nodiscard]] ibv_ah_attr address(size_t peer) const
    {
        ibv_ah_attr attr{};

        attr.is_global = 1;
        attr.port_num = 1;
        attr.grh.dgid = remote_;
        attr.grh.dgid.raw[15] += static_cast<uint8_t>(peer);
        attr.grh.sgid_index = static_cast<uint8_t>(gid_index_);
        attr.grh.hop_limit = 64;
        return attr;
    }

    /** Makes the next QP, to the next address. */
    int connect_next()
    {
        if (connected_ == qps_.size()) {
            return ENOENT;
        }
        ibv_qp *qp = qps_[connected_].get();
        ibv_qp_attr attr{};

        attr.qp_state = IBV_QPS_INIT;
        attr.port_num = 1;
        if (const int error = ibv_modify_qp(
                qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)) {
            return error;
        }
        const int error = to_rtr(qp);
        connected_ += !error;
        return error;
    }

    int to_rtr(ibv_qp *qp) const
    {
        ibv_qp_attr attr{};

        attr.qp_state = IBV_QPS_RTR;
        attr.path_mtu = IBV_MTU_1024;
        attr.dest_qp_num = 2;
        attr.ah_attr = address(connected_);
        return ibv_modify_qp(qp, &attr,
                             IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                 IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
    }

    verbs::Context context_;
    ibv_gid local_{};
    ibv_gid remote_{};
    int gid_index_ = 0;
    std::vector<uint8_t> memory_ = std::vector<uint8_t>(4096);
    std::vector<verbs::Pd> pds_;
    std::vector<verbs::Cq> cqs_;
    std::vector<verbs::Mr> mrs_;
    std::vector<verbs::Qp> qps_;
    std::vector<verbs::Ah> ahs_;
    size_t connected_ = 0;
};

} // namespace

int main(int argc, char **argv)
{
    if (argc != 3) {
        std::cerr << "usage: mrc_shares DEVICE REMOTE\n";
        return 2;
    }
    try {
        Shares shares(argv[1], argv[2]);

        std::cout << shares.take_all() << std::endl;
        while (std::cin.get() != std::char_traits<char>::eof()) {
        }
    } catch (const std::exception &error) {
        std::cerr << "mrc_shares: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
