#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests libmrc, the OCP's controller API: what mrc_ctl.h promises (mrc_ctl_test), with QPs within one
# device and between two; owners; and that nothing is left behind.
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"
. "$SELFTESTS/lib/cases.sh"

# cases TITLE ARGUMENT...: runs them as the controller of mrc1
cases()
{
	run_cases "$1" ip netns exec p1 mrc_ctl_test "${@:2}"
}

ids()
{
	on p1 mrcctl -j "$1" show mrc1 | jq -c "[.[].\"$1\"]"
}

need mrc_ctl_test mrcctl jq
pair_up
# Packets from a device to itself use no plane.
cases "one device" '--gtest_filter=-Probes.*' mrc1
cases "two devices" mrc1 -N p2 mrc2
check_equal "no EV profile is left" "[0]" "$(ids ev-profile)"
check_equal "no CC profile is left" "[0]" "$(ids cc-profile)"
index=$(on p1 mrcctl -j device show mrc1 | jq '.[0]."dev-index"')
check_equal "no file of one is" "" "$(find "/run/mrc/ctl/$index" -type f)"
check "its owner has a name" on p1 mrcctl ev-profile add mrc1 7 owner mrc-ctl format stev \
	ev port 1 value 1
check_equal "which is shown" '["mrc-ctl"]' \
	"$(on p1 mrcctl -j ev-profile show mrc1 7 | jq -c '[.[].owner]')"
finish
