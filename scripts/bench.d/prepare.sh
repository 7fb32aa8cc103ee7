# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# For the kinds that measure in a virtual machine. Each of them sets top, the project's folder.

# known_cases KIND "CASE..." NAME...: refuses a name that is no case of this kind, before anything is built.
known_cases()
{
	local kind=$1 cases=$2 name
	shift 2

	for name; do
		[[ " $cases " == *" $name "* ]] && continue
		echo "bench: '$name' is neither a kind nor a case of $kind ($cases)" >&2
		exit 2
	done
}

# prepare KERNEL [--tests]: installs what these kinds need, and builds the module for KERNEL, and
# userspace, with --tests also its tests.
prepare()
{
	local kdir

	# shellcheck disable=SC2154 # top: of the caller
	"$top/scripts/setup" build vm bench ${2:+test}
	. "$top/scripts/lib/tools.sh"
	tools_use "$top"
	kdir=$("$top/scripts/kernels" "$1" | awk '{ print $2 }')
	"$top/scripts/build-module" "$1" "$kdir"
	"$top/scripts/build-userspace" ${2:+"$2"}
}
