#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Checks that the library exports exactly the symbols in LIST, all with default versions, because some
# programs look them up by dlsym(). Also checks that the library needs libibverbs but binds none of its
# names, because a library that overrides these names would be called.
#
# Usage: symbols_test.sh LIST LIBRARY

set -euo pipefail
export LC_ALL=C

diff -u --label wanted --label exported "$1" \
	<(nm -D --defined-only --with-symbol-versions "$2" | awk '{ print $3 }' | sed 's/^\(LIBMRC_[0-9.]*\)@@.*/\1/' | sort)
readelf -d "$2" | grep -q 'NEEDED.*\[libibverbs\.so\.1\]' || { echo "does not want libibverbs" >&2; exit 1; }
if nm -D --undefined-only "$2" | grep ' ibv_' >&2; then
	echo "names of libibverbs are bound" >&2
	exit 1
fi
