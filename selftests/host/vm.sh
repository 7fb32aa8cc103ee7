#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests what scripts/vm promises: streams, exit status, folder, files, and a time limit.
#
# Usage: vm.sh TOP

. "$(dirname "$0")/lib.sh"

vm=$1/scripts/vm
series=6.12
out=$HOST_TMP/out

# vm_status WANTED NAME ARGUMENT...: the streams go to $HOST_TMP/NAME.out and .err.
vm_status()
{
	local wanted=$1 name=$2 status=0
	shift 2

	"$vm" -o "$out" "$@" >"$HOST_TMP/$name.out" 2>"$HOST_TMP/$name.err" </dev/null || status=$?
	[ "$status" = "$wanted" ] ||
		wrong "$name: status $status, wanted $wanted" "$(tail -n 5 "$HOST_TMP/$name.err")"
}

[ -e "${MRC_CACHE:-$HOME/.cache/soft-mrc}/kernels/$series/current/release" ] || exit 4
for program in qemu-system-x86_64 busybox setpriv; do
	command -v "$program" >/dev/null || exit 4
done

vm_status 2 "no command" -k $series
vm_status 2 "bad number" -t none true
vm_status 2 "bad option" --nothing true
vm_status 125 "unknown kernel" -k nothing true

# Arguments are kept as they are; both streams, files both ways, the current folder. What two machines
# share is visible at once, and unchanged.
mkdir -p "$HOST_TMP/here" "$HOST_TMP/shared"
: >"$HOST_TMP/shared/todo"
echo before >"$HOST_TMP/here/file"
cd "$HOST_TMP/here" || exit 1
# The emulator breaks the first time, as QEMU may while a kernel boots.
emulator=$("$1/scripts/emulator" | paste -sd ' ')
cat >"$HOST_TMP/qemu" <<-FAKE
	#!/bin/sh
	[ ! -e "$HOST_TMP/broke" ] || exec $emulator "\$@"
	: >"$HOST_TMP/broke"
	echo "qemu: iotlb: Assertion 'sections' failed."
	kill -ABRT \$\$
FAKE
chmod +x "$HOST_TMP/qemu"
# shellcheck disable=SC2016 # for the shell inside
MRC_QEMU=$HOST_TMP/qemu vm_status 37 "command" -k $series -t 300 -m 512 -s "$HOST_TMP/shared" -- bash -c '
	printf "%s|" "$PWD" "$(id -u)" "$(<file)" "$@"
	uname -r
	echo "on standard error" >&2
	echo after >file && cat file
	echo new >other
	mkdir "$VM_OUT/folder" && echo result >"$VM_OUT/folder/file"
	mv ../shared/todo ../shared/done
	exit 37' name 'two  words' '$HOME;*' ''
release=$(<"${MRC_CACHE:-$HOME/.cache/soft-mrc}/kernels/$series/current/release")
# shellcheck disable=SC2016 # as it was given
equal "standard output" "$(printf '%s|' "$PWD" 0 before 'two  words' '$HOME;*' '')$release"$'\n'after \
	"$(cat "$HOST_TMP/command.out")"
# The first run on a machine also prints its test of KVM.
grep -q "broke while booting, once more: qemu: iotlb" "$HOST_TMP/command.err" ||
	wrong "command: no word of the emulator that broke" "$(cat "$HOST_TMP/command.err")"
equal "standard error" "on standard error" \
	"$(grep -vE '^vm: |: line [0-9]+: ( *[0-9]+ Aborted|wait_for: No record)' "$HOST_TMP/command.err")"
equal "the host's file" before "$(cat file)"
equal "the host's folder" file "$(ls)"
equal "what came back" result "$(cat "$out/folder/file" 2>&1)"
equal "shared folder" "done" "$(ls "$HOST_TMP/shared")"
grep -q 'Linux version' "$out/dmesg.log" || wrong "no kernel log in dmesg.log"

# stop_machine: stops it for three seconds, as soon as the loop below has begun
stop_machine()
{
	local pid

	until [ -e "$HOST_TMP/shared/began" ]; do
		sleep 0.01
	done
	pid=$(pgrep -f "qemu-system.*path=$HOST_TMP/shared") || return
	kill -STOP "$pid"
	sleep 3
	kill -CONT "$pid"
}

# A clock that counts instructions does not notice that the host stood still.
stop_machine &
stopper=$!
# shellcheck disable=SC2016 # for the shell inside
vm_status 0 "counting clock" -k $series -t 300 -m 512 -s "$HOST_TMP/shared" --icount -- bash -c '
	began=$EPOCHREALTIME
	: >../shared/began
	for ((n = 0; n < 50000; n++)); do :; done
	: >../shared/ended
	ended=$EPOCHREALTIME
	echo $((${ended/./} - ${began/./}))'
kill $stopper 2>/dev/null
wait $stopper || wrong "counting clock: the machine was not stopped" ''
guest=$(cat "$HOST_TMP/counting clock.out")
here=$(stat -c %.6Y "$HOST_TMP/shared/ended" "$HOST_TMP/shared/began" | tr -d . | paste -sd -)
# Two of the three seconds: at one instruction per nanosecond the loop may take longer there than here.
if [ "${guest:-0}" -le 0 ] || [ $((guest + 2000000)) -gt $((here)) ]; then
	wrong "counting clock: $guest us there, $((here)) us here" ''
fi

vm_status 125 "no shared folder" -k $series -s "$HOST_TMP/nothing" -- true

# Or the emulator sleeps for ever. The limit also counts for its successor, which may have to boot
# beside others on a busy host: half a minute has been seen.
cat >"$HOST_TMP/qemu" <<-FAKE
	#!/bin/sh
	[ ! -e "$HOST_TMP/slept" ] || exec $emulator "\$@"
	: >"$HOST_TMP/slept"
	exec sleep 1000
FAKE
VM_BOOT_LIMIT=100 MRC_QEMU=$HOST_TMP/qemu vm_status 0 "sleeper" -k $series -t 300 -- true
grep -q "broke while booting, once more: no sign of life for 100 s" "$HOST_TMP/sleeper.err" ||
	wrong "sleeper: no word of the emulator that slept" "$(cat "$HOST_TMP/sleeper.err")"

# An emulator that ends in any other way gets no second try.
printf '#!/bin/sh\nexit 1\n' >"$HOST_TMP/qemu"
MRC_QEMU=$HOST_TMP/qemu vm_status 125 "dead emulator" -k $series -- true

vm_status 124 "time limit" -k $series -t 1 sleep 100
grep -q 'ended by a limit (1 s)' "$HOST_TMP/time limit.err" || wrong "no word of the time limit"

# The machine is silent for too long, and then reports what it was doing. Booting time does not count.
printf '#!/bin/sh\nsleep 40\nexec %s "$@"\n' "$emulator" >"$HOST_TMP/qemu"
MRC_QEMU=$HOST_TMP/qemu vm_status 124 "quiet" -k $series -t 300 -q 25 -- bash -c 'echo first; exec sleep 250'
equal "before it was quiet" first "$(cat "$HOST_TMP/quiet.out")"
grep -q 'nothing printed for 25 s' "$HOST_TMP/quiet.err" || wrong "no word of the silence"
grep -q 'task:sleep' "$out/console.log" || wrong "no tasks in console.log"
grep -q 'RIP=' "$out/registers.log" || wrong "no registers in registers.log"
exit $failed
