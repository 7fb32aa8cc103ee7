// SPDX-License-Identifier: GPL-2.0-only
#include "read_sim_work.h"

#include <arpa/inet.h>

#include <cstring>

namespace
{

constexpr u32 kWord = MRC_ATOMIC_BYTES;
constexpr u32 kWords = 4;               ///< only the requests change these
constexpr u32 kShared = kWords * kWord; ///< the program of the memory's end changes this, too
constexpr u32 kData = kShared + kWord;  ///< from here on, the memory is written and read
constexpr u32 kMessages = 6;            ///< so many of the longest ones have room there
constexpr u64 kAddMax = 1000;

u64 wordAt(const Bytes &memory, u64 at)
{
    u64 word;
    std::memcpy(&word, &memory.at(at), kWord);
    return word;
}

void setWord(Bytes &memory, u64 at, u64 word)
{
    std::memcpy(&memory.at(at), &word, kWord);
}

Bytes bytesOf(const Bytes &memory, u32 at, u32 len)
{
    return {memory.begin() + at, memory.begin() + at + len};
}

/// What an atomic leaves in a word.
u64 swapped(u64 was, bool add, u64 value, u64 compare)
{
    if (add)
        return was + value;
    return was == compare ? value : was;
}

} // namespace

ReadWork::ReadWork(ReadWorld &world, const ReadSimEnd &end)
    : memory(kData + kMessages * world.c.maxPackets * world.c.mtu), world(world), c(world.c),
      end(end), model(memory)
{
    requests.reserve(static_cast<std::size_t>(end.requests));
}

// ---- what is asked for

ReadKind ReadWork::kind()
{
    int sum = 0;
    for (const int weight : c.mix)
        sum += weight;
    int at = static_cast<int>(world.rng() % static_cast<unsigned>(sum));
    int k = 0;
    while ((at -= c.mix[static_cast<std::size_t>(k)]) >= 0)
        ++k;
    return static_cast<ReadKind>(k);
}

const ReadRequest &ReadWork::post()
{
    const bool bad = static_cast<int>(requests.size()) == end.bad;
    ReadKind k = kind();
    if (bad && (k == ReadKind::Send || world.rng() % 2))
        k = ReadKind::Read;
    ReadRequest r;
    do
        r = make(k);
    while (bad && !r.len);
    r.bad = bad;
    r.fence |= world.chance(c.fence);
    world.report.fences += r.fence;
    requests.push_back(r);
    return requests.back();
}

ReadRequest ReadWork::make(ReadKind kind)
{
    static constexpr u8 ops[] = {MRC_MSG_WRITE, MRC_MSG_WRITE,    MRC_MSG_SEND,
                                 MRC_MSG_READ,  MRC_MSG_CMP_SWAP, MRC_MSG_FETCH_ADD};
    ReadRequest r;
    r.op = ops[static_cast<int>(kind)];
    r.imm = kind == ReadKind::WriteImm || (kind == ReadKind::Send && world.rng() % 2);
    r.invalidates = kind == ReadKind::Send && r.imm && world.rng() % 2;
    if (r.op == MRC_MSG_READ)
        makeRead(r);
    else if (r.fetches())
        makeAtomic(r);
    else
        makeWrite(r);
    return r;
}

/// Bytes of a message, often few.
u32 ReadWork::length()
{
    const u32 most = c.mtu * (world.rng() % 3 ? 1 : c.maxPackets);
    return static_cast<u32>(world.upTo(most));
}

bool ReadWork::reads() const
{
    return std::any_of(requests.begin() + static_cast<std::ptrdiff_t>(completed), requests.end(),
                       [](const ReadRequest &r) { return r.fetches(); });
}

/// Whether an open READ, or write, is about memory of @p r.
bool ReadWork::overlaps(const ReadRequest &r, bool reads) const
{
    for (std::size_t i = completed; i < requests.size(); ++i) {
        const ReadRequest &o = requests[i];
        if (o.op == (reads ? MRC_MSG_READ : MRC_MSG_WRITE) && o.at < r.end() && r.at < o.end())
            return true;
    }
    return false;
}

void ReadWork::makeWrite(ReadRequest &r)
{
    r.len = length();
    r.data.resize(r.len);
    for (std::uint8_t &byte : r.data)
        byte = static_cast<std::uint8_t>(world.rng());
    if (r.op == MRC_MSG_SEND)
        return;
    do
        r.at = static_cast<u32>(kData + world.upTo(memory.size() - kData - r.len));
    while (overlaps(r, false) && (r.len /= 2));
    r.data.resize(r.len);
    r.fence = overlaps(r, true);
    std::copy(r.data.begin(), r.data.end(), model.begin() + r.at);
}

void ReadWork::makeRead(ReadRequest &r)
{
    const bool words = world.rng() % 4 == 0;
    const u32 from = words ? 0 : kData;
    const u32 size = words ? kShared : static_cast<u32>(memory.size()) - kData;
    r.len = std::min(length(), size);
    r.at = static_cast<u32>(from + world.upTo(size - r.len));
    r.got.resize(r.len);
    r.data = bytesOf(model, r.at, r.len);
}

void ReadWork::makeAtomic(ReadRequest &r)
{
    const bool add = r.op == MRC_MSG_FETCH_ADD;
    r.at = static_cast<u32>(world.upTo(add ? kWords : kWords - 1) * kWord);
    r.len = kWord;
    const u64 was = wordAt(model, r.at);
    r.value = add ? 1 + world.upTo(kAddMax) : world.rng();
    r.compare = world.rng() % 2 ? was : world.rng();
    r.fence = overlaps(r, true);
    r.got.resize(kWord);
    r.data = bytesOf(model, r.at, kWord);
    setWord(model, r.at, swapped(was, add, r.value, r.compare));
}

// ---- the other end

ReadRequest &ReadWork::next()
{
    simCheck(executed < requests.size(), "more is executed than was posted");
    return requests[executed++];
}

void ReadWork::wrote(const mrc_rx_done &done, const std::uint8_t *payload)
{
    const std::size_t index = executed;
    const ReadRequest &r = next();
    simCheck(!r.fetches() && !r.bad, "another request is executed");
    simCheck(done.takes == r.takes() && done.has_imm == r.imm && done.invalidates == r.invalidates,
             "kind of a message");
    simCheck(!r.imm || done.imm == htonl(static_cast<u32>(index)), "order of immediates");
    simCheck(done.send == (r.op == MRC_MSG_SEND), "SEND or write");
    if (!payload)
        payload = at(r.at);
    simCheck(std::equal(r.data.begin(), r.data.end(), payload), "payload of a write or SEND");
}

void ReadWork::execute(mrc_fetch &fetch)
{
    ReadRequest &r = next();
    const bool read = fetch.opcode == MRC_OP_READ;
    const bool add = fetch.opcode == MRC_OP_FETCH_ADD;
    simCheck(r.fetches() && !r.bad && fetch.va == r.at && fetch.len == r.len,
             "another READ or atomic is executed");
    simCheck(read ? r.op == MRC_MSG_READ : r.op == (add ? MRC_MSG_FETCH_ADD : MRC_MSG_CMP_SWAP),
             "kind of a READ or atomic");
    const Bytes was = bytesOf(memory, r.at, r.len);
    if (r.at == kShared)
        r.data = was;
    simCheck(was == r.data, "executed out of order");
    if (read)
        return;
    const u64 word = wordAt(memory, r.at);
    setWord(memory, r.at, swapped(word, add, fetch.value, fetch.compare));
    fetch.value = word;
}

void ReadWork::addThere()
{
    const u64 n = 1 + world.upTo(kAddMax);
    setWord(memory, kShared, wordAt(memory, kShared) + n);
    added += n;
}

// ---- responses

void ReadWork::place(u32 index, u32 offset, const std::uint8_t *from, std::size_t len)
{
    ReadRequest &r = requests.at(index);
    simCheck(index >= completed && !r.answered, "memory of a complete READ is written to");
    simCheck(r.fetches() && offset + len <= r.got.size(), "place of a response");
    std::copy(from, from + len, r.got.begin() + offset);
    r.placed += static_cast<u32>(len);
}

void ReadWork::answered(u32 index)
{
    ReadRequest &r = requests.at(index);
    simCheck(index < executed, "a response to what was not executed");
    simCheck(index >= completed && !r.answered, "a second response");
    r.answered = true;
}

void ReadWork::complete(u32 index)
{
    const ReadRequest &r = requests.at(index);
    simCheck(index == completed, "completed out of order");
    simCheck(index < executed, "completed before it was executed");
    ++completed;
    if (!r.fetches())
        return;
    simCheck(r.answered && r.placed == r.len, "completed without all of its response");
    simCheck(r.got == r.data, "what a READ or atomic returns");
    if (r.op == MRC_MSG_READ)
        ++world.report.reads;
    else
        checkAtomic(r);
}

void ReadWork::checkAtomic(const ReadRequest &r)
{
    ++world.report.atomics;
    if (r.at != kShared)
        return;
    simCheck(sums.insert(wordAt(r.got, 0)).second, "two additions return the same sum");
    added += r.value;
}

void ReadWork::checkEnd() const
{
    simCheck(completed == requests.size() && !hasMore(), "stalled: nothing left to happen");
    simCheck(executed == requests.size(), "executed more than once");
    simCheck(wordAt(memory, kShared) == added, "a sum");
    simCheck(std::equal(memory.begin(), memory.begin() + kShared, model.begin()), "words");
    simCheck(std::equal(memory.begin() + kData, memory.end(), model.begin() + kData), "memory");
}
