// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "verbs.h"

#include <cstdlib>
#include <optional>

#include <dlfcn.h>

#include "device_attr.h"
#include "qp_attr.h"

namespace mrc
{

namespace
{

/**
 * @return the libibverbs that this library was linked with, which is loaded already; or the library
 * that VMRC_LIBIBVERBS_SO names, for users who preload another library of the same name
 */
void *libibverbs()
{
    if (const char *named = secure_getenv("VMRC_LIBIBVERBS_SO"))
        return dlopen(named, RTLD_NOW);
    return dlopen("libibverbs.so.1", RTLD_NOW | RTLD_NOLOAD);
}

/** Looks functions up, and notes if one is missing. */
class Taker
{
public:
    explicit Taker(void *library) : library_(library) {}

    template <typename F>
    void operator()(F &function, const char *name)
    {
        void *found = nullptr;

        // Some functions have not changed since version 1.0.
        for (const char *version : {"IBVERBS_1.1", "IBVERBS_1.0"})
            if (!found && library_)
                found = dlvsym(library_, name, version);
        complete_ &= found != nullptr;
        function = reinterpret_cast<F>(found);
    }

    [[nodiscard]] bool complete() const { return complete_; }

private:
    void *library_;
    bool complete_ = true;
};

std::optional<Verbs> take_verbs()
{
    Taker take(libibverbs());
    Verbs v{};

    take(v.create_comp_channel, "ibv_create_comp_channel");
    take(v.destroy_comp_channel, "ibv_destroy_comp_channel");
    take(v.create_cq, "ibv_create_cq");
    take(v.destroy_cq, "ibv_destroy_cq");
    take(v.get_cq_event, "ibv_get_cq_event");
    take(v.ack_cq_events, "ibv_ack_cq_events");
    take(v.create_qp, "ibv_create_qp");
    take(v.destroy_qp, "ibv_destroy_qp");
    take(v.query_qp, "ibv_query_qp");
    take(v.modify_qp, "ibv_modify_qp");
    take(v.get_async_event, "ibv_get_async_event");
    take(v.ack_async_event, "ibv_ack_async_event");
    v.query_device = mrc_device_attr_query;
    v.set_qp_attr = mrc_qp_attr_set;
    v.query_qp_attr = mrc_qp_attr_query;
    return take.complete() ? std::optional(v) : std::nullopt;
}

} // namespace

const Verbs *verbs()
{
    static const std::optional<Verbs> table = take_verbs();

    return table ? &*table : nullptr;
}

} // namespace mrc
