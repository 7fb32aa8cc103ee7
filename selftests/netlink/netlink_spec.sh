#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks the netlink family against its specification: a client that knows nothing but
# Documentation/netlink/specs/mrc.yaml drives the module, with each operation and each limit, with and
# without privileges. fuzz_netlink.sh sends noise.
# timeout: 1800
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"
. "$SELFTESTS/lib/hold.sh"

need python3 rdma jq mrc_hold

yaml_python || skip_all "needs the yaml module of Python"

# spec NAME TEST: runs a test of spec_tests.py inside p1
spec()
{
	check "$1" on p1 "$python" "$SELFTESTS/lib/spec_tests.py" \
		"$TOP/Documentation/netlink/specs/mrc.yaml" mrc1 spare "$2"
}

pair_up
ip -n p1 link add spare type dummy
ip -n p1 link set spare up

spec "the module itself" info
spec "devices" device
spec "planes" plane
spec "EV profiles and EVs" ev_profile
spec "EV profiles: modes, formats, refusals" ev_profile_modes
spec "EV profiles: the largest" ev_profile_size
spec "CC profiles" cc_profile
spec "CC profiles: settings of nscc" cc_profile_nscc
spec "CC profiles: what follows from settings" cc_profile_derived
spec "routes" route
spec "events" events
spec "changes of what is configured" config_events
spec "changes under a dump" torn
spec "what an operation does not take is refused, by name" strict
spec "limits of the specification are the kernel's" ranges
spec "what is missing is named" missing
hold_start -n p1 mrc1 -N p2 mrc2
hold_write "QPs to look at"
spec "peers and QPs" peer_and_qp
spec "probes" probe
spec "raw probes" raw_probe
ip -n p1 route add fd0a::/64 via "$(pair_addr 2)"
spec "probes: as many as may be at a time" probes_at_a_time
spec "who made a QP, told where that means something" creator
spec "without privileges" unprivileged
hold_write "QPs survive it all"
finish
