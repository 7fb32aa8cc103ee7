// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * A libibverbs, and an MRC device, that are none: with their rules of who uses whom, events that a
 * test makes, and errors that it asks for.
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

/** What there is, of one test at a time. */
struct FakeVerbs {
    ibv_device ibdev{}; ///< "mrc0"
    ibv_context context{};
    ibv_context other{}; ///< of another driver
    ibv_pd pd{};
    mrc_abi_device_attr device{};

    std::map<std::string, int> errors; ///< errno values, by the name of what is to fail
    std::vector<std::string> calls;    ///< names, in order

    std::map<ibv_qp *, FakeQp> qps;
    std::map<ibv_cq *, int> cqs;                ///< QPs that use them
    std::map<ibv_comp_channel *, int> channels; ///< CQs that use them
    std::deque<ibv_cq *> cq_events;
    std::deque<ibv_async_event> async_events;
    bool waits_for_events = false; ///< none comes, ever
    unsigned int acked_cq_events = 0;
    std::vector<ibv_async_event> acked_async_events;

    FakeVerbs();
    ~FakeVerbs();
    FakeVerbs(const FakeVerbs &) = delete;
    FakeVerbs &operator=(const FakeVerbs &) = delete;

    /** Notes a call. @return the error that it is to have, or 0 */
    int call(const char *name);
    /** An event that nobody has read yet; from any thread. */
    void happens(const ibv_async_event &event);
    /** How often it was called. */
    [[nodiscard]] size_t count(const std::string &name) const;
};

/** The one that is there. */
FakeVerbs &fake();

/** A context, a CQ and a QP of them. */
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

    /** What create_qp() wants. */
    mrc_qp_init_attr init();
};

} // namespace mrc::test
