# SPDX-License-Identifier: GPL-2.0-only
"""Writes mrc.yaml for clients that check it against the kernel's schema, which does not know x-mrc."""

import re


def text(source):
    """Removes keys x-mrc, whether they stand in a line of their own or at the end of a line."""
    source = re.sub(r"^ *x-mrc: \{[^{}]*\}\n", "", source, flags=re.M)
    return re.sub(r",\s*x-mrc: \{[^{}]*\}", "", source)
