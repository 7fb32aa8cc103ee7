#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the calls of NCCL's own network transport between two ranks, by verbs and by mrc.h, and the
# queries that it makes of a device (mrc_nccl_test).
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"
. "$SELFTESTS/lib/cases.sh"

need mrc_nccl_test
pair_up
run_cases "two ranks" mrc_nccl_test -n p1 -N p2 mrc1 mrc2
run_cases "two ranks of one device" mrc_nccl_test -n p1 '--gtest_filter=Sequence*' mrc1
finish
