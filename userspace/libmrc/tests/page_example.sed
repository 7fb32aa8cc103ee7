# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Prints the program in the section EXAMPLE of a manual page, without its roff markup.
/^\.SH EXAMPLE/,/^\.EE/!d
/^\./d
1,/^#include/{/^#include/!d}
s/\\e/\\/g
s/\\-/-/g
