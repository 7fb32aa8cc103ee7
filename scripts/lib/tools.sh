# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Where missing packages cannot be installed, scripts/setup puts them, and all that they need, into a
# folder of the cache (scripts/root), and build/tools links to that folder. Installed programs come
# first. Headers and libraries to build with are taken from the folder alone, because those fit each
# other.

# Compilers that look into that folder instead of /usr.
TOOLS_COMPILERS=(gcc g++ cc c++ cpp gcc-12 g++-12 gcc-14 g++-14)

# tools_make TOP ROOT: makes build/tools, for a folder that scripts/root has made.
tools_make()
{
	local tools=$1/build/tools root=$2 arch new
	arch=$(basename "$(dirname "$(echo "$root"/usr/lib/*/libc.so.6)")")

	new=$(mktemp -d "$1/build/.tools.XXXXXX")
	mkdir "$new/bin" "$new/lib"
	ln -s "$root" "$new/root"
	tools_compilers "$new/bin" "$root"
	tools_libraries "$new/lib" "$root/usr/lib/$arch" "/usr/lib/$arch" "/lib/$arch"
	chmod 755 "$new"
	rm -rf "$tools"
	mv "$new" "$tools"
}

# tools_compilers FOLDER ROOT
tools_compilers()
{
	local name real

	for name in "${TOOLS_COMPILERS[@]}"; do
		case $name in
		cc) real=gcc ;;
		c++) real=g++ ;;
		*) real=$name ;;
		esac
		real=$(PATH=/usr/bin:$2/usr/bin command -v "$real") || continue
		printf '#!/bin/sh\nexec %q --sysroot=%q "$@"\n' "$real" "$2" >"$1/$name"
		chmod +x "$1/$name"
	done
}

# tools_libraries FOLDER FROM HOST...: links to libraries that the host does not have. The C library
# stays the host's.
tools_libraries()
{
	local to=$1 from=$2 path name place
	shift 2

	while IFS= read -r path; do
		name=${path##*/}
		for place; do
			[ ! -e "$place/$name" ] || continue 2
		done
		ln -sf "$path" "$to/$name"
	done < <(find "$from" -maxdepth 2 \( -name 'lib*.so.*' -o -name 'lib*-[0-9]*.so' \))
}

# tools_use TOP: sets the environment to build and run with, if there is such a folder.
tools_use()
{
	local tools=$1/build/tools root arch

	[ -e "$tools/root/usr" ] && [ "${MRC_TOOLS:-}" != "$tools" ] || return 0
	root=$(realpath "$tools/root")
	arch=$(basename "$(dirname "$(echo "$root"/usr/lib/*/libc.so.6)")")
	export MRC_TOOLS=$tools
	export PATH=$tools/bin:$PATH:/usr/sbin:/sbin:$root/usr/bin:$root/usr/sbin
	export LD_LIBRARY_PATH=$tools/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export PKG_CONFIG_LIBDIR=$root/usr/lib/$arch/pkgconfig:$root/usr/share/pkgconfig
	export PKG_CONFIG_SYSROOT_DIR=$root
	export CMAKE_PREFIX_PATH=$root/usr
	export PYTHONPATH=$root/usr/lib/python3/dist-packages${PYTHONPATH:+:$PYTHONPATH}
	export GROFF_FONT_PATH=$root/usr/share/groff/current/font
	export GROFF_TMAC_PATH=$root/usr/share/groff/current/tmac
}
