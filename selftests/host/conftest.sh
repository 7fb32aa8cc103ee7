#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The module's compile-time probes: of the two forms of each, exactly one compiles. If not, for whatever
# reason, the build stops, and one line names the probe and the compiler's error.
#
# Usage: conftest.sh TOP

. "$(dirname "$0")/lib.sh"

top=$1
command -v gcc >/dev/null || exit 4
kdir=$("$top/scripts/kernels" 6.12 2>"$HOST_TMP/log") || { cat "$HOST_TMP/log" >&2; exit 4; }
kdir=${kdir#* }
mkdir "$HOST_TMP/one"

# probe STATUS ANSWER OLD NEW [FLAG...]: runs such a probe, without a kernel.
probe()
{
	local status=0 wanted=$1 answer=$2
	printf '#ifdef PROBE_NEW\n%s\n#else\n%s\n#endif\n' "$4" "$3" >"$HOST_TMP/one/some.c"
	shift 4

	rm -f "$HOST_TMP/one/out.h"
	sh "$top/kernel/compat/conftest.sh" "$HOST_TMP/one/some.c" "$HOST_TMP/one/out.h" \
		"${compiler[@]}" "$@" 2>"$HOST_TMP/said" || status=$?
	equal "status of '$answer'" "$wanted" "$status"
	if [ "$wanted" = 0 ]; then
		equal "answer" "$answer" "$(cat "$HOST_TMP/one/out.h")"
		equal "what it says beside '$answer'" "" "$(cat "$HOST_TMP/said")"
	else
		# shellcheck disable=SC2053 # a pattern
		[[ $(cat "$HOST_TMP/said") = $answer ]] || wrong "wanted: $answer" "found:  $(cat "$HOST_TMP/said")"
	fi
	equal "files after '$answer'" "$([ "$wanted" != 0 ] || echo out.h)" \
		"$(find "$HOST_TMP/one" -type f ! -name some.c -printf '%f\n')"
}

compiler=(gcc)
probe 0 '#define HAVE_SOME 1' 'int i = missing;' 'int i;'
probe 0 '/* no HAVE_SOME */' 'int i;' 'int i = missing;'
probe 1 'conftest: probe some: both forms compile*' 'int i;' 'int i;'
probe 1 "conftest: probe some: neither form compiles; the old one: *some.c:4:*error: *'a'*; the new one: *some.c:2:*error: *'b'*" \
	'int i = a;' 'int i = b;'
probe 1 'conftest: probe some: neither form compiles; *fatal error: none.h: No such file*' \
	'int i = a;' 'int i;' -include none.h
# Flags that turn warnings into errors decide nothing. A form that is never right is an error, not a mere
# warning.
probe 0 '#define HAVE_SOME 1' 'int i = missing;' 'static int i;' -Wall -Wextra -Werror
probe 0 '/* no HAVE_SOME */' 'static int i;' 'char *p = 1;' -Wall -Wextra -Werror
probe 0 '/* no HAVE_SOME */' 'int i;' 'void f(void) { g(); }'
probe 0 '#define HAVE_SOME 1' 'int i; char *p = &i;' 'int i; int *p = &i;'
compiler=(/nowhere/gcc)
probe 1 'conftest: probe some: neither form compiles; the old one: *nowhere/gcc*' 'int i = a;' 'int i;'

# A module that consists of the probes only.
module=$HOST_TMP/module
mkdir -p "$module/include/uapi"
cp -r "$top/kernel/Kbuild" "$top/kernel/compat" "$module"
printf '#include <linux/module.h>\nMODULE_LICENSE("GPL");\n' >"$module/main.c"

# build [ARGUMENT...]: builds it, and prints the output.
build()
{
	make -s -C "$kdir" M="$module" CONFIG_DEBUG_INFO_BTF_MODULES= "$@" 2>&1
}

said=$(build W=1 KCFLAGS=-Werror) || wrong "it does not build:" "$said"
for name in "$module"/compat/conftest/*.c; do
	name=$(basename "$name" .c)
	equal "lines about $name" 1 "$(grep -ciE "(no|define) HAVE_$name( |$)" "$module/generated/compat-config.h")"
done
# Nothing has changed: no probe runs, and nothing is built.
touch "$HOST_TMP/now"
said=$(build W=1 KCFLAGS=-Werror) || wrong "it does not build again:" "$said"
equal "made anew" "" "$(find "$module/generated" -newer "$HOST_TMP/now" -type f)"

# A header that is gone, for a probe whose new form is right here.
probe=$module/compat/conftest/skb_frags_readable.c
cp "$probe" "$HOST_TMP/good.c"
sed -i 's,linux/skbuff.h,linux/gone.h,' "$probe"
said=$(build) && wrong "builds with a header that is gone"
equal "lines about it" 1 "$(grep -c "^conftest: probe skb_frags_readable: neither form compiles.*linux/gone.h" <<<"$said")"
cp "$HOST_TMP/good.c" "$probe"
sed -i 's/int \*\*skb_frags_readable/int **nobodys/' "$probe"
said=$(build) && wrong "builds with a probe that says nothing"
equal "lines about it" 1 "$(grep -c "^conftest: probe skb_frags_readable: both forms compile" <<<"$said")"

build clean >/dev/null
equal "left by 'make clean'" "" "$(find "$module/generated" -type f ! -name '.*')"
exit $failed
