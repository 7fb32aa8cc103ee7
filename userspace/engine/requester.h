// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A requester without a kernel around it: the steps of the module (kernel/transport/qp/requester.c
 * and send.c) in their order, for simulations and benchmarks. One thread makes all calls.
 */
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core.h"

namespace engine
{

constexpr u32 evs_version = 1; ///< EVs of a peer are never replaced here

/** What a requester is started with. */
struct RequesterConfig {
    mrc_tx_cfg window{};
    u32 requests = 0;  ///< that its queue has room for, a power of two
    u32 responses = 0; ///< the same of its other queue; 0: it answers no READs
    u32 mtu = 0;
    u16 imm_max = 1;
    u32 psn = 0;
};

/** Starts a requester in @p ring, mrc_req_mem() zeroed bytes, and with a slot per request. */
inline void start(mrc_req &req, const RequesterConfig &c, void *ring, mrc_msg *slots)
{
    req.sendq.slots = slots;
    req.sendq.stride = sizeof(mrc_msg);
    req.sendq.depth = c.requests;
    mrc_sendq_start(&req.sendq, c.mtu, c.imm_max);
    mrc_sendq_start(&req.rspq, c.mtu, c.imm_max);
    mrc_req_start(&req, ring, &c.window, c.psn);
}

/** The memory of a requester. */
struct RequesterMemory {
    std::vector<u64> ring;
    std::vector<mrc_msg> slots;
    std::vector<mrc_msg> responses;
};

inline void start(mrc_req &req, const RequesterConfig &c, RequesterMemory &memory)
{
    memory.ring.assign(DIV_ROUND_UP(mrc_req_mem(c.window.size), sizeof(u64)), 0);
    memory.slots.assign(c.requests, {});
    memory.responses.assign(c.responses, {});
    req.rspq.slots = memory.responses.data();
    req.rspq.stride = sizeof(mrc_msg);
    req.rspq.depth = c.responses;
    start(req, c, memory.ring.data(), memory.slots.data());
}

/**
 * The requester of a QP, which is its place in the window, too. A class derives from
 * Requester<itself> and has
 *
 *     uint64_t now() const;                  // the engine's clock, ns
 *     unsigned burst() const;                // packets that one skb can carry
 *     bool transmit(const mrc_plan &packet, mrc_hdr &hdr, const mrc_chunk &chunk);
 *                                            // false: this host has no room for the packet
 *
 * Each step calls other steps by the derived class. So this class may have a step of its own in the
 * place of one here, and call the one here in it. No function is virtual.
 */
template <class Self>
class Requester : public mrc_shared_place
{
public:
    Requester(mrc_paths &paths, mrc_shared &shared)
        : mrc_shared_place{}, paths_(paths), shared_(shared)
    {
    }
    Requester(const Requester &) = delete;
    Requester &operator=(const Requester &) = delete;

    static Self &of(mrc_shared_place *place) { return *static_cast<Self *>(place); }

protected:
    /** Queues a request. False: there is no room. */
    bool queue(const mrc_msg &request)
    {
        mrc_msg *slot = mrc_sendq_slot(&req_.sendq);

        if (!slot)
            return false;
        *slot = request;
        mrc_sendq_queue(&req_.sendq);
        return true;
    }

    // ---- what goes out

    /** Whether it would send if it had room. */
    [[nodiscard]] bool wants() const { return mrc_req_wants(&req_, self().now()); }

    /** Sends a batch of at most @p max packets. False: it has nothing to send, or no room. */
    bool send(u32 max, mrc_batch &batch)
    {
        if (!plan(max, batch))
            return false;
        deal(batch);
        self().leave(batch);
        return true;
    }

    /** Draws the EVs of a batch. @return how many */
    unsigned draw(const mrc_batch &batch, u16 *ev)
    {
        const unsigned stride =
            mrc_req_stride(&batch, self().burst(), paths_.set.good, paths_.set.bad);

        mrc_paths_draw(&paths_, batch.any, batch.count, self().now(), ev, stride);
        return stride;
    }

    /** Sends EV by EV, because packets of one EV share skbs. */
    void leave(const mrc_batch &batch)
    {
        for (unsigned e = 0; e < batch.stride; e++)
            for (unsigned i = e; i < batch.count; i += batch.stride)
                if (!leave(batch, i))
                    self().take_back(batch.plan[i].psn);
    }

    /** A packet has not left this host, which is no loss. False: this has gone on for too long. */
    bool take_back(u32 psn)
    {
        mrc_tx_result result;
        const bool goes_on = mrc_req_unsent(&req_, psn, self().now(), &result);

        learn_of_window(result);
        return goes_on;
    }

    // ---- answers

    /** Learns from an answer: a SACK, a NACK, an ACK or a NAK. */
    mrc_req_verdict answered(const mrc_hdr &hdr)
    {
        mrc_tx_result result;

        if (hdr.bth.opcode == MRC_OP_SACK)
            return self().sack(hdr, result) ? MRC_REQ_BAD_ANSWER : MRC_REQ_GOES_ON;
        const int err =
            hdr.bth.opcode == MRC_OP_NACK ? self().nack(hdr, result) : self().ack(hdr, result);
        return mrc_req_judge(&hdr, err, &result);
    }

    int sack(const mrc_hdr &hdr, mrc_tx_result &result)
    {
        heed_silence();
        const int err = mrc_req_sack(&req_, &hdr, self().now(), &result);
        if (err)
            return err;
        self().learn(result);
        check_ports();
        return 0;
    }

    int nack(const mrc_hdr &hdr, mrc_tx_result &result)
    {
        const int err = mrc_req_nack(&req_, &hdr, self().now(), &result);

        if (!err || result.lost)
            learn_of_window(result);
        if (!err || result.spurious)
            self().learn_of_evs(result);
        return err;
    }

    int ack(const mrc_hdr &hdr, mrc_tx_result &result)
    {
        u32 psn = 0;
        const int err = mrc_req_ack(&req_, &hdr, self().now(), &psn, &result);

        if (err)
            return err;
        self().learn(result);
        while (mrc_sendq_done(&req_.sendq, psn))
            self().end_request();
        mrc_req_settle(&req_, self().now());
        return 0;
    }

    void end_request() { mrc_sendq_end(&req_.sendq); }

    /** Learns from an answer, or from its absence, about the window and EVs. */
    void learn(mrc_tx_result &result)
    {
        learn_of_window(result);
        self().learn_of_evs(result);
    }

    void learn_of_window(const mrc_tx_result &result)
    {
        mrc_cc_news news;

        mrc_req_cc_news(&req_, &result, self().now(), &news);
        self().heed(news);
        mrc_shared_learn(&shared_, this, &news, self().now());
    }

    /** May change what the window learns. */
    void heed(mrc_cc_news &) {}

    /** @return whether there was any news */
    bool learn_of_evs(mrc_tx_result &result)
    {
        bool any = false;

        for (mrc_news news; mrc_req_news(&req_, &result, self().now(), &news); any = true)
            self().learn_news(news);
        return any;
    }

    void learn_news(const mrc_news &news)
    {
        bool silent = false;

        mrc_paths_learn(&paths_, &news, self().now());
        for (unsigned i = 0; i < news.count; i++)
            mrc_req_heed_state(&req_, &paths_, &news.ev[i], &silent);
    }

    // ---- ports

    /**
     * Looks for a change of ports here or at the peer. What was in flight by ports that have gone
     * is lost. @return whether there is a change
     */
    bool check_ports()
    {
        mrc_tx_result result;

        if (!mrc_req_heed_ports(&req_, &paths_, evs_version, self().now(), &result))
            return false;
        self().lost_ports(result);
        learn_of_window(result);
        mrc_shared_capacity(&shared_, mrc_req_planes(&req_, &paths_));
        return true;
    }

    void lost_ports(const mrc_tx_result &) {}

    // ---- time

    /** When to call expire(), and the window's timer: the engine's ns; 0: never. */
    [[nodiscard]] uint64_t timer_at() const
    {
        const uint64_t silent = mrc_shared_timer_at(&shared_, this);
        const uint64_t at = mrc_req_timer_at(&req_, self().now());

        return at && silent ? std::min(at, silent) : at + silent;
    }

    /** Time has passed. The caller learns from @p result. @p probe: a probe to send, or none */
    mrc_req_due expire(mrc_tx_result &result, mrc_answers &probe)
    {
        heed_silence();
        const mrc_req_due due = mrc_req_timer(&req_, self().now(), &result);
        mrc_answers_init(&probe);
        if (due == MRC_REQ_PROBE)
            mrc_req_put_probe(&req_, &probe);
        return due;
    }

    mrc_paths &paths_;
    mrc_shared &shared_;
    mrc_req req_{};

private:
    Self &self() { return static_cast<Self &>(*this); }
    const Self &self() const { return static_cast<const Self &>(*this); }

    /** Plans a batch that fits into the room that the shared window gives it. */
    bool plan(u32 max, mrc_batch &batch)
    {
        mrc_cc_grant grant;

        mrc_req_sync_evs(&req_, &paths_, evs_version);
        if (!self().wants()) {
            mrc_shared_step_aside(&shared_, this);
            return false;
        }
        if (!mrc_shared_begin(&shared_, this, &grant))
            return false;
        const bool more = mrc_req_plan(&req_, self().now(), max, &grant, &batch);
        mrc_shared_end(&shared_, this, more ? batch.count : 0, more ? batch.bytes : 0,
                       self().wants(), self().now());
        return more;
    }

    void deal(mrc_batch &batch)
    {
        u16 ev[MRC_BATCH_MAX];
        const unsigned stride = self().draw(batch, ev);

        mrc_req_deal(&req_, &batch, ev, stride, self().now());
        if (batch.rtx)
            for (unsigned i = 0; i < batch.count; i++)
                mrc_paths_resent(&paths_, batch.plan[i].was);
    }

    bool leave(const mrc_batch &batch, unsigned i)
    {
        const mrc_plan &packet = batch.plan[i];
        const mrc_sendq *queue = mrc_req_queue_of(&req_, &packet);
        const mrc_msg *request = mrc_sendq_at(queue, packet.msg);
        mrc_chunk chunk;
        mrc_hdr hdr;

        mrc_sendq_chunk(queue, request, packet.psn, &chunk);
        mrc_sendq_header(request, &chunk, packet.psn, &hdr);
        hdr.bth.pkey = MRC_PKEY_DEFAULT;
        hdr.bth.rtx = batch.rtx;
        hdr.bth.ackreq = batch.ask && i == batch.count - 1;
        return self().transmit(packet, hdr, chunk);
    }

    /** What is late on an EV that others have found to be bad is lost with the next SACK. */
    void heed_silence()
    {
        while (mrc_req_next_silent(&req_, &paths_) != MRC_EV_NONE)
            ;
    }
};

} // namespace engine
