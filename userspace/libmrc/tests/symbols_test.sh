#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What the library exports is what is promised, all with default versions: some programs look names
# up by dlsym(). It wants libibverbs to be there, and binds none of its names: a library that overrides
# them would be called.
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
