#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# scripts/setup installs what is missing, and changes nothing that is installed unless the user asks for
# it: packages that cannot be installed then go into the cache. apt-get, dpkg-query and scripts/root are
# made up: "git" and its library are there in version 1, shellcheck is not.
#
# Usage: setup.sh TOP

. "$(dirname "$0")/lib.sh"

fake=$HOST_TMP/fake
calls=$HOST_TMP/calls
setup=$HOST_TMP/tree/scripts/setup
mkdir -p "$fake" "$(dirname "$setup")"
cp "$1/scripts/setup" "$setup"
cp -r "$1/scripts/lib" "$(dirname "$setup")"
cd "$HOST_TMP/tree" || exit 1

cat >"$fake/dpkg-query" <<-'FAKE'
	#!/bin/sh
	case $* in
	*source:Package*) printf 'installed %s 1 git 1\n' git libgit; echo 'config-files old 1 old 1' ;;
	*) printf '%s installed\n' git clang-format; [ ! -e "$FAKE/complete" ] || echo shellcheck installed ;;
	esac
FAKE
# "stale": nothing works before an update. "needy": impossible without another libgit. "sly": the same,
# but apt-get ignores the preferences that keep everything.
cat >"$fake/apt-get" <<-'FAKE'
	#!/bin/bash
	echo "$*" >>"$CALLS"
	preferences=$(sed -n 's/.*Dir::Etc::preferences=\([^ ]*\).*/\1/p' <<<"$*")
	[ -z "$preferences" ] || cp "$preferences" "$FAKE/pins"
	case " $* " in
	*" update "*) rm "$FAKE/stale"; exit ;;
	esac
	if [ -e "$FAKE/stale" ] || { [ -e "$FAKE/needy" ] && [ -n "$preferences" ]; }; then
		echo 'E: Unable to correct problems' >&2
		exit 100
	fi
	case " $* " in
	*" -s "*) [ ! -e "$FAKE/needy" ] && [ ! -e "$FAKE/sly" ] || echo 'Inst libgit [1] (2 Debian [amd64])'
		echo 'Inst shellcheck (1 Debian [amd64])' ;;
	esac
FAKE
# "user": not root.
cat >"$fake/id" <<-'FAKE'
	#!/bin/sh
	[ -e "$FAKE/user" ] && echo 1000 || echo 0
FAKE
# The folder has a compiler, a library that no host has, and one that every host has.
cat >"$HOST_TMP/tree/scripts/root" <<-'FAKE'
	#!/bin/sh
	[ ! -e "$FAKE/offline" ] || exit 1
	echo "$*" >"$FAKE/fetched"
	mkdir -p "$FAKE/root/usr/bin" "$FAKE/root/usr/lib/x86_64-linux-gnu"
	printf '#!/bin/sh\necho "$@"\n' >"$FAKE/root/usr/bin/g++-14"
	chmod +x "$FAKE/root/usr/bin/g++-14"
	touch "$FAKE/root/usr/lib/x86_64-linux-gnu/libnobody.so.7" "$FAKE/root/usr/lib/x86_64-linux-gnu/libc.so.6"
	echo "$FAKE/root"
FAKE
chmod +x "$fake"/* "$HOST_TMP/tree/scripts/root"
export FAKE=$fake CALLS=$calls
unset MRC_UPGRADE

# setup_status WANTED NAME "STATE..." COMMAND...
setup_status()
{
	local wanted=$1 name=$2 status=0
	local -a states

	read -ra states <<<"$3"
	shift 3
	(cd "$fake" && rm -rf complete stale needy sly user offline pins fetched root "$calls" ../tree/build && touch "${states[@]}" "$calls")
	PATH=$fake:$PATH "$@" >"$HOST_TMP/out" 2>&1 </dev/null || status=$?
	equal "$name: status" "$wanted" "$status"
}

# fetched NAME PACKAGE: it is fetched into the cache, with all that the usual purposes need, and is
# used.
fetched()
{
	grep -qw -- "$2" "$fake/fetched" 2>/dev/null || wrong "$1: not in the cache: $2"
	grep -qw -- libsystemd-dev "$fake/fetched" 2>/dev/null || wrong "$1: the usual packages are not there"
	equal "$1: where it is" "$fake/root" "$(readlink build/tools/root)"
	said "$1" 'missing packages into the cache'
}

# installed NAME COUNT: apt-get was asked to install COUNT times.
installed()
{
	equal "$1: installations" "$2" "$(grep -vc -e ' -s ' -e update "$calls")"
}

# said NAME TEXT
said()
{
	grep -qF -- "$2" "$HOST_TMP/out" || wrong "$1 does not say '$2':" "$(cat "$HOST_TMP/out")"
}

setup_status 0 "nothing missing" complete "$setup" lint
equal "nothing missing: calls" "" "$(cat "$calls")"

setup_status 1 "only asked" "" "$setup" -n lint
installed "only asked" 0
said "only asked" '--no-install-recommends shellcheck'
setup_status 0 "somebody else" user "$setup" lint
installed "somebody else" 0
fetched "somebody else" shellcheck
equal "somebody else: libraries" libnobody.so.7 "$(ls build/tools/lib)"
equal "somebody else: the compiler looks there" "--sysroot=$fake/root -c x" "$(build/tools/bin/g++-14 -c x)"
setup_status 1 "nothing can be fetched" "user offline" "$setup" lint

setup_status 0 "plain" "" "$setup" lint
installed "plain" 1
said "plain" 'installing, in a minute'
grep -q -- ' -y .* shellcheck$' "$calls" || wrong "plain: installed:" "$(cat "$calls")"
equal "pinned" "$(printf '%s 1 %s\n' git 1000 src:git 990 libgit 1000)" \
	"$(awk '/^Package/ { p = $2 } /^Pin: / { v = $3 } /^Pin-P/ && v == "1" { print p, v, $2 }' "$fake/pins")"

setup_status 0 "not without a change" needy "$setup" lint
installed "not without a change" 0
fetched "not without a change" shellcheck
setup_status 0 "not without a change, of a sly one" sly "$setup" lint
installed "not without a change, of a sly one" 0
setup_status 0 "option" needy "$setup" -u lint
installed "option" 1
said "option" 'upgrading installed packages, as asked: libgit (1 to 2)'
setup_status 0 "environment" needy env MRC_UPGRADE=1 "$setup" lint
installed "environment" 1

setup_status 0 "old lists" stale "$setup" lint
installed "old lists" 1
said "old lists" 'refreshing'

# No question, not even on a terminal.
if command -v script >/dev/null; then
	setup_status 0 "terminal" needy script -qec "$setup lint" /dev/null
	fetched "terminal" shellcheck
fi
exit $failed
