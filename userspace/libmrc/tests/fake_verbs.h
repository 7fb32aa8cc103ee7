// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * A fake libibverbs with an MRC device. It enforces that an object in use cannot be destroyed. A
 * test makes the events, and asks for errors.
 */
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <infiniband/verbs.h>
#include <mrc.h>
#include <rdma/mrc-abi.h>

namespace mrc::test
{

/** A QP as the kernel has it. */
struct FakeQp {
    ibv_qp_init_attr init{};
    mrc_abi_qp_attr params{};
    uint32_t explicitly = 0;
    uint8_t verbs_timeout = 0;
};

/** All objects of libibverbs. Only one exists at a time, for one test. */
struct FakeVerbs {
    ibv_device ibdev{}; ///< "mrc0"
    ibv_context context{};
    ibv_context other{}; ///< a device of another driver
    ibv_pd pd{};
    mrc_abi_device_attr device{};

    std::map<std::string, int> errors; ///< errno values, by the name of the call that must fail
    std::vector<std::string> calls;    ///< names of calls, in order

    std::map<ibv_qp *, FakeQp> qps;
    std::map<ibv_cq *, int> cqs;                ///< QPs that use them
    std::map<ibv_comp_channel *, int> channels; ///< CQs that use them
    std::deque<ibv_cq *> cq_events;
    std::deque<ibv_async_event> async_events;
    bool waits_for_events = false; ///< reading an event waits for ever
    unsigned int acked_cq_events = 0;
    std::vector<ibv_async_event> acked_async_events;

    FakeVerbs();
    ~FakeVerbs();
    FakeVerbs(const FakeVerbs &) = delete;
    FakeVerbs &operator=(const FakeVerbs &) = delete;

    /** Note a call. @return the error that the call must return, or 0 */
    int call(const char *name);
    /** Add an event. May be called from any thread. */
    void happens(const ibv_async_event &event);
    /** @return how often a function was called */
    [[nodiscard]] size_t count(const std::string &name) const;
};

/** @return the existing object */
FakeVerbs &fake();

/** A context with a CQ and a QP. */
struct Objects {
    mrc_context *context = nullptr;
    mrc_cq *cq = nullptr;
    mrc_qp *qp = nullptr;
    int qp_context = 0;
    int cq_context = 0;

    Objects();
    ~Objects();
    Objects(const Objects &) = delete;
    Objects &operator=(const Objects &) = delete;

    /** @return initial attributes for mrc_create_qp() */
    mrc_qp_init_attr init();
};

} // namespace mrc::test
