# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Helpers of tests where several hosts send to one, behind traffic.sh. SENDERS is an array of the
# senders, RECEIVER the receiving host.

# in_folder FOLDER COMMAND...: runs it with the files of one sender's traffic
in_folder()
{
	local TEST_TMP=$TEST_TMP/$1
	shift

	"$@"
}

# senders_launch OPTION...: starts all senders at once, in the background
senders_launch()
{
	local host

	clients=() servers=()
	for host in "${SENDERS[@]}"; do
		mkdir -p "$TEST_TMP/$host"
		in_folder "$host" traffic_launch "$host" "$RECEIVER" "$@"
		clients+=("$TRAFFIC_CLIENT")
		servers+=("$TRAFFIC_SERVER")
	done
}

# check_senders_end NAME [COMMAND]: all that each sender has sent is verified
check_senders_end()
{
	local n

	for n in "${!SENDERS[@]}"; do
		TRAFFIC_CLIENT=${clients[n]} TRAFFIC_SERVER=${servers[n]}
		in_folder "${SENDERS[n]}" check_traffic_end "$1: ${SENDERS[n]}: all verified" "${@:2}"
	done
}

# senders_run N: waits until each sender has sent N packets
senders_run()
{
	local host

	for host in "${SENDERS[@]}"; do
		wait_for counter_above "$host" tx_packets "$1" ||
			bail "$host sends" "$(in_folder "$host" traffic_report)"
	done
}

# sent HOST: prints its packets, each counted once
sent()
{
	echo $(($(counter "$1" tx_packets) - $(counter "$1" retransmitted_packets)))
}

# sent_all: prints the packets of each sender, and the sum
sent_all()
{
	local host
	local -i n sum=0

	for host in "${SENDERS[@]}"; do
		n=$(sent "$host")
		sum+=$n
		printf '%d ' "$n"
	done
	echo $sum
}

# sum_above N
sum_above()
{
	local -a now

	read -ra now < <(sent_all)
	[ "${now[-1]}" -gt "$1" ]
}

# shares BEFORE...: prints each sender's share, of 1000, of all that was sent since then
shares()
{
	local -a before=("$@") now
	local -i n

	read -ra now < <(sent_all)
	for n in "${!SENDERS[@]}"; do
		printf '%d ' $((1000 * (now[n] - before[n]) / (now[-1] - before[-1])))
	done
}
