// SPDX-License-Identifier: GPL-2.0-only
#include "prober.h"

#include <algorithm>

#include "endpoint.h"
#include "random.h"

namespace mrcsim
{

namespace
{

constexpr unsigned peers_max = 256; // peers that one run of the timer looks at, as in the module

mrc_hdr request_header(mrc_ep_op op, uint32_t mask, u16 id, uint64_t now)
{
    mrc_hdr hdr{};

    hdr.bth.opcode = MRC_OP_EP_REQ;
    hdr.bth.pkey = MRC_PKEY_DEFAULT;
    hdr.bth.qpn = MRC_QPN_ENDPOINT;
    hdr.bth.psn = id;
    hdr.ep.op = static_cast<u8>(op);
    hdr.ep.port_mask = mask;
    hdr.ep.tx_timestamp = mrc_port_stamp(now);
    hdr.ep.tsr = true;
    return hdr;
}

} // namespace

Prober::Prober(Endpoint &endpoint) : endpoint_(endpoint)
{
    mrc_pending_init(&pending_);
    mrc_turns_init(&turns_);
}

uint64_t Prober::now() const
{
    return endpoint_.cell().engine_now();
}

// ---- time

void Prober::set_timer()
{
    uint64_t at = mrc_turns_none(&turns_) ? ~0ull : 0;

    for (const auto &peer : endpoint_.peers())
        at = std::min(at, peer->due_at);
    if (at != ~0ull)
        at = std::max<uint64_t>(at, ran_at_ + endpoint_.network().derived.timing.pace);
    at = std::min<uint64_t>(at, mrc_pending_timer_at(&pending_));
    if (at >= timer_at_)
        return;
    timer_at_ = std::max(at, now());
    endpoint_.schedule_ns(timer_at_, What::prober_timer, 0);
}

void Prober::arm(Peer &peer)
{
    const uint64_t ports_at = mrc_probing_ports_at(&peer.probing, &peer.paths);
    const uint64_t probes_at =
        mrc_turn_waits(&peer.turn) ? ~0ull : mrc_probing_at(&peer.probing, &peer.paths);
    const uint64_t at = std::min(ports_at, probes_at);

    if (at >= peer.due_at)
        return;
    peer.due_at = at;
    set_timer();
}

void Prober::evs_changed(Peer &peer)
{
    arm(peer);
    if (peer.paths.set.untold)
        peer.count_changes(endpoint_.cell().sample());
}

// ---- requests of this host

bool Prober::ask(Peer &peer, u16 ev, mrc_ep_op op, mrc_pending_kind kind, uint32_t mask)
{
    const auto &network = endpoint_.network();
    const auto draw = static_cast<u32>(
        random(network.scenario.run.seed, entity(Draw::ask, endpoint_.host()), draws_++));
    const u16 slot =
        mrc_pending_add(&pending_, &peer.asked, kind, mrc_paths_ask_wait(&peer.paths), draw, now());

    if (slot == MRC_PENDING_NONE)
        return false;
    asked_[slot] = {&peer, now(), mask, ev, static_cast<u8>(op)};
    endpoint_.say(peer, ev, request_header(op, mask, pending_.slot[slot].id, now()),
                  Traffic::control, 0);
    set_timer();
    return true;
}

void Prober::probe(Peer &peer, u16 ev, mrc_pending_kind kind)
{
    const bool sent = ask(peer, ev, MRC_EP_EV_PROBE, kind, 0);

    if (!sent && kind == MRC_PENDING_REVERSE)
        return;
    mrc_probing_account(&peer.paths, ev, sent ? MRC_SENT : MRC_SENT_NO_SPACE, now());
    evs_changed(peer);
}

void Prober::reverse(Peer &peer)
{
    const auto &network = endpoint_.network();

    if (!mrc_paths_want_reverse(&peer.paths, now()) || !peer.probing.users)
        return;
    const auto draw = static_cast<u32>(
        random(network.scenario.run.seed, entity(Draw::ask, endpoint_.host()), draws_++));
    const u16 ev = mrc_paths_reverse_probe(&peer.paths, draw, now());
    if (ev != MRC_EV_NONE)
        probe(peer, ev, MRC_PENDING_REVERSE);
}

void Prober::tell(Peer &peer, uint32_t mask)
{
    mrc_port_tell_say(&peer.probing.tell, mask, now());
    arm(peer);
}

void Prober::lose()
{
    for (u16 slot; (slot = mrc_pending_lost(&pending_, now())) != MRC_PENDING_NONE;) {
        const Asked asked = asked_[slot];
        mrc_pending_give_up(&pending_, slot);
        if (asked.op != MRC_EP_EV_PROBE)
            continue;
        mrc_paths_report(&asked.peer->paths, MRC_SEEN_PROBE_LOST, asked.ev, asked.sent_at, now());
        evs_changed(*asked.peer);
    }
}

/** Handles an answer of the peer that came too late: nothing waits for it any more. */
void Prober::late(Peer &peer, const mrc_ep &ep)
{
    const uint64_t sent = mrc_port_stamp_at(ep.tx_timestamp, now());
    const uint64_t wait = mrc_paths_overdue(&peer.paths, sent, now());

    if (wait && mrc_pending_peer_late(&peer.asked, wait, now()))
        mrc_paths_late(&peer.paths, sent, now());
}

void Prober::response(Peer &peer, const Packet &packet)
{
    const u16 slot = mrc_pending_find(&pending_, static_cast<u16>(packet.hdr.bth.psn));

    if (slot == MRC_PENDING_NONE || asked_[slot].peer != &peer)
        return late(peer, packet.hdr.ep);
    const Asked asked = asked_[slot];
    mrc_pending_end(&pending_, slot);
    if (asked.op == MRC_EP_EV_PROBE) {
        mrc_paths_report(&peer.paths, MRC_SEEN_PROBE_ANSWERED, asked.ev, asked.sent_at, now());
        evs_changed(peer);
    } else {
        mrc_port_tell_answered(&peer.probing.tell, asked.mask, asked.sent_at);
    }
}

// ---- requests of others

void Prober::request(Peer &peer, const Packet &packet)
{
    const mrc_ep &ep = packet.hdr.ep;

    if (!peer.probing.met ||
        !mrc_probing_may_answer(&peer.probing, static_cast<mrc_ep_op>(ep.op), now()))
        return;
    if (ep.op == MRC_EP_PORT_STATUS) {
        const bool heard = mrc_probing_hear(&peer.probing, &ep, now());
        take_ports(peer);
        arm(peer);
        if (!heard)
            return;
    }
    u16 ev[MRC_REVERSE_COPIES];
    const unsigned n = mrc_paths_answer_evs(&peer.paths, static_cast<u8>(packet.plane + 1),
                                            packet.bits, now(), ev);
    mrc_hdr hdr{};
    hdr.bth.opcode = MRC_OP_EP_RSP;
    hdr.bth.pkey = MRC_PKEY_DEFAULT;
    hdr.bth.qpn = MRC_QPN_ENDPOINT;
    hdr.bth.psn = packet.hdr.bth.psn;
    hdr.ep.tx_timestamp = ep.tx_timestamp;
    for (unsigned i = 0; i < n; i++)
        endpoint_.say(peer, ev[i], hdr, Traffic::control, 0);
    reverse(peer);
}

/** Acts on the peer's last port status, if it is time. */
void Prober::take_ports(Peer &peer)
{
    if (!mrc_probing_take_ports(&peer.probing, &peer.paths, now()))
        return;
    evs_changed(peer);
    endpoint_.heed_ports(peer);
}

// ---- the timer

/** Sends port status if it is due. True: EV probes are due, too. */
bool Prober::look(Peer &peer)
{
    mrc_probing_tell tell;

    take_ports(peer);
    if (mrc_probing_plan_tell(&peer.probing, &peer.paths, now(), &tell) &&
        !ask(peer, tell.ev, MRC_EP_PORT_STATUS, MRC_PENDING_STATUS, tell.mask))
        mrc_probing_untold(&peer.probing, &tell);
    return mrc_probing_at(&peer.probing, &peer.paths) <= now();
}

/** Gives a peer its turn. True: it has used the turn. */
bool Prober::serve(Peer &peer, bool &more)
{
    unsigned int room = 0;

    more = false;
    if (!mrc_pending_peer_may(&peer.asked))
        return false;
    const u16 ev = mrc_probing_next(&peer.probing, &peer.paths, now(), &room);

    more = mrc_probing_at(&peer.probing, &peer.paths) <= now();
    if (ev == MRC_EV_NONE)
        return false;
    probe(peer, ev, MRC_PENDING_PROBE);
    return true;
}

Peer &Prober::peer_of(const mrc_turn *turn)
{
    return **std::find_if(endpoint_.peers().begin(), endpoint_.peers().end(),
                          [turn](const auto &peer) { return &peer->turn == turn; });
}

/** Each peer sends one probe per turn: the more peers there are, the longer all wait. */
void Prober::run_turns()
{
    unsigned room = std::min(mrc_pending_room(&pending_, now()), MRC_PROBING_RUN_MAX);
    bool fresh = false;
    bool more = false;

    for (unsigned looks = peers_max; room && looks; looks--) {
        mrc_turn *turn = mrc_turns_next(&turns_, &fresh);
        if (!turn)
            break;
        Peer &peer = peer_of(turn);
        room -= serve(peer, more);
        mrc_turns_had(&turns_, turn, fresh, more);
        arm(peer);
    }
}

void Prober::timer()
{
    if (now() < timer_at_)
        return;
    timer_at_ = ~0ull;
    lose();
    if (now() >= ran_at_ + endpoint_.network().derived.timing.pace) {
        ran_at_ = now();
        for (const auto &peer : endpoint_.peers()) {
            if (peer->due_at > now())
                continue;
            peer->due_at = ~0ull;
            if (look(*peer))
                mrc_turns_add(&turns_, &peer->turn);
            arm(*peer);
        }
        run_turns();
    }
    set_timer();
}

} // namespace mrcsim
