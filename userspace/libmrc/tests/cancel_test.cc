// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Threads that are cancelled while they wait in the library. These tests do not work with
 * AddressSanitizer, which reports the unwinding of a cancelled thread's stack as an error.
 */
#include <gtest/gtest.h>

#include <pthread.h>

#include "fake_verbs.h"

namespace mrc::test
{
namespace
{

/* Programs cancel their event thread while it waits. */
TEST(Cancel, WhoWaitsForAnEvent)
{
    FakeVerbs verbs;
    Objects o;
    pthread_t thread{};
    void *result = nullptr;

    verbs.waits_for_events = true;
    ASSERT_EQ(pthread_create(
                  &thread, nullptr,
                  [](void *context) -> void * {
                      mrc_async_event told{};
                      mrc_get_async_event(static_cast<mrc_context *>(context), &told);
                      return nullptr;
                  },
                  o.context),
              0);
    ASSERT_EQ(pthread_cancel(thread), 0);
    ASSERT_EQ(pthread_join(thread, &result), 0);
    EXPECT_EQ(result, PTHREAD_CANCELED);
}

} // namespace
} // namespace mrc::test
