/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of the layout and values with which programs of other implementations were compiled. */
#include <stddef.h>

#ifdef __cplusplus
#define HOLDS(condition) static_assert(condition, "not as it was")
#else
/* C99 has no static_assert, but an array of negative size fails, too. */
#define JOINED(a, b) a##b
#define NAMED(a, b) JOINED(a, b)
#define HOLDS(condition) typedef char NAMED(holds_, __LINE__)[(condition) ? 1 : -1]
#endif
#define AT(type, field, offset) HOLDS(offsetof(struct type, field) == (offset))
#define SIZE(type, bytes) HOLDS(sizeof(struct type) == (bytes))
#define IS(name, value) HOLDS((unsigned int)(name) == (value))
