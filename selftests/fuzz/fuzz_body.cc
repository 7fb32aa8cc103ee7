// SPDX-License-Identifier: GPL-2.0-only
#include "fuzz_body.h"

#include "engine/core.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

namespace
{

constexpr std::uint32_t kStart = 0xffffd0; // the PSN wraps soon
constexpr std::uint32_t kSize = 256;
constexpr std::uint32_t kImmMax = 4;
constexpr std::uint32_t kMtu = 1024;
constexpr u16 kEvs = 8;
constexpr u16 kPerPlane = 4;

void require(bool ok)
{
    if (!ok)
        std::abort();
}

class Input
{
public:
    Input(const std::uint8_t *data, std::size_t size) : p(data), left(size) {}

    bool empty() const { return !left; }

    std::uint8_t byte()
    {
        if (!left)
            return 0;
        --left;
        return *p++;
    }

    std::vector<std::uint8_t> bytes(std::size_t n)
    {
        n = std::min(n, left);
        std::vector<std::uint8_t> out(p, p + n);
        p += n;
        left -= n;
        return out;
    }

private:
    const std::uint8_t *p;
    std::size_t left;
};

/// One QP, requester and responder, that receives arbitrary packets.
class Endpoint
{
public:
    Endpoint()
        : ring(mrc_tx_window_mem(kSize) / sizeof(u64) + 1),
          mem(mrc_rx_window_mem(kSize, kImmMax) / sizeof(long) + 1), evs(kEvs)
    {
        const mrc_tx_cfg cfg = {.size = kSize,
                                .retries = {.timeout_ns = 1 << 20, .linear = 1, .exp = 2}};
        mrc_tx_window_init(&tx, ring.data(), &cfg, kStart);
        mrc_rx_window_init(&rx, mem.data(), kSize, kImmMax, kStart);
        for (u16 i = 0; i < kEvs; ++i)
            evs[i].port = static_cast<u8>(1 + i / kPerPlane);
        require(mrc_ev_set_init(&set, evs.data(), kEvs, 1, kEvs / 2, 1) == 0);
    }

    void packet(const std::vector<std::uint8_t> &bytes, bool ce)
    {
        // a buffer of exactly this size, so that the sanitizer sees reads beyond
        std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[bytes.size()]);
        std::copy(bytes.begin(), bytes.end(), exact.get());
        mrc_hdr hdr{};
        if (mrc_hdr_decode(exact.get(), bytes.size(), &hdr) != MRC_DECODE_OK)
            return;
        require(hdr.len <= bytes.size() && hdr.len <= MRC_HDR_MAX);
        reencode(hdr);
        if (mrc_opcode_flags(hdr.bth.opcode) & MRC_OPF_REQUEST)
            write(hdr, static_cast<std::uint32_t>(bytes.size() - hdr.len), ce);
        else
            control(hdr, ce);
        invariants();
    }

    void local(std::uint8_t what, std::uint8_t arg)
    {
        now += static_cast<std::uint64_t>(arg) << (what >> 4);
        switch (what & 15) {
        case 0:
        case 1:
            send(arg);
            break;
        case 2:
            resend();
            break;
        case 3:
            mrc_tx_timeout(&tx, now, &res);
            blame();
            break;
        case 4:
            loseEvs(arg);
            break;
        case 5:
            sacks();
            break;
        case 6:
            finishPlacing(arg);
            break;
        case 7:
            mrc_ev_deny(&set, arg % kEvs, arg & 0x80, now);
            break;
        case 8:
            probeTail(arg);
            break;
        case 9:
            probeEv();
            break;
        case 10:
            probeAnswered(arg);
            break;
        case 11:
            mrc_ev_probe_lost(&set, arg, 0, now);
            break;
        case 12:
            mrc_ev_ports(&set, ~0u << (arg & 3), ~0u >> (arg >> 4), 0);
            break;
        case 13:
            forgetEvs(arg);
            break;
        case 14:
            mrc_ev_marked(&set, arg, now);
            break;
        case 15:
            silence(arg);
            break;
        }
        invariants();
    }

private:
    std::uint64_t now = 1ull << 39;
    mrc_tx_window tx;
    mrc_rx_window rx;
    mrc_ev_set set;
    mrc_tx_result res;
    std::vector<u64> ring;
    std::vector<unsigned long> mem;
    std::vector<mrc_ev_entry> evs;
    std::vector<mrc_write> heads; ///< of what is being placed
    mrc_fetches fetches{};
    mrc_reads reads{};
    std::vector<mrc_rx_arrival> placing;
    std::uint32_t done = 0;

    /// A packet that was decoded, encoded and decoded again is the same.
    void reencode(const mrc_hdr &hdr)
    {
        std::uint8_t first[MRC_HDR_MAX], second[MRC_HDR_MAX];
        require(mrc_hdr_encode(first, &hdr) == hdr.len);
        mrc_hdr again{};
        require(mrc_hdr_decode(first, hdr.len, &again) == MRC_DECODE_OK);
        require(mrc_hdr_encode(second, &again) == hdr.len);
        require(std::memcmp(first, second, hdr.len) == 0);
    }

    void write(const mrc_hdr &hdr, std::uint32_t payload, bool ce)
    {
        mrc_rx_arrival a{};
        a.psn = hdr.bth.psn;
        a.payload = payload;
        a.opflags = mrc_opcode_flags(hdr.bth.opcode);
        a.imm = hdr.write.imm;
        a.dmalen = hdr.write.dmalen;
        a.ackreq = hdr.bth.ackreq;
        a.rtx = hdr.bth.rtx;
        a.ce = ce;
        switch (mrc_rx_claim(&rx, a.psn)) {
        case MRC_RX_NEW:
            a.offset = static_cast<u32>(hdr.write.va);
            a.opcode = hdr.bth.opcode;
            placing.push_back(a);
            heads.push_back(hdr.write);
            break;
        case MRC_RX_DUP:
            require(mrc_rx_sack_due(&rx));
            mrc_rx_note_dup(&rx, &a);
            break;
        case MRC_RX_OOR:
            break;
        }
    }

    void finishPlacing(std::uint8_t arg)
    {
        if (placing.empty())
            return;
        std::swap(placing[arg % placing.size()], placing.back());
        std::swap(heads[arg % heads.size()], heads.back());
        mrc_rx_arrival a = placing.back();
        const mrc_write head = heads.back();
        a.head = &head;
        placing.pop_back();
        heads.pop_back();
        if (arg > 250)
            mrc_rx_unclaim(&rx, a.psn);
        else if (!mrc_rx_commit(&rx, &a))
            fetch(a);
        mrc_rx_done d;
        while (arg < 200 && mrc_rx_next_done(&rx, &d)) {
            require(d.msn == (++done & 0xffffff));
            require(mrc_psn_diff(d.psn, rx.cack) <= 0);
            finish(d);
        }
    }

    /// A READ or atomic of the peer, or a packet of the response to one of this end.
    void fetch(const mrc_rx_arrival &a)
    {
        if (a.opflags & MRC_OPF_FETCH)
            require(!mrc_fetches_add(&fetches, a.psn, a.opcode, a.head) ||
                    fetches.count == MRC_READS_MAX);
        if (!(a.opflags & MRC_OPF_RESPONSE))
            return;
        if (reads.count + reads.arrivals < MRC_READS_MAX && (a.psn & 1)) {
            const mrc_read read = {.index = a.psn,
                                   .len = a.dmalen,
                                   .msn = static_cast<u16>(a.head->rdeth),
                                   .atomic = (a.opflags & MRC_OPF_ATOMIC) != 0};
            mrc_reads_add(&reads, &read, kMtu);
        }
        const mrc_read *read = mrc_reads_find(&reads, &a, kMtu);
        require(!read || (read->used && read->begun && read->len == a.dmalen));
        const u32 waiting = reads.count;
        if (read)
            require(mrc_reads_placed(&reads, &a) == (reads.count == waiting - 1));
    }

    /// A message is complete: a READ is executed, or has its response.
    void finish(const mrc_rx_done &d)
    {
        u32 index;
        if (mrc_fetch *f = mrc_fetches_due(&fetches, d.psn)) {
            f->region = &fetches;
            mrc_fetches_executed(&fetches);
        }
        if (d.psn % 3 == 0 && mrc_fetches_oldest(&fetches)) {
            require(mrc_fetches_oldest(&fetches)->region);
            mrc_fetches_pop(&fetches);
        }
        while (d.psn % 2 && mrc_reads_take(&reads, &index))
            ;
        require(reads.count + reads.arrivals <= MRC_READS_MAX);
        require(fetches.executed <= fetches.count && fetches.count <= MRC_READS_MAX);
    }

    void sacks()
    {
        mrc_sack s;
        bool rtx;
        for (int i = 0; mrc_rx_sack_next(&rx, &s, &rtx); ++i) {
            require(i < static_cast<int>(kSize / 64 + 2));
            requireArrived(s);
        }
        require(!mrc_rx_sack_due(&rx));
        for (int i = 0; i < 4 && mrc_rx_sack_again(&rx, &s, &rtx); ++i)
            requireArrived(s);
    }

    /// The answer reports the window, and nothing beyond what has arrived.
    void requireArrived(const mrc_sack &s) const
    {
        require(s.cack_psn == rx.cack && s.sack_offset >= 1);
        require(!s.bitmap ||
                mrc_psn_diff(rx.max, s.cack_psn) >= s.sack_offset + fls64(s.bitmap) - 1);
    }

    void control(const mrc_hdr &hdr, bool ce)
    {
        const mrc_tx_window before = tx;
        int err = 0;
        if (hdr.bth.opcode == MRC_OP_SACK)
            err = mrc_tx_sack(&tx, &hdr.sack, hdr.bth.rtx, now, &res);
        else if (hdr.bth.opcode == MRC_OP_NACK)
            err = mrc_tx_nack(&tx, hdr.nack.psn,
                              mrc_nack_is_trim(hdr.nack.reason) ? MRC_TX_TRIMMED : MRC_TX_NO_ROOM,
                              now, &res);
        else if (hdr.bth.opcode == MRC_OP_ACK)
            err = mrc_tx_ack(&tx, hdr.bth.psn, now, &res);
        else if (hdr.bth.opcode == MRC_OP_PROBE)
            return probe(hdr, ce);
        else
            return;
        // A refused packet changes nothing, except that it may have cleared an EV.
        if (err && !res.spurious)
            require(std::memcmp(&before, &tx, sizeof(tx)) == 0);
        else
            blame();
    }

    void probe(const mrc_hdr &hdr, bool ce)
    {
        mrc_sack s;
        for (unsigned part = 0; mrc_rx_sack_probe(&rx, &hdr.probe, hdr.bth.qpn, ce, part, &s);
             ++part) {
            require(part <= kSize / 64);
            require(s.probe && s.cack_psn == rx.cack);
            requireArrived(s);
        }
    }

    u16 pick()
    {
        const u16 ev = mrc_ev_pick(&set, now);
        require(ev == MRC_EV_NONE ||
                (ev < kEvs && up(ev) && evs[ev].state != MRC_EV_DENIED &&
                 (mrc_ev_searching(&set) || ((evs[ev].state != MRC_EV_ASSUMED_BAD || !set.good) &&
                                             !mrc_ev_is_spare(&set, ev)))));
        return ev;
    }

    void send(std::uint8_t n)
    {
        for (n %= 32; n && mrc_tx_room(&tx); --n)
            mrc_tx_send(&tx, 64U << n % 8, pick(), now);
    }

    void resend()
    {
        std::uint32_t psn;
        if (mrc_tx_next_lost(&tx, &psn))
            mrc_tx_resend(&tx, psn, pick(), now);
        else
            require(!tx.lost);
    }

    void loseEvs(std::uint8_t mask)
    {
        const mrc_tx_gone gone{
            .here = {mask & 0x55UL}, .there = {mask & 0xaaUL}, .unsent = (mask & 0x80) != 0};
        const u32 was = tx.inflight;
        mrc_tx_lose_evs(&tx, &gone, &res);
        const u64 next = mrc_tx_lose_gone(&tx, now, &res);
        require(was == tx.inflight + res.lost);
        require(!next || (tx.inflight && next > now));
    }

    void silence(std::uint8_t mask)
    {
        for (u16 ev = 0; ev < 8; ++ev)
            if (mask >> ev & 1)
                mrc_ev_silent(&set, ev, now - mask, now);
    }

    void probeTail(std::uint8_t arg)
    {
        const u64 at = mrc_tx_probe_at(&tx, now);
        require(at == 0 || (at >= now && tx.inflight));
        if (arg & 1 || at)
            mrc_tx_probe(&tx, now);
    }

    void probeEv()
    {
        const u64 at = mrc_ev_probe_at(&set);
        const u16 ev = mrc_ev_probe_next(&set, now);
        if (ev == MRC_EV_NONE)
            return;
        require(at <= now && up(ev));
        require(evs[ev].state == MRC_EV_ASSUMED_BAD || evs[ev].state == MRC_EV_HELD ||
                evs[ev].doubted);
        require(evs[ev].probe_at > now &&
                evs[ev].probe_at <= now + mrc_timing_software.ev_probe_max);
    }

    void probeAnswered(std::uint8_t arg)
    {
        const u16 ev = arg & 15;
        const int before = ev < kEvs ? evs[ev].state : 0;
        if (mrc_ev_probed(&set, ev, now, now))
            require((before == MRC_EV_ASSUMED_BAD || before == MRC_EV_HELD) &&
                    evs[ev].changed_at == now);
    }

    void forgetEvs(std::uint8_t arg)
    {
        if (arg < 16)
            mrc_tx_forget_evs(&tx);
    }

    bool up(u16 ev) const { return (set.local_mask & set.remote_mask) >> (evs[ev].port - 1) & 1; }

    u32 learn(const mrc_news_ev &e)
    {
        const bool acked = e.what & MRC_NEWS_ACKED;

        require(e.ev < kEvs && e.what);
        require(!acked || e.heard_ns <= now);
        if (e.what & MRC_NEWS_CLEARED)
            mrc_ev_cleared(&set, e.ev, now);
        if (e.what & MRC_NEWS_LOST)
            mrc_ev_lost(&set, e.ev, MRC_EV_WHY_LOSS, now);
        return acked ? e.acked : 0;
    }

    void blame()
    {
        require(res.ev == MRC_EV_NONE || res.ev < kEvs);
        u32 acked = 0;
        for (mrc_news news; mrc_tx_take_news(&tx, now, &news), news.count;)
            for (unsigned i = 0; i < news.count; ++i)
                acked += learn(news.ev[i]);
        require(acked <= res.acked);
        if (res.ev != MRC_EV_NONE)
            mrc_ev_marked(&set, res.ev, now);
    }

    void invariants()
    {
        const auto used = static_cast<std::uint32_t>(mrc_psn_diff(tx.nxt, tx.una));
        require(used <= kSize && tx.inflight + tx.lost <= used);
        require(mrc_psn_diff(tx.high, tx.una) >= 0 && mrc_psn_diff(tx.high, tx.nxt) <= 0);
        require(mrc_tx_deadline(&tx, now) == 0 || mrc_tx_deadline(&tx, now) >= now);
        require(rx.ooo <= kSize && rx.takers_used <= kImmMax);
        require(mrc_psn_diff(rx.cack, rx.done_psn) >= 0);
        require(tx.probe_rounds <= MRC_TX_PROBE_ROUNDS);
        checkCounts();
    }

    void checkCounts() const
    {
        u16 good = 0;
        u16 bad = 0;
        u16 asked = 0;
        for (u16 ev = 0; ev < kEvs; ++ev) {
            good += up(ev) && mrc_ev_is_usable(&evs[ev]);
            bad += up(ev) && evs[ev].state == MRC_EV_ASSUMED_BAD;
            asked += up(ev) && (evs[ev].state == MRC_EV_HELD || evs[ev].doubted);
            require(!evs[ev].doubted || evs[ev].state == MRC_EV_GOOD);
        }
        require(set.good == good && set.bad == bad && set.asked == asked);
        require(bad || asked || mrc_ev_probe_at(&set) == U64_MAX);
        for (u16 i = 0; i < set.nplanes; ++i)
            checkRotation(set.planes[i]);
    }

    /// The window is as large as it can be.
    void checkRotation(const mrc_ev_plane &p) const
    {
        u16 spares = 0;
        for (u16 ev = p.first; ev < p.first + p.count; ++ev) {
            require(evs[p.first + evs[ev].slot].in_slot == ev - p.first);
            require(!mrc_ev_is_spare(&set, ev) || evs[ev].state == MRC_EV_GOOD ||
                    evs[ev].state == MRC_EV_HELD);
            spares += mrc_ev_is_spare(&set, ev);
        }
        require(p.good - spares == std::min(p.quota, p.good));
    }
};

} // namespace

void fuzzCore(const std::uint8_t *data, std::size_t size)
{
    Input in(data, size);
    Endpoint end;
    while (!in.empty()) {
        const std::uint8_t op = in.byte();
        const std::uint8_t arg = in.byte();
        if (op & 0x80)
            end.packet(in.bytes(op & 0x3f), arg & 1);
        else
            end.local(op, arg);
    }
}
