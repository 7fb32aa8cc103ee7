// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs with the library "overriding" preloaded. The names of verbs then lead to that library, but
 * the table must still lead to libibverbs.
 */
#include <cstdio>
#include <cstring>

#include <dlfcn.h>

#include "base/verbs.h"

namespace
{

int failed;

template <typename F>
const char *home(F *function)
{
    Dl_info info{};

    return dladdr(reinterpret_cast<void *>(function), &info) ? info.dli_fname : "nowhere";
}

template <typename F>
void expect(const char *name, F *by_name, F *by_table)
{
    const bool overridden = strstr(home(by_name), "overriding");
    const bool found = strstr(home(by_table), "libibverbs.so.1");

    printf("%s %s: %s, %s\n", overridden && found ? "ok" : "not ok", name, home(by_name),
           home(by_table));
    failed += !overridden || !found;
}

} // namespace

int main()
{
    const mrc::Verbs *v = mrc::verbs();

    if (!v) {
        puts("not ok: libibverbs has not all of the table");
        return 1;
    }
    expect("ibv_create_comp_channel", ibv_create_comp_channel, v->create_comp_channel);
    expect("ibv_destroy_comp_channel", ibv_destroy_comp_channel, v->destroy_comp_channel);
    expect("ibv_create_cq", ibv_create_cq, v->create_cq);
    expect("ibv_destroy_cq", ibv_destroy_cq, v->destroy_cq);
    expect("ibv_get_cq_event", ibv_get_cq_event, v->get_cq_event);
    expect("ibv_ack_cq_events", ibv_ack_cq_events, v->ack_cq_events);
    expect("ibv_create_qp", ibv_create_qp, v->create_qp);
    expect("ibv_destroy_qp", ibv_destroy_qp, v->destroy_qp);
    expect("ibv_query_qp", ibv_query_qp, v->query_qp);
    expect("ibv_modify_qp", ibv_modify_qp, v->modify_qp);
    expect("ibv_get_async_event", ibv_get_async_event, v->get_async_event);
    expect("ibv_ack_async_event", ibv_ack_async_event, v->ack_async_event);
    return failed ? 1 : 0;
}
