// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * The objects that the handles of mrc.h point to. Each begins with the verbs object that it stands
 * for, if any, and its kind. The kind is checked, because a program may pass any pointer as a
 * handle.
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

/** The kind of an object. */
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

/** Check that a pointer is a handle of kind T; null is not. */
template <typename T>
bool is(const T *object)
{
    return object && object->kind == T::own_kind;
}

} // namespace mrc

/** Order of locks: a QP's, then the device's events', then the context's. */
struct mrc_context {
    static constexpr mrc::Kind own_kind = mrc::Kind::context;

    ibv_context *device = nullptr; ///< belongs to the program
    mrc::Kind kind = own_kind;
    std::mutex lock; ///< guards the sets below, and members of other objects that say so
    std::unordered_map<const ibv_qp *, mrc_qp *> qps;
    std::unordered_map<const ibv_cq *, mrc_cq *> cqs;
    std::unordered_set<mrc_comp_channel *> channels;
    std::unordered_set<mrc_qp_hint *> hints;
    std::unordered_set<mrc_cq *> ev_event_cqs;

    std::shared_ptr<mrc::DeviceEvents> events;
    std::deque<mrc_async_event> unread; ///< events read for this context; under the lock of events

    std::mutex controller_lock; ///< guards controller and its calls; innermost lock
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
    std::shared_ptr<mrc::EvEvents> ev_events; ///< only of an ev_event_cq
};

struct mrc_qp_hint {
    static constexpr mrc::Kind own_kind = mrc::Kind::hint;

    mrc_context *context = nullptr;
    mrc::Kind kind = own_kind;
    mrc_qp_hint_attr attr{}; ///< under the context's lock
    unsigned int qps = 0;    ///< QPs that use it; under the context's lock
};

struct mrc_qp {
    static constexpr mrc::Kind own_kind = mrc::Kind::qp;

    ibv_qp *qp = nullptr;
    mrc::Kind kind = own_kind;
    mrc_context *context = nullptr;
    mrc_qp_init_attr init{};       ///< the program's attributes
    mrc_abi_qp_attr defaults{};    ///< defaults of MRC's own attributes
    unsigned int async_events = 0; ///< not acknowledged; under the context's lock
    bool going = false;            ///< being destroyed; under the context's lock
    mrc_qp_hint *hint = nullptr;   ///< under the context's lock
    std::mutex lock;               ///< guards the members below
    uint32_t explicitly = 0;       ///< MRC_QP_ATTR_* that the program has set
    uint32_t cap = 0;              ///< enum mrc_qp_cap
};

// Some programs look for the verbs QP at the beginning.
static_assert(offsetof(mrc_qp, qp) == 0);
