#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the simulator as it is used: the rows of "make sim" that take a second, the same digest however
# a run is divided, its complaints about wrong files and command lines, and pictures.
#
# Usage: sim.sh TOP MRCSIM

. "$(dirname "$0")/lib.sh"

top=$1 mrcsim=$2
scenarios=$top/userspace/mrcsim/scenarios

# digest OPTION...: prints the digest of the permutation
digest()
{
	"$mrcsim" run "$@" "$scenarios/permutation.toml" | sed -n 's/^digest //p'
}

# refused STATUS TEXT ARGUMENT...
refused()
{
	local wanted=$1 text=$2 status=0
	shift 2

	"$mrcsim" "$@" >/dev/null 2>"$HOST_TMP/err" || status=$?
	equal "status of mrcsim $*" "$wanted" "$status"
	equal "mrcsim $*" "$text" "$(head -n 1 "$HOST_TMP/err")"
}

python3 -B "$top/scripts/sim.d/main.py" --program "$mrcsim" --jobs 1 --output "$HOST_TMP" --quick \
	>"$HOST_TMP/table" 2>&1 || wrong "rows:" "$(cat "$HOST_TMP/table")"
equal "rows" "$(grep -c 'quick=True' "$top/scripts/sim.d/rows.py")" "$(grep -c '^ok' "$HOST_TMP/table")"
for picture in goodput evs flows queues; do
	python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' \
		"$HOST_TMP/S3-16-1-$picture.svg" || wrong "S3-16-1-$picture.svg is no XML"
done

one=$(digest)
for how in '-c 1' '-c 2' '-t 2'; do
	# shellcheck disable=SC2086
	equal "digest, $how" "$one" "$(digest $how)"
done
[ "$one" != "$(digest -s run.seed=2)" ] || wrong "another seed has the same digest"

# Runs the examples of its manual page, where the program is installed, from another folder.
mapfile -t examples < <(sed -n '/^\.SH EXAMPLES/,$ { s/\\-/-/g; s/^# mrcsim //p }' "$top/Documentation/man/mrcsim.1")
[ ${#examples[@]} -ge 2 ] || wrong "mrcsim.1 has ${#examples[@]} examples"
for example in "${examples[@]}"; do
	# shellcheck disable=SC2086
	(cd "$HOST_TMP" && "$mrcsim" ${example//\/usr\/local\/share\/mrcsim/$scenarios}) >"$HOST_TMP/example" ||
		wrong "mrcsim $example:" "$(cat "$HOST_TMP/example")"
done
[ -s "$HOST_TMP/out.json" ] || wrong "an example has left no out.json"

printf '[link]\ngbps = "fast"\n' >"$HOST_TMP/bad.toml"
refused 1 "$HOST_TMP/bad.toml:2: link: gbps: must be a number, not a string" run "$HOST_TMP/bad.toml"
refused 1 "$HOST_TMP/none.toml: No such file or directory" run "$HOST_TMP/none.toml"
refused 1 "$scenarios/pair.toml: completed is 1, not 2 or more" \
	run -s expect.completed=2 "$scenarios/pair.toml"
refused 2 "mrcsim: FILE is missing" run
refused 2 "mrcsim: unknown command 'plan'" plan x
refused 2 "mrcsim: THREADS must be 1 to 256, not '0'" run -t 0 x
refused 2 "mrcsim: 'seed' is not KEY=VALUE" run -s seed x
exit $failed
