#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Gloo's transport for InfiniBand, by which PyTorch's process groups go: two ranks on two hosts sum up, broadcast and
# exchange vectors, and check them.

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"

need ibv_devinfo jq mrc_gloo rdma

# gid_index HOST: the index of the host's IPv6 address
gid_index()
{
	on "p$1" ibv_devinfo -v -d "mrc$1" | sed -nE "s/^\s*GID\[ *([0-9]+)\]:\s*$(pair_addr "$1"), RoCE v2\$/\1/p"
}

# rank HOST: what the rank of this host prints, or how it failed
rank()
{
	on "p$1" timeout $((60 * SLOW)) mrc_gloo "mrc$1" "$(gid_index "$1")" "$TEST_TMP/store" $(($1 - 1)) 2 2>&1
}

pair_up
mkdir "$TEST_TMP/store"
rank 1 >"$TEST_TMP/rank1" &
check_output "rank 1" '^right$' rank 2
wait $!
check_equal "rank 0" right "$(<"$TEST_TMP/rank1")"
check "writes with immediate" test "$(counter mrc2 tx_write_requests)" -gt 100
check "SENDs" test "$(counter mrc2 tx_send_requests)" -gt 0
check_equal "no request has failed" "0 0" "$(counter mrc1 req_cqe_error) $(counter mrc2 req_cqe_error)"
finish
