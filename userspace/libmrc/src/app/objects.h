// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * What the handles of mrc.h point to. Each begins with the object of verbs that it stands for, if
 * any, and a word that tells what it is: a handle may be anything that a program has in its hands.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include <mrc.h>
#include <mrc_ctl.h>
#include <rdma/mrc-abi.h>

namespace mrc
{

/** What an object is. */
enum class Kind : uint32_t {
    context = 0x4d524331,
    channel = 0x4d524332,
    cq = 0x4d524333,
    qp = 0x4d524334,
    hint = 0x4d524335,
    ev_event_cq = 0x4d524336, ///< an mrc_cq that has no CQ
};

class Controller;
class EvEvents;
struct DeviceEvents;

/** Is that a handle of this kind? Null is none. */
template <typename T>
bool is(const T *object)
{
    return object && object->kind == T::own_kind;
}

} // namespace mrc

/** Lock order: that of a QP, that of the device's events, that of its context. */
struct mrc_context {
    static constexpr mrc::Kind own_kind = mrc::Kind::context;

    ibv_context *device = nullptr; ///< the program's
    mrc::Kind kind = own_kind;
    std::mutex lock; ///< guards what follows, and what says so below
    std::unordered_map<const ibv_qp *, mrc_qp *> qps;
    std::unordered_map<const ibv_cq *, mrc_cq *> cqs;
    std::unordered_set<mrc_comp_channel *> channels;
    std::unordered_set<mrc_qp_hint *> hints;
    std::unordered_set<mrc_cq *> ev_event_cqs;

    std::shared_ptr<mrc::DeviceEvents> events;
    std::deque<mrc_async_event> unread; ///< read by others, for this one; under the lock of events

    std::mutex controller_lock; ///< guards what follows, and its calls; none is taken inside
    std::shared_ptr<mrc::Controller> controller; ///< made by the first call of mrc_ctl.h
};

struct mrc_comp_channel {
    static constexpr mrc::Kind own_kind = mrc::Kind::channel;

    ibv_comp_channel *channel = nullptr;
    mrc::Kind kind = own_kind;
    mrc_context *context = nullptr;
};

struct mrc_cq {
    static constexpr mrc::Kind own_kind = mrc::Kind::cq;

    ibv_cq *cq = nullptr;
    mrc::Kind kind = own_kind;
    mrc_context *context = nullptr;
    unsigned int events = 0;                  ///< not acknowledged; under the context's lock
    unsigned int async_events = 0;            ///< the same
    bool going = false;                       ///< being destroyed; under the context's lock
    std::shared_ptr<mrc::EvEvents> ev_events; ///< of an ev_event_cq
};

struct mrc_qp_hint {
    static constexpr mrc::Kind own_kind = mrc::Kind::hint;

    mrc_context *context = nullptr;
    mrc::Kind kind = own_kind;
    mrc_qp_hint_attr attr{}; ///< under the context's lock
    unsigned int qps = 0;    ///< that have it; under the context's lock
};

struct mrc_qp {
    static constexpr mrc::Kind own_kind = mrc::Kind::qp;

    ibv_qp *qp = nullptr;
    mrc::Kind kind = own_kind;
    mrc_context *context = nullptr;
    mrc_qp_init_attr init{};       ///< as the program gave it
    mrc_abi_qp_attr defaults{};    ///< of MRC's own attributes
    unsigned int async_events = 0; ///< not acknowledged; under the context's lock
    bool going = false;            ///< being destroyed; under the context's lock
    mrc_qp_hint *hint = nullptr;   ///< under the context's lock
    std::mutex lock;               ///< guards what follows
    uint32_t explicitly = 0;       ///< MRC_QP_ATTR_*: those that the program has set
    uint32_t cap = 0;              ///< enum mrc_qp_cap
};

// Some programs look for the QP of verbs there.
static_assert(offsetof(mrc_qp, qp) == 0);
