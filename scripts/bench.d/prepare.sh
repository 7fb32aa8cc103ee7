# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# For the kinds that measure in a virtual machine. Each of them sets top, the project's folder.

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
