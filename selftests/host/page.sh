#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks mrcd's status page in a browser: its contents, in both colour schemes, on narrow and wide
# windows; and its metrics, with Prometheus's own parser. Screenshots: build/page/*.png.
#
# Usage: page.sh TOP

. "$(dirname "$0")/lib.sh"

top=$1
server=$top/build/userspace/mrcd/tests/page_server
browser=$(command -v chromium-headless-shell || command -v chromium) || exit 4
[ -x "$server" ] || exit 4
mkdir -p "$top/build/page"
# The Python that the parser's package is made for.
/usr/bin/python3 "$(dirname "$0")/page.py" "$top" "$server" "$browser" "$HOST_TMP"
