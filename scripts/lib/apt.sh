# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Lets every user run apt, with a state of its own: it installs nothing, and the host's state stays as
# it is. Packages come from the host's sources and are checked with the host's keys.

# apt_state DIR: a folder for one run. Nothing counts as installed there, so that all that a package
# needs gets fetched, too. The lists are the host's, until apt_refresh.
apt_state()
{
	apt_dir=$1
	eval "$(apt-config shell apt_lists Dir::State::lists/d)"
	apt_sources=()
	mkdir -p "$apt_dir"/{lists,cache/archives}/partial
	: >"$apt_dir/status"
}

# apt TOOL ARGUMENT...: e.g. apt apt-get update
apt()
{
	local tool=$1
	shift

	"$tool" -q -o "Dir::State::status=$apt_dir/status" -o "Dir::State::lists=$apt_lists" \
		-o "Dir::Cache=$apt_dir/cache" -o APT::Sandbox::User=root -o Debug::NoLocking=true \
		"${apt_sources[@]}" "$@"
}

# apt_refresh: fetches today's lists. The host's may be too old, or missing.
apt_refresh()
{
	apt_lists=$apt_dir/lists
	apt apt-get update
}

# apt_from SUITE: uses the packages of this suite of Debian alone, with its security updates.
apt_from()
{
	local signed='[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]'

	echo "deb $signed http://deb.debian.org/debian $1 main" >"$apt_dir/sources.list"
	echo "deb $signed http://deb.debian.org/debian-security $1-security main" >>"$apt_dir/sources.list"
	apt_sources=(-o "Dir::Etc::sourcelist=$apt_dir/sources.list" -o Dir::Etc::sourceparts=-)
	apt_refresh
}
