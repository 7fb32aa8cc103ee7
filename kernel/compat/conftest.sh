#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Find out by compiling which of two forms of something a kernel's headers know.
#
# Usage: conftest.sh PROBE.c OUT COMPILER FLAG...
#
# Kbuild calls this for each probe. PROBE.c has the new form where PROBE_NEW is defined, and else the
# old one. Exactly one of them must compile. OUT says "#define HAVE_PROBE 1" when that is the new one.
# Where none does, or both do, the probe is wrong about this kernel, or something else is wrong with
# the compiler or the headers: nothing is guessed then.

set -eu

probe=$1 out=$2
shift 2
name=$(basename "$probe" .c)

# compiles FORM COMPILER FLAG...: what the compiler has to complain about goes to OUT.FORM.
# Nobody's -Werror makes a form fail for a warning; but these are no mere warnings.
compiles()
{
	form=$1
	shift
	LC_ALL=C "$@" -Wno-error -Werror=implicit-function-declaration -Werror=int-conversion \
		-Werror=incompatible-pointer-types -fsyntax-only "$probe" 2>"$out.$form"
}

# The compiler's first error, or what there is instead.
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
