# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The program in the section EXAMPLE of a manual page, as it was before roff.
/^\.SH EXAMPLE/,/^\.EE/!d
/^\./d
1,/^#include/{/^#include/!d}
s/\\e/\\/g
s/\\-/-/g
