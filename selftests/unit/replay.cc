// SPDX-License-Identifier: GPL-2.0-only

#include "replay.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace replay
{

namespace
{

using Result = std::vector<uint32_t>;

// The largest window or queue of a recording.
constexpr uint32_t SizeMax = 1U << 20;

void need(bool fine, const char *what)
{
    if (!fine)
        throw std::invalid_argument(what);
}

void put64(Result &to, uint64_t value)
{
    to.push_back(static_cast<uint32_t>(value));
    to.push_back(static_cast<uint32_t>(value >> 32));
}

std::string text(const Call &call)
{
    std::ostringstream out;
    out << call.op << ' ' << call.now << std::hex;
    for (const uint32_t word : call.words)
        out << ' ' << word;
    return out.str();
}

} // namespace

Call parse(const std::string &line)
{
    std::istringstream in(line);
    Call call{};
    in >> call.op >> call.now >> std::hex;
    need(!in.fail(), "no call");
    for (std::string word; in >> word;) {
        size_t used = 0;
        const unsigned long value = std::stoul(word, &used, 16);
        need(used == word.size() && value <= UINT32_MAX, "not a word");
        call.words.push_back(static_cast<uint32_t>(value));
    }
    return call;
}

/** The arguments of a call, word by word. */
class Requester::Words
{
public:
    explicit Words(const std::vector<uint32_t> &all) : words(all) {}

    uint32_t next()
    {
        need(at < words.size(), "too few words");
        return words[at++];
    }

    uint64_t next64()
    {
        const uint64_t low = next();
        return low | static_cast<uint64_t>(next()) << 32;
    }

    [[nodiscard]] bool left() const { return at < words.size(); }

    /** The words that have been read. */
    [[nodiscard]] Result read() const
    {
        return {words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at)};
    }

private:
    const std::vector<uint32_t> &words;
    size_t at = 0;
};

void Requester::need_start() const
{
    need(!memory.ring.empty(), "a call before the start");
}

Result Requester::start(Words &in)
{
    engine::RequesterConfig c;
    c.window.size = in.next();
    c.window.retries.timeout_ns = in.next64();
    c.window.retries.linear = static_cast<u8>(in.next());
    c.window.retries.exp = static_cast<u8>(in.next());
    c.window.peer_rtt_ns = in.next64();
    c.psn = in.next();
    c.mtu = in.next();
    c.imm_max = static_cast<u16>(in.next());
    c.requests = in.next();
    // Older recordings do not have it.
    c.window.receive_ns = in.left() ? in.next64() : UINT64_MAX;
    const uint32_t reads_max = in.left() ? in.next() : MRC_READS_MAX;
    c.responses = MRC_READS_MAX;
    need(c.window.size && c.window.size <= SizeMax && c.requests && c.requests <= SizeMax &&
             !(c.requests & (c.requests - 1)) && c.mtu,
         "sizes that no requester has");
    planned = {};
    req = {};
    engine::start(req, c, memory);
    req.sendq.reads_max = static_cast<u16>(reads_max);
    return in.read();
}

Result Requester::queue(Words &in)
{
    const uint32_t len = in.next(), kind = in.next();
    const uint32_t op = kind & 2 ? u32{MRC_MSG_SEND} : kind >> 2 & 7;
    need(op <= MRC_MSG_ATOMIC_RSP, "a request of no kind");
    mrc_sendq &queue = op >= MRC_MSG_READ_RSP ? req.rspq : req.sendq;
    mrc_msg *msg = mrc_sendq_slot(&queue);
    need(msg, "more requests than there is room for");
    *msg = {};
    msg->len = len;
    msg->op = static_cast<u8>(op);
    msg->has_imm = kind & 1;
    msg->fence = kind & 32;
    mrc_sendq_queue(&queue);
    return in.read();
}

Result Requester::forget(Words &in)
{
    in.next();
    mrc_tx_forget_evs(&req.tx);
    return in.read();
}

Result Requester::plan(uint64_t now, Words &in)
{
    mrc_cc_grant grant{};
    grant.cwnd = in.next();
    grant.room = in.next();
    grant.room_lost = in.next();
    grant.least = in.next();
    grant.ask_after = in.next();
    const uint32_t max = in.next();
    Result said = in.read();
    planned = {};
    said.push_back(mrc_req_plan(&req, now, max, &grant, &planned));
    return said;
}

Result Requester::batch(uint64_t now, Words &in)
{
    mrc_batch b = std::exchange(planned, {});
    const uint32_t stride = in.next();
    need(stride && stride <= MRC_BATCH_MAX, "a stride that no batch has");
    std::vector<uint16_t> ev(stride);
    std::ranges::generate(ev, [&] { return static_cast<uint16_t>(in.next()); });
    Result said = in.read();
    need(b.count, "a batch that was not planned");
    mrc_req_deal(&req, &b, ev.data(), stride, now);
    said.insert(said.end(), {b.count, b.rtx, b.any, b.ask});
    for (unsigned int i = 0; i < (b.rtx ? b.count : std::min(b.count, 1U)); i++)
        said.push_back(b.plan[i].psn);
    return said;
}

Result Requester::unsent(uint64_t now, Words &in)
{
    const uint32_t psn = in.next();
    mrc_tx_result res{};
    return {psn, mrc_req_unsent(&req, psn, now, &res)};
}

Result Requester::lose(uint64_t now, Words &in)
{
    mrc_tx_result res{};
    mrc_tx_gone gone{};
    gone.unsent = in.next();
    for (unsigned long *evs : {gone.here, gone.there})
        for (unsigned int i = 0; i < MRC_EV_MAX / 32; i++)
            evs[i * 32 / BITS_PER_LONG] |= static_cast<unsigned long>(in.next())
                                           << (i * 32 % BITS_PER_LONG);
    Result said = in.read();
    mrc_req_lose_evs(&req, &gone, now, &res);
    said.push_back(res.lost);
    return said;
}

Result Requester::state(Words &in)
{
    const auto ev = static_cast<uint16_t>(in.next());
    mrc_evidence_set_silent(&req.tx.evidence, ev, in.next());
    return in.read();
}

Result Requester::answer(char op, uint64_t now, Words &in)
{
    uint8_t bytes[MRC_HDR_MAX] = {};
    const uint32_t len = in.next();
    need(len <= sizeof(bytes), "headers that are too long");
    for (uint32_t at = 0; at < len; at += 4) {
        const uint32_t word = in.next();
        std::memcpy(bytes + at, &word, 4);
    }
    mrc_hdr hdr{};
    need(mrc_hdr_decode(bytes, len, &hdr) == 0, "headers that cannot be decoded");
    Result said = in.read();
    mrc_tx_result res{};
    uint32_t psn = 0;
    const int err = op == 'K'   ? mrc_req_sack(&req, &hdr, now, &res)
                    : op == 'N' ? mrc_req_nack(&req, &hdr, now, &res)
                                : mrc_req_ack(&req, &hdr, now, &psn, &res);
    said.push_back(static_cast<uint32_t>(err));
    if (err)
        return said;
    said.insert(said.end(), {res.acked, res.lost, res.spurious});
    put64(said, res.rtt_ns);
    said.insert(said.end(),
                {res.mark, res.ev, req.tx.una, req.tx.nxt, req.tx.inflight, req.tx.lost});
    return said;
}

Result Requester::end(Words &in)
{
    in.next();
    // Older recordings do not say whether it is a response.
    mrc_sendq &queue = in.left() && in.next() ? req.rspq : req.sendq;
    Result said = in.read();
    need(queue.una != queue.tail, "a request ends that there is not");
    mrc_sendq_end(&queue);
    said[0] = queue.una;
    return said;
}

Result Requester::answered(Words &in)
{
    const uint32_t index = in.next();
    need(mrc_sendq_outstanding(&req.sendq, index) && index - req.sendq.una < req.sendq.depth,
         "a READ is answered that there is not");
    mrc_req_answered(&req, index);
    return in.read();
}

Result Requester::timer_at(uint64_t now) const
{
    Result said;
    put64(said, mrc_req_timer_at(&req, now));
    return said;
}

Result Requester::timer(uint64_t now)
{
    mrc_tx_result res{};
    const auto due = static_cast<uint32_t>(mrc_req_timer(&req, now, &res));
    return {due, res.lost, req.tx.una, req.tx.nxt, req.tx.inflight, req.tx.lost};
}

Result Requester::make(const Call &call)
{
    Words in(call.words);
    if (call.op != 'S')
        need_start();
    switch (call.op) {
    case 'S':
        return start(in);
    case 'Q':
        return queue(in);
    case 'F':
        return forget(in);
    case 'P':
        return plan(call.now, in);
    case 'B':
        return batch(call.now, in);
    case 'U':
        return unsent(call.now, in);
    case 'L':
        return lose(call.now, in);
    case 'V':
        return state(in);
    case 'K':
    case 'N':
    case 'A':
        return answer(call.op, call.now, in);
    case 'E':
        return end(in);
    case 'W':
        return answered(in);
    case 'C':
        mrc_req_settle(&req, call.now);
        return {in.next()};
    case 'R':
        mrc_req_probe_now(&req, call.now);
        return {req.tx.probe_id};
    case 'T':
        return timer_at(call.now);
    case 'D':
        return timer(call.now);
    default:
        throw std::invalid_argument("a call that the engine does not have");
    }
}

Outcome play(std::istream &recording)
{
    Outcome outcome;
    Requester requester;
    for (std::string line; std::getline(recording, line);) {
        if (line.empty() || line[0] == '#')
            continue;
        outcome.calls++;
        try {
            const Call call = parse(line);
            const Result said = requester.make(call);
            outcome.batches += call.op == 'B';
            outcome.answers += call.op == 'K' || call.op == 'N' || call.op == 'A';
            if (said != call.words) {
                outcome.difference = "call " + std::to_string(outcome.calls) + ": recorded " +
                                     line + ", now " + text({call.op, call.now, said});
                break;
            }
            // A batch begins with the stride and that many EVs.
            outcome.again += call.op == 'B' && said[said[0] + 2];
        } catch (const std::exception &error) {
            outcome.difference =
                "call " + std::to_string(outcome.calls) + ": " + error.what() + ": " + line;
            break;
        }
    }
    return outcome;
}

} // namespace replay
