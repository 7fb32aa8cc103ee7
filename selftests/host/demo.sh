#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What "make demo" thinks of a run: good only when traffic went on, and mrcd named what was
# broken and nothing else. And its table, on a terminal and without one.
#
# Usage: demo.sh TOP

# shellcheck source=selftests/host/lib.sh
. "$(dirname "$0")/lib.sh"

scripts=$1/scripts
named='h1 5.5 h1-p2t0r1 is denied: no carrier'
allowed='h1 17.5 h1-p2t0r1 is allowed again'

command -v python3 >/dev/null || exit 4

# sample T: of one plane, 1 MB per second
sample()
{
	printf '{"kind":"sample","t":%s,"planes":[{"port":1,"up":true,"evs":2,"evs_good":2,"lost":0,' "$1"
	printf '"tx_packets":%d,"rx_packets":%d,"rx_bytes":%d}],' "$1" "$1" $(($1 * 1000000))
	printf '"retransmitted":0,"duplicates":0,"qp_errors":0}\n'
}

# fault T HEALED
fault()
{
	printf '{"kind":"fault","t":%s,"what":"link h1:eth2","plane":2,"how":"cut",' "$1"
	printf '"element":"h1-p2t0r1","healed":%s}\n' "$2"
}

# decisions "HOST T TEXT"...: a list
decisions()
{
	local host t text line separator=

	for line; do
		read -r host t text <<<"$line"
		printf '%s{"host":"%s","t":%s,"text":"%s"}' "$separator" "$host" "$t" "$text"
		separator=,
	done
}

# run_of QP_ERRORS VERIFIED "HOST T TEXT"...: what the guest reports
run_of()
{
	local qp_errors=$1 verified=$2 t
	shift 2

	echo '{"kind":"setup","kernel":"6.12","command":"ib_write_bw","seconds":24}'
	for ((t = 0; t < 24; t++)); do
		sample $t
		[ $t != 5 ] || fault 5.2 false
		[ $t != 6 ] || printf '%s\n' '{"kind":"health","t":6.1,"host":"h1","text":"mrc0 h1\n    plane 1"}'
		[ $t != 15 ] || fault 15.2 true
	done
	printf '{"kind":"end","write_bw":{"gbps":1,"status":0},"traffic":{"bytes_verified":%d},' \
		"$verified"
	printf '"qp_errors":%d,"retransmitted":0,"problems":[],"decisions":[%s]}\n' "$qp_errors" \
		"$(decisions "$@")"
}

# report STATUS COMPLAINT QP_ERRORS VERIFIED "HOST T TEXT"...
report()
{
	local wanted=$1 complaint=$2 status=0
	shift 2

	run_of "$@" | PYTHONPATH=$scripts/lib python3 -B "$scripts/demo.d/report.py" "$HOST_TMP" \
		>"$HOST_TMP/out" 2>"$HOST_TMP/err" || status=$?
	equal "status of '$complaint'" "$wanted" "$status"
	equal "complaint" "${complaint:+demo: $complaint}" "$(cat "$HOST_TMP/err")"
}

report 0 "" 0 1 "$named" "$allowed"
grep -qxF '  link h1:eth2: h1-p2t0r1 denied after 0.30 s, allowed 2.3 s after its repair' \
	"$HOST_TMP/out" || wrong "the summary says when:" "$(cat "$HOST_TMP/out")"
grep -A 2 -F '6.1 s  h1$ mrcctl health' "$HOST_TMP/out" | grep -qxF '    plane 1' ||
	wrong "health is shown:" "$(cat "$HOST_TMP/out")"
for file in goodput.svg samples.json; do
	[ -s "$HOST_TMP/$file" ] || wrong "no $file"
done

report 1 "3 QP errors" 3 1 "$named" "$allowed"
report 1 "no bytes were verified" 0 0 "$named" "$allowed"
report 1 "mrcd of h1 did not name h1-p2t0r1" 0 1
report 1 "mrcd of h1 did not name h1-p2t0r1" 0 1 "h2 5.5 h1-p2t0r1 is denied: why" \
	"h2 17.5 h1-p2t0r1 is allowed again"
report 1 "mrcd of h1 takes h1-p2t0r1 for broken in the end" 0 1 "$named"
report 1 "mrcd of h1 named h1-p2t0r1, but did not deny it" 0 1 \
	"h1 5.5 h1-p2t0r1 is not denied, for too little would be left: no carrier" \
	"h1 17.5 h1-p2t0r1 is no fault any more"
report 1 "mrcd of h2 was wrong at 8.0 s: p1t1s1 is denied: no probe" 0 1 "$named" \
	"h2 8.0 p1t1s1 is denied: no probe" "h2 9.0 p1t1s1 is allowed again" "$allowed"
report 1 "mrcd of h1 was wrong at 20.0 s: h1-p2t0r1 is denied: lossy" 0 1 "$named" "$allowed" \
	"h1 20.0 h1-p2t0r1 is denied: lossy" "h1 22.0 h1-p2t0r1 is allowed again"

# What scrolls above the table stands where the table stood, which is drawn again below it.
PYTHONPATH=$scripts/lib:$scripts/demo.d python3 -B - >"$HOST_TMP/live" <<-'PYTHON'
	import sys
	from record import Record
	from table import Live
	record, view = Record(), Live(sys.stdout)
	for t in (0, 1):
	    record.add('{"kind":"sample","t":%d,"planes":[{"port":1,"up":true,"evs":2,"evs_good":2,'
	               '"lost":0,"tx_packets":1,"rx_packets":1,"rx_bytes":1}],"retransmitted":0,'
	               '"duplicates":0,"qp_errors":0}' % t)
	view.draw(record)
	view.say("first\nsecond")
	view.draw(record)
PYTHON
table=$(sed -n '1,/first$/p' "$HOST_TMP/live" | head -n -1 | wc -l)
grep -qF $'\e['"${table}A"$'\e[Jfirst' "$HOST_TMP/live" ||
	wrong "the table of $table lines makes room:" "$(cat -v "$HOST_TMP/live")"
equal "the table comes again" "$table" "$(sed '1,/^second$/d' "$HOST_TMP/live" | grep -c $'\e\\[K')"
exit $failed
