// SPDX-License-Identifier: GPL-2.0-only
#include "endpoint.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <random>
#include <stdexcept>
#include <sys/mman.h>
#include <system_error>

namespace traffic
{

namespace
{

constexpr uint8_t verbs_port = 1;
constexpr uint32_t rq_depth_max = 1024;

[[noreturn]] void fail(int error, const std::string &what)
{
    throw std::system_error(error, std::generic_category(), what);
}

/** Results of calls that return NULL or -1 and set errno. */
template <typename T>
T *must(T *object, const char *what)
{
    if (!object) {
        fail(errno, what);
    }
    return object;
}

bool same_gid(const ibv_gid &a, const ibv_gid &b)
{
    return std::memcmp(a.raw, b.raw, sizeof(a.raw)) == 0;
}

bool is_global_ipv6(const ibv_gid &gid)
{
    static constexpr std::array<uint8_t, 12> mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    const bool link_local = gid.raw[0] == 0xfe && (gid.raw[1] & 0xc0) == 0x80;

    return !link_local && std::memcmp(gid.raw, mapped.data(), mapped.size()) != 0;
}

std::string to_text(const ibv_gid &gid)
{
    std::array<char, INET6_ADDRSTRLEN> text{};

    return inet_ntop(AF_INET6, gid.raw, text.data(), text.size());
}

ibv_gid from_text(const std::string &text)
{
    ibv_gid gid{};

    if (inet_pton(AF_INET6, text.c_str(), gid.raw) != 1) {
        throw std::runtime_error("not a GID: " + text);
    }
    return gid;
}

std::vector<ibv_gid_entry> gid_table(ibv_context *context)
{
    ibv_port_attr port{};

    if (const int error = ibv_query_port(context, verbs_port, &port)) {
        fail(error, "ibv_query_port");
    }
    std::vector<ibv_gid_entry> entries(static_cast<size_t>(port.gid_tbl_len));
    const ssize_t n = ibv_query_gid_table(context, entries.data(), entries.size(), 0);
    if (n < 0) {
        fail(static_cast<int>(-n), "ibv_query_gid_table");
    }
    entries.resize(static_cast<size_t>(n));
    return entries;
}

bool matches(const ibv_gid_entry &entry, const std::string &wanted)
{
    if (entry.gid_type != IBV_GID_TYPE_ROCE_V2) {
        return false;
    }
    if (wanted == "auto") {
        return is_global_ipv6(entry.gid);
    }
    if (wanted.find(':') != std::string::npos) {
        return same_gid(entry.gid, from_text(wanted));
    }
    return std::to_string(entry.gid_index) == wanted;
}

ibv_mtu verbs_mtu(uint32_t bytes)
{
    return static_cast<ibv_mtu>(std::bit_width(bytes) - std::bit_width(256u) + 1);
}

uint32_t random_psn()
{
    std::random_device device;

    return device() & 0xffffff;
}

} // namespace

void Memory::Unmap::operator()(uint8_t *p) const
{
    munmap(p, size);
}

Memory::Memory(ibv_pd *pd, uint64_t size, int access) : size_(size)
{
    void *p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED) {
        fail(errno, "mmap");
    }
    bytes_ = std::unique_ptr<uint8_t, Unmap>(static_cast<uint8_t *>(p), Unmap{size});
    mr_.reset(must(ibv_reg_mr(pd, p, size, access), "ibv_reg_mr"));
}

Endpoint::Endpoint(const Options &options, const Plan &plan, uint64_t target_size) : plan_(plan)
{
    open(options.device);
    choose_gid(options.gid);
    make_queues(target_size);
    for (uint32_t i = 0; i < plan_.qps; i++) {
        make_qp();
    }
}

void Endpoint::open(const std::string &name)
{
    int count = 0;
    ibv_device **list = must(ibv_get_device_list(&count), "ibv_get_device_list");
    ibv_device **end = list + count;
    ibv_device **found =
        std::find_if(list, end, [&](ibv_device *d) { return name == ibv_get_device_name(d); });

    if (found != end) {
        context_.reset(ibv_open_device(*found));
    }
    const int error = found != end ? errno : ENODEV;
    ibv_free_device_list(list);
    if (!context_) {
        fail(error, name);
    }
}

void Endpoint::choose_gid(const std::string &wanted)
{
    const auto entries = gid_table(context());
    const auto found =
        std::find_if(entries.begin(), entries.end(),
                     [&](const ibv_gid_entry &entry) { return matches(entry, wanted); });

    if (found == entries.end()) {
        throw std::runtime_error("no RoCEv2 GID " + wanted);
    }
    gid_ = found->gid;
    gid_index_ = static_cast<uint8_t>(found->gid_index);
}

void Endpoint::make_queues(uint64_t target_size)
{
    const auto sends = static_cast<int>(plan_.qps * plan_.depth);

    rq_depth_ = std::clamp(completions_max / plan_.qps, 1u, rq_depth_max);
    pd_.reset(must(ibv_alloc_pd(context()), "ibv_alloc_pd"));
    comp_channel_.reset(must(ibv_create_comp_channel(context()), "ibv_create_comp_channel"));
    send_cq_.reset(must(ibv_create_cq(context(), sends, nullptr, comp_channel(), 0), "send CQ"));
    recv_cq_.reset(must(ibv_create_cq(context(), static_cast<int>(rq_depth_ * plan_.qps), nullptr,
                                      comp_channel(), 0),
                        "receive CQ"));
    for (uint32_t i = 0; i < plan_.qps && target_size; i++) {
        targets_.emplace_back(pd(), target_size, IBV_ACCESS_LOCAL_WRITE | remote_access());
    }
}

int Endpoint::remote_access() const
{
    return IBV_ACCESS_REMOTE_WRITE |
           (plan_.reads_every ? IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC : 0);
}

void Endpoint::make_qp()
{
    ibv_qp_init_attr init{};

    init.send_cq = send_cq();
    init.recv_cq = recv_cq();
    init.cap.max_send_wr = plan_.depth;
    init.cap.max_recv_wr = rq_depth_;
    init.cap.max_send_sge = plan_.sges;
    init.cap.max_recv_sge = 1;
    init.cap.max_inline_data = plan_.inline_max;
    init.qp_type = IBV_QPT_RC;
    qps_.emplace_back(must(ibv_create_qp(pd(), &init), "ibv_create_qp"));
    psns_.push_back(plan_.psn >= 0 ? static_cast<uint32_t>(plan_.psn) : random_psn());

    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_INIT;
    attr.port_num = verbs_port;
    attr.qp_access_flags = static_cast<unsigned int>(remote_access());
    if (const int error =
            ibv_modify_qp(qps_.back().get(), &attr,
                          IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)) {
        fail(error, "QP to INIT");
    }
}

nlohmann::json Endpoint::describe() const
{
    nlohmann::json qps = nlohmann::json::array();

    for (size_t i = 0; i < qps_.size(); i++) {
        Remote r;
        r.qpn = qps_[i]->qp_num;
        r.psn = psns_[i];
        if (!targets_.empty()) {
            r.rkey = targets_[i].mr()->rkey;
            r.address = reinterpret_cast<uintptr_t>(targets_[i].data());
        }
        qps.push_back(r);
    }
    return {{"gid", to_text(gid_)}, {"rq_depth", rq_depth_}, {"qps", qps}};
}

void Endpoint::connect(const nlohmann::json &other)
{
    const ibv_gid gid = from_text(other.at("gid"));

    remotes_ = other.at("qps").get<std::vector<Remote>>();
    if (remotes_.size() != qps_.size()) {
        throw std::runtime_error("the other end has another number of QPs");
    }
    for (size_t i = 0; i < qps_.size(); i++) {
        to_rtr(i, gid);
        to_rts(i);
    }
}

void Endpoint::to_rtr(size_t i, const ibv_gid &gid)
{
    ibv_qp_attr attr{};

    attr.qp_state = IBV_QPS_RTR;
    attr.path_mtu = verbs_mtu(plan_.mtu);
    attr.dest_qp_num = remotes_[i].qpn;
    attr.rq_psn = remotes_[i].psn;
    attr.max_dest_rd_atomic = plan_.reads_every ? 16 : 0;
    attr.min_rnr_timer = 12;
    attr.ah_attr.is_global = 1;
    attr.ah_attr.port_num = verbs_port;
    attr.ah_attr.grh.dgid = gid;
    attr.ah_attr.grh.sgid_index = gid_index_;
    attr.ah_attr.grh.hop_limit = 64;
    if (const int error =
            ibv_modify_qp(qp(i), &attr,
                          IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                              IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)) {
        fail(error, "QP to RTR");
    }
}

void Endpoint::to_rts(size_t i)
{
    ibv_qp_attr attr{};

    attr.qp_state = IBV_QPS_RTS;
    attr.timeout = plan_.timeout;
    attr.retry_cnt = plan_.retry_cnt;
    attr.rnr_retry = 7;
    attr.max_rd_atomic = plan_.reads_every ? 16 : 0;
    attr.sq_psn = psns_[i];
    if (const int error =
            ibv_modify_qp(qp(i), &attr,
                          IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                              IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC)) {
        fail(error, "QP to RTS");
    }
}

} // namespace traffic
