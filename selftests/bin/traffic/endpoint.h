// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file endpoint.h
 * One end's verbs objects: device, completion queues, queue pairs, memory.
 */
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <infiniband/verbs.h>
#include <nlohmann/json.hpp>

#include "options.h"

namespace traffic
{

template <typename T, int (*destroy)(T *)>
struct VerbsDelete {
    void operator()(T *object) const { destroy(object); }
};
template <typename T, int (*destroy)(T *)>
using VerbsPtr = std::unique_ptr<T, VerbsDelete<T, destroy>>;

/** Registered memory that starts at a page. */
class Memory
{
public:
    Memory(ibv_pd *pd, uint64_t size, int access);
    Memory(Memory &&) = default;
    [[nodiscard]] uint8_t *data() const { return bytes_.get(); }
    [[nodiscard]] uint64_t size() const { return size_; }
    [[nodiscard]] const ibv_mr *mr() const { return mr_.get(); }

private:
    struct Unmap {
        uint64_t size;
        void operator()(uint8_t *p) const;
    };
    uint64_t size_;
    std::unique_ptr<uint8_t, Unmap> bytes_;
    VerbsPtr<ibv_mr, ibv_dereg_mr> mr_;
};

/** Where a QP's peer is. */
struct Remote {
    uint32_t qpn = 0;
    uint32_t psn = 0;
    uint32_t rkey = 0;
    uint64_t address = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Remote, qpn, psn, rkey, address)

class Endpoint
{
public:
    /**
     * Opens the device and makes everything up to QPs in INIT.
     * Throws std::system_error or std::runtime_error.
     * @param target_size bytes of target memory per QP; 0: none
     */
    Endpoint(const Options &options, const Plan &plan, uint64_t target_size);

    /** What the other end must know. */
    [[nodiscard]] nlohmann::json describe() const;
    /** Takes QPs from INIT to RTS with the other end's description. */
    void connect(const nlohmann::json &other);

    ibv_context *context() { return context_.get(); }
    ibv_pd *pd() { return pd_.get(); }
    ibv_comp_channel *comp_channel() { return comp_channel_.get(); }
    ibv_cq *send_cq() { return send_cq_.get(); }
    ibv_cq *recv_cq() { return recv_cq_.get(); }
    ibv_qp *qp(size_t i) { return qps_[i].get(); }
    [[nodiscard]] const Remote &remote(size_t i) const { return remotes_[i]; }
    [[nodiscard]] const Memory &target(size_t i) const { return targets_[i]; }
    /** Receives posted per QP. */
    [[nodiscard]] uint32_t rq_depth() const { return rq_depth_; }

private:
    void open(const std::string &name);
    void choose_gid(const std::string &wanted);
    void make_queues(uint64_t target_size);
    void make_qp();
    [[nodiscard]] int remote_access() const;
    void to_rtr(size_t i, const ibv_gid &gid);
    void to_rts(size_t i);

    const Plan plan_;
    VerbsPtr<ibv_context, ibv_close_device> context_;
    VerbsPtr<ibv_pd, ibv_dealloc_pd> pd_;
    VerbsPtr<ibv_comp_channel, ibv_destroy_comp_channel> comp_channel_;
    VerbsPtr<ibv_cq, ibv_destroy_cq> send_cq_;
    VerbsPtr<ibv_cq, ibv_destroy_cq> recv_cq_;
    std::vector<Memory> targets_;
    std::vector<VerbsPtr<ibv_qp, ibv_destroy_qp>> qps_;
    std::vector<uint32_t> psns_;
    std::vector<Remote> remotes_;
    ibv_gid gid_{};
    uint8_t gid_index_ = 0;
    uint32_t rq_depth_ = 0;
};

} // namespace traffic
