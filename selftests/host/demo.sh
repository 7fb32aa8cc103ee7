#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests how "make demo" judges a run: it passes only if MRC had what the planes that were left carry,
# and mrcd named what was broken and nothing else. Tests also its picture, and its table, on a terminal
# and without one. demo.py makes up what the guest reports.
#
# Usage: demo.sh TOP

. "$(dirname "$0")/lib.sh"

scripts=$1/scripts
here=$(dirname "$(realpath "$0")")
link='h1 3.3 h1-p2t0r1 is denied: no carrier'
switch='h1 7.6 p3t1s1 is denied: no probe'
allowed=('h1 12.0 p3t1s1 is allowed again' 'h1 13.5 h1-p2t0r1 is allowed again')

command -v python3 >/dev/null || exit 4

# report STATUS COMPLAINT "OPTION..." "HOST T TEXT"...: a run, see demo.py
report()
{
	local wanted=$1 complaint=$2 status=0
	local -a options
	read -ra options <<<"$3"
	shift 3

	rm -f "$HOST_TMP/goodput.svg"
	python3 -B "$here/demo.py" "${options[@]}" -- "$@" |
		PYTHONPATH=$scripts/lib python3 -B "$scripts/demo.d/report.py" "$HOST_TMP" \
			>"$HOST_TMP/out" 2>"$HOST_TMP/err" || status=$?
	equal "status of '$complaint'" "$wanted" "$status"
	equal "complaint" "${complaint:+demo: $complaint}" "$(cat "$HOST_TMP/err")"
}

# shown NAME LINE
shown()
{
	grep -qxF -- "$2" "$HOST_TMP/out" || wrong "$1:" "wanted: $2" "$(cat "$HOST_TMP/out")"
}

# row NAME LINE: the same, except that the distance of columns does not matter
row()
{
	sed -E 's/([^ ]) +/\1 /g' "$HOST_TMP/out" | grep -qxF -- "$2" ||
		wrong "$1:" "wanted: $2" "$(cat "$HOST_TMP/out")"
}

report 0 "" "" "$link" "$switch" "${allowed[@]}"
shown "when it was named" \
	'  link h1:eth2: h1-p2t0r1 denied after 0.30 s, allowed 2.5 s after its repair'
shown "health" '    plane 1'
shown "planes" '  2 s   193 Mb/s | p1 up    50 2/2'
shown "the peers" '  2 s    48 Mb/s'
row "all planes" '  all is well 193 100% 193 100% 48 25%'
row "one plane less" '  a link of h1 is cut 145 75% 145 75% 0 0%'
row "less than it had" '    less than half of what is left, for 0 ms 0 ms 0 ms'
row "short and long" '    less than half of what is left, for 80 ms 1.1 s 4.0 s'
[ -s "$HOST_TMP/samples.json" ] || wrong "no samples.json"
PYTHONPATH=$scripts/lib:$scripts/demo.d python3 -B "$here/demo_picture.py" "$HOST_TMP/goodput.svg" ||
	wrong "the picture"

# A bar's text stands in the bar, behind it or before it.
PYTHONPATH=$scripts/lib python3 -B - >"$HOST_TMP/bars.svg" <<-'PYTHON'
	from frame import Frame
	class Bars(Frame):
	    def legend(self): pass
	    def content(self): pass
	long = "a text that is longer than its bar"
	print(Bars("bars", "Mb/s", 0, 16, 1, [
	    {"from": a, "to": b, "text": long, "color": "#000000"}
	    for a, b in ((0, 15), (1, 1.5), (14, 15), (12, None))]).svg())
PYTHON
python3 -B "$here/demo_picture.py" "$HOST_TMP/bars.svg" texts || wrong "bars"

# The goodput that MRC had.
report 1 "MRC has 75% of what 4 planes carry while both are repaired" "mrc=100,75,75,75" "$link" \
	"$switch" "${allowed[@]}"
report 1 "MRC has 80% of what 3 planes carry while a link of h1 is cut" "mrc=100,60,75,100" "$link" \
	"$switch" "${allowed[@]}"
report 1 "MRC has 133% of what 3 planes carry while a link of h1 is cut" "mrc=100,100,75,100" \
	"$link" "$switch" "${allowed[@]}"
report 0 "" "mrc=90,66,80,90" "$link" "$switch" "${allowed[@]}"
report 1 "3 QP errors" "qp_errors=3" "$link" "$switch" "${allowed[@]}"
report 1 "TCP over ECMP sends nothing while all is well" "tcp=0,0,0,0" "$link" "$switch" \
	"${allowed[@]}"
report 1 "no route to host" "problem=no_route_to_host" "$link" "$switch" "${allowed[@]}"
report 1 "this machine was too busy: the faults under MPTCP did not come and go in time" "unmended=MPTCP" \
	"$link" "$switch" "${allowed[@]}"
[ ! -e "$HOST_TMP/goodput.svg" ] || wrong "a picture without an end of the faults"
report 1 "the run ended before its time" "aborted=1" "$link" "$switch" "${allowed[@]}"

# The capacity that MRC did not use: left idle by MRC, or withheld by the machine.
all_planes='plane 1 carried 100%; plane 2 carried 100%'
report 0 "" "links=full" "$link" "$switch" "${allowed[@]}"
row "what planes carried" "  a switch is dead, too 100% - 100% 100%"
report 1 "MRC has 80% of what 4 planes carry while both are repaired; $all_planes; plane 3 carried 50% \
(50% left idle); plane 4 carried 100%" "links=idle mrc=100,75,75,80" "$link" "$switch" "${allowed[@]}"
report 0 "" "links=late mrc=100,70,70,80" "$link" "$switch" "${allowed[@]}"
row "what planes carried, and the machine withheld" \
	"  all is well 100% 100% 50% (50%) 100%"
report 1 "MRC has 70% of what 4 planes carry while both are repaired; $all_planes; plane 3 carried 50% \
(50% withheld by the machine); plane 4 carried 100%" "links=late mrc=100,70,70,70" "$link" "$switch" \
	"${allowed[@]}"
report 0 "" "links=saturated mrc=50,40,40,50" "$link" "$switch" "${allowed[@]}"
report 0 "" "links=full only=1" "$link" "$switch" "${allowed[@]}"
row "MRC alone" "  all is well 193 100%"

# The elements that mrcd named.
report 1 "mrcd of h1 did not name h1-p2t0r1" "" "$switch" "${allowed[0]}"
report 1 "mrcd of h1 did not name h1-p2t0r1" "" "h2 3.5 h1-p2t0r1 is denied: why" \
	"h2 13.5 h1-p2t0r1 is allowed again" "$switch" "${allowed[0]}"
report 1 "mrcd of h1 takes h1-p2t0r1 for broken in the end" "" "$link" "$switch" "${allowed[0]}"
report 1 "mrcd of h1 named h1-p2t0r1, but did not deny it" "" \
	"h1 3.5 h1-p2t0r1 is not denied, because too few planes or T1s would be left: no carrier" "$switch" \
	"${allowed[0]}" "h1 13.5 h1-p2t0r1 is no longer a fault"
report 1 "mrcd of h2 was wrong at 8.0 s: p1t1s1 is denied: no probe" "" "$link" "$switch" \
	"h2 8.0 p1t1s1 is denied: no probe" "h2 9.0 p1t1s1 is allowed again" "${allowed[@]}"
report 1 "mrcd of h1 was wrong at 14.0 s: h1-p2t0r1 is denied: lossy" "" "$link" "$switch" \
	"${allowed[@]}" "h1 14.0 h1-p2t0r1 is denied: lossy" "h1 15.0 h1-p2t0r1 is allowed again"

# Lines that scroll above the table appear where the table was, and it is drawn again below them.
PYTHONPATH=$scripts/lib:$scripts/demo.d:$here python3 -B - >"$HOST_TMP/live" <<-'PYTHON'
	import sys
	from demo import plane_sample
	from record import Record
	from table import Live
	record, view = Record(), Live(sys.stdout)
	record.add('{"kind":"flow","peer":"MRC","planes":4}')
	for t in (0, 1):
	    record.add(plane_sample(t))
	record.add('{"kind":"goodput","samples":[[0,0],[1,1000000]]}')
	view.draw(record)
	view.say("first\nsecond")
	view.draw(record)
PYTHON
told=$(PYTHONPATH=$scripts/lib:$scripts/demo.d python3 -B "$here/demo_carried.py" 2>&1) ||
	wrong "what planes carried:" "$told"
table=$(sed -n '1,/first$/p' "$HOST_TMP/live" | head -n -1 | wc -l)
grep -qF $'\e['"${table}A"$'\e[Jfirst' "$HOST_TMP/live" ||
	wrong "the table of $table lines makes room:" "$(cat -v "$HOST_TMP/live")"
equal "the table comes again" "$table" "$(sed '1,/^second$/d' "$HOST_TMP/live" | grep -c $'\e\\[K')"
exit $failed
