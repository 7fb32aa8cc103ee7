#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The job of MPI that "make demo-mpi" shows: it goes on while a host's link and a switch die, and its results are right.
# timeout: 900

. "$(dirname "$0")/../lib.sh"

need ibv_devinfo jq rdma
"$TOP/scripts/programs" >/dev/null || bail "the programs, which scripts/programs fetches"
modprobe -q rdma_ucm || skip_all "needs rdma_ucm"
wait_for rdma system set netns exclusive || skip_all "devices cannot be a namespace's own"
if "$TOP/scripts/demo.d/mpi.sh" 2>"$TEST_TMP/complaints" | diag && [ "${PIPESTATUS[0]}" = 0 ]; then
	ok "the demonstration"
else
	fail "the demonstration" "$(<"$TEST_TMP/complaints")"
fi
finish
