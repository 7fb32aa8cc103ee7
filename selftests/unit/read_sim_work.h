// SPDX-License-Identifier: GPL-2.0-only
//
// The requests of one end of a simulated QP, and the memory of the other end, which they are about.
//
// The program knows what each READ and atomic must return: nobody else changes that memory, except
// one word. Requests that are open together are in no order for the payload of writes, and a READ
// sends what its memory holds when its response is sent. So the program has a fence where it
// changes what an open READ reads, and writes nothing that an open write writes.
#pragma once

#include "read_sim_net.h"

#include <set>
#include <vector>

enum class ReadKind { Write, WriteImm, Send, Read, CompareSwap, FetchAdd };

constexpr u32 kReadBadKey = 0xbad;

struct ReadRequest {
    u8 op = MRC_MSG_WRITE;
    bool imm = false;
    bool invalidates = false; ///< the immediate is a key
    bool fence = false;
    bool bad = false; ///< its key is refused
    u32 at = 0;
    u32 len = 0;
    u64 value = 0;
    u64 compare = 0;
    Bytes data;     ///< the payload of a write or SEND, or what a READ or atomic must return
    Bytes got;      ///< what it has returned
    u32 placed = 0; ///< bytes of that which have been placed
    bool answered = false;

    bool fetches() const { return op >= MRC_MSG_READ && op <= MRC_MSG_FETCH_ADD; }
    bool takes() const { return imm || op == MRC_MSG_SEND; }
    u64 end() const { return u64{at} + len; }
};

class ReadWork
{
public:
    ReadWork(ReadWorld &world, const ReadSimEnd &end);

    // ---- at the end whose requests they are

    bool hasMore() const { return requests.size() < static_cast<std::size_t>(end.requests); }
    std::size_t open() const { return requests.size() - completed; }

    /// Whether a READ or atomic is open.
    bool reads() const;

    /// Makes the next request.
    const ReadRequest &post();

    const ReadRequest &request(u32 index) const { return requests.at(index); }

    /// A packet of a response to a READ or atomic has come.
    void place(u32 index, u32 offset, const std::uint8_t *from, std::size_t len);

    /// All of the response has come.
    void answered(u32 index);

    /// The request completes.
    void complete(u32 index);

    // ---- at the other end

    Bytes memory;

    /// A write or SEND is complete. @p payload: where it was placed
    void wrote(const mrc_rx_done &done, const std::uint8_t *payload);

    /// The place of a write.
    std::uint8_t *at(u64 va) { return memory.data() + va; }

    /// Executes a READ or atomic.
    void execute(mrc_fetch &fetch);

    /// The other end's own program adds to the word that both change.
    void addThere();

    /// Is called when all requests have completed.
    void checkEnd() const;

private:
    ReadWorld &world;
    const ReadSimConfig &c;
    const ReadSimEnd &end;
    std::vector<ReadRequest> requests;
    Bytes model;               ///< @c memory after all requests that were posted
    std::size_t executed = 0;  ///< requests; this is at the other end
    std::size_t completed = 0; ///< requests
    u64 added = 0;             ///< to the word that both ends change
    std::set<u64> sums;        ///< of it, which atomics have returned

    ReadKind kind();
    ReadRequest make(ReadKind kind);
    void makeWrite(ReadRequest &r);
    void makeRead(ReadRequest &r);
    void makeAtomic(ReadRequest &r);
    u32 length();
    bool overlaps(const ReadRequest &r, bool reads) const;
    ReadRequest &next();
    void checkAtomic(const ReadRequest &r);
};
