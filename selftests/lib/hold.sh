# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Two connected QPs that follow commands (mrc_hold), behind lib.sh.

HOLD_FILE=$TEST_TMP/held

# hold_start OPTION...: see mrc_hold; $HOLD_FILE describes both sides and what they send next.
hold_start()
{
	local line

	coproc HOLD { exec mrc_hold "$@" 2>"$TEST_TMP/hold.err"; }
	at_exit kill "$HOLD_PID"
	# Bash hides the descriptors of a coprocess from command substitutions.
	exec {HOLD_TO}>&"${HOLD[1]}" {HOLD_FROM}<&"${HOLD[0]}"
	if ! read -r -t "$WAIT_LIMIT" line <&"$HOLD_FROM" || [ "${line:0:1}" != "{" ]; then
		bail "hold" "$line" "$(timeout 5 cat <&"$HOLD_FROM")" "$(cat "$TEST_TMP/hold.err")"
	fi
	echo "$line" >"$HOLD_FILE"
}

# hold COMMAND KEY: runs the command, and prints a value of the answer.
hold()
{
	local line

	echo "$1" >&"$HOLD_TO"
	read -r -t "$WAIT_LIMIT" line <&"$HOLD_FROM" || line='{}'
	echo "$line" >>"$HOLD_FILE"
	jq -r ".$2" <<<"$line"
}

# hold_write NAME: passes when both sides can write.
hold_write()
{
	check_equal "$1" true "$(hold write good)"
}

hold_stop()
{
	exec {HOLD_TO}>&- {HOLD_FROM}<&-
	kill "$HOLD_PID"
	wait "$HOLD_PID"
}
