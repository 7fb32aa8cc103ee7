#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Find out by compiling what a kernel's headers offer.
#
# Usage: conftest.sh KDIR OUT
#
# Every conftest/NAME.c beside this script is compiled by the kernel's own build
# system against KDIR.  OUT receives "#define HAVE_NAME 1" for each that does.
# Nothing is compiled when neither KDIR nor a probe has changed since, and OUT
# is only touched when its content changes.

set -euo pipefail

probes=$(dirname "$(realpath "$0")")/conftest
kdir=$(realpath "$1")
out=$2

die()
{
	echo "conftest: $*" >&2
	exit 1
}

key_of_inputs()
{
	{
		echo "$kdir"
		cat "$0" "$probes"/*.c "$kdir/include/generated/autoconf.h" \
			"$kdir/include/generated/utsrelease.h"
		printf '%s\n' "$probes"/*.c
	} | sha256sum | cut -d ' ' -f 1
}

compile()
{
	local dir=$1
	shift

	cat >"$dir/Kbuild" <<-'KBUILD'
	obj-m := $(patsubst $(src)/%.c,%.o,$(wildcard $(src)/*.c))
	ccflags-y := -Werror=int-conversion -Werror=incompatible-pointer-types
	KBUILD
	# Objects that do not compile are the answer, not an error.
	make -s -k -j "$(nproc)" -C "$kdir" M="$dir" "$@" >"$dir/log" 2>&1 || true
}

main()
{
	local key dir name
	local -a names=() objects=()

	[ -e "$kdir/include/generated/autoconf.h" ] ||
		die "$kdir is not a configured kernel build folder"
	key=$(key_of_inputs)
	if [ -e "$out" ] && grep -q "key: $key" "$out"; then
		return
	fi

	dir=$(mktemp -d)
	# shellcheck disable=SC2064 # the name is fixed here
	trap "rm -rf '$dir'" EXIT
	for name in "$probes"/*.c; do
		name=$(basename "$name" .c)
		[[ $name =~ ^[a-z][a-z0-9_]*$ ]] || die "bad probe name '$name'"
		names+=("$name")
		objects+=("$name.o")
	done
	cp "$probes"/*.c "$dir"
	compile "$dir" "${objects[@]}"
	if ! [ -e "$dir/always.o" ]; then
		cat "$dir/log" >&2
		die "cannot compile anything against $kdir"
	fi
	{
		echo "/* SPDX-License-Identifier: GPL-2.0-only */"
		echo "/* Written by compat/conftest.sh; key: $key */"
		for name in "${names[@]}"; do
			if [ -e "$dir/$name.o" ]; then
				echo "#define HAVE_${name^^} 1"
			else
				echo "/* no HAVE_${name^^} */"
			fi
		done
	} >"$dir/config.h"
	mkdir -p "$(dirname "$out")"
	cp "$dir/log" "$(dirname "$out")/conftest.log"
	cp "$dir/config.h" "$out"
}

[ $# = 2 ] || die "usage: conftest.sh KDIR OUT"
main
