#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Find out, by compiling, which of two forms of an interface a kernel's headers have.
#
# Usage: conftest.sh PROBE.c OUT COMPILER FLAG...
#
# Kbuild calls this for each probe. PROBE.c has the new form if PROBE_NEW is defined, and else the old
# one. Exactly one of the two must compile. If it is the new one, OUT gets "#define HAVE_PROBE 1". If
# none compiles, or both, then the probe is wrong about this kernel, or the compiler or the headers are
# broken: the script fails, and does not guess.

set -eu

probe=$1 out=$2
shift 2
name=$(basename "$probe" .c)

# compiles FORM COMPILER FLAG...: does the form compile? The compiler's messages go to OUT.FORM.
# -Wno-error: a -Werror of the kernel's must not make a form fail for a mere warning. The warnings that
# are errors here mean that the form is wrong.
compiles()
{
	form=$1
	shift
	LC_ALL=C "$@" -Wno-error -Werror=implicit-function-declaration -Werror=int-conversion \
		-Werror=incompatible-pointer-types -fsyntax-only "$probe" 2>"$out.$form"
}

# The compiler's first error or, without one, the first line of its output.
first_error()
{
	sed -n '/error:/{p;q;}' "$out.$1" | grep . || head -n 1 "$out.$1"
}

die()
{
	echo "conftest: probe $name: $*" >&2
	exit 1
}

old=0 new=0
! compiles old "$@" || old=1
! compiles new "$@" -DPROBE_NEW || new=1
old_error=$(first_error old) new_error=$(first_error new)
rm -f "$out.old" "$out.new"

have=HAVE_$(echo "$name" | tr '[:lower:]' '[:upper:]')
case $old$new in
00) die "neither form compiles; the old one: $old_error; the new one: $new_error" ;;
11) die "both forms compile: they say nothing about this kernel" ;;
01) echo "#define $have 1" >"$out" ;;
10) echo "/* no $have */" >"$out" ;;
esac
