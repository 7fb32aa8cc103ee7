#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests what "make install" installs, and where, from the tree as it is built.
#
# Usage: install.sh TOP BUILD

. "$(dirname "$0")/lib.sh"

top=$1 build=$2
root=$HOST_TMP/root

if ! DESTDIR=$root cmake --install "$build" --prefix /opt/mrc >"$HOST_TMP/log" 2>&1; then
	cat "$HOST_TMP/log" >&2
	exit 1
fi

# libibverbs decides where it looks for providers, whatever the prefix.
(cd "$root" && find . -type f | sed -E 's,^\./,,; s,.*/libibverbs/libmrc-rdmav[0-9]+\.so$,PROVIDER,' |
	sort) >"$HOST_TMP/found"
sort >"$HOST_TMP/wanted" <<-'LIST'
	PROVIDER
	etc/libibverbs.d/mrc.driver
	opt/mrc/lib/systemd/system/mrcd.service
	opt/mrc/bin/mrcsim
	opt/mrc/sbin/mrcctl
	opt/mrc/sbin/mrcd
	opt/mrc/share/bash-completion/completions/mrcctl
	opt/mrc/share/fish/vendor_completions.d/mrcctl.fish
	opt/mrc/share/man/man1/mrcsim.1
	opt/mrc/share/man/man7/mrc.7
	opt/mrc/share/man/man7/mrc_ctl.7
	opt/mrc/share/man/man3/mrc_ack_async_event.3
	opt/mrc/share/man/man3/mrc_ack_cq_events.3
	opt/mrc/share/man/man3/mrc_create_comp_channel.3
	opt/mrc/share/man/man3/mrc_create_context.3
	opt/mrc/share/man/man3/mrc_create_cq.3
	opt/mrc/share/man/man3/mrc_create_qp.3
	opt/mrc/share/man/man3/mrc_create_qp_hint.3
	opt/mrc/share/man/man3/mrc_ctl_create_ev_event_cq.3
	opt/mrc/share/man/man3/mrc_ctl_ep_batch_send_wait.3
	opt/mrc/share/man/man3/mrc_ctl_modify_cc_profile.3
	opt/mrc/share/man/man3/mrc_ctl_modify_ev_fmt_profile.3
	opt/mrc/share/man/man3/mrc_ctl_modify_ev_profile.3
	opt/mrc/share/man/man3/mrc_ctl_modify_port.3
	opt/mrc/share/man/man3/mrc_ctl_poll_ev_event.3
	opt/mrc/share/man/man3/mrc_ctl_query_cc_profile.3
	opt/mrc/share/man/man3/mrc_ctl_query_device.3
	opt/mrc/share/man/man3/mrc_ctl_query_device_ex.3
	opt/mrc/share/man/man3/mrc_ctl_query_ev_fmt_profile.3
	opt/mrc/share/man/man3/mrc_ctl_query_ev_profile.3
	opt/mrc/share/man/man3/mrc_ctl_query_port.3
	opt/mrc/share/man/man3/mrc_ctl_query_version.3
	opt/mrc/share/man/man3/mrc_destroy_comp_channel.3
	opt/mrc/share/man/man3/mrc_destroy_context.3
	opt/mrc/share/man/man3/mrc_destroy_cq.3
	opt/mrc/share/man/man3/mrc_destroy_qp.3
	opt/mrc/share/man/man3/mrc_destroy_qp_hint.3
	opt/mrc/share/man/man3/mrc_get_async_event.3
	opt/mrc/share/man/man3/mrc_get_comp_channel_fd.3
	opt/mrc/share/man/man3/mrc_get_cq_event.3
	opt/mrc/share/man/man3/mrc_get_qpn.3
	opt/mrc/share/man/man3/mrc_modify_qp.3
	opt/mrc/share/man/man3/mrc_modify_qp_hint.3
	opt/mrc/share/man/man3/mrc_poll_cq.3
	opt/mrc/share/man/man3/mrc_post_recv.3
	opt/mrc/share/man/man3/mrc_post_send.3
	opt/mrc/share/man/man3/mrc_query_device.3
	opt/mrc/share/man/man3/mrc_query_device_ex.3
	opt/mrc/share/man/man3/mrc_query_qp.3
	opt/mrc/share/man/man3/mrc_query_qp_hint.3
	opt/mrc/share/man/man3/mrc_query_version.3
	opt/mrc/share/man/man3/mrc_req_notify_cq.3
	opt/mrc/include/mrc.h
	opt/mrc/include/mrc_api_ver.h
	opt/mrc/include/mrc_ctl.h
	opt/mrc/include/mrc_ctl_api_ver.h
	opt/mrc/lib/cmake/mrc/mrcConfig.cmake
	opt/mrc/lib/cmake/mrc/mrcConfigVersion.cmake
	opt/mrc/lib/cmake/mrc/mrcTargets.cmake
	opt/mrc/lib/cmake/mrc/mrcTargets-relwithdebinfo.cmake
	opt/mrc/lib/libmrc.so.1.0.1
	opt/mrc/lib/pkgconfig/mrc.pc
	opt/mrc/share/man/man5/mrcd.toml.5
	opt/mrc/share/man/man8/mrcctl-cc-profile.8
	opt/mrc/share/man/man8/mrcctl-daemon.8
	opt/mrc/share/man/man8/mrcctl-device.8
	opt/mrc/share/man/man8/mrcctl-ev.8
	opt/mrc/share/man/man8/mrcctl-ev-profile.8
	opt/mrc/share/man/man8/mrcctl-feature.8
	opt/mrc/share/man/man8/mrcctl-health.8
	opt/mrc/share/man/man8/mrcctl-monitor.8
	opt/mrc/share/man/man8/mrcctl-peer.8
	opt/mrc/share/man/man8/mrcctl-plane.8
	opt/mrc/share/man/man8/mrcctl-probe.8
	opt/mrc/share/man/man8/mrcctl-qp.8
	opt/mrc/share/man/man8/mrcctl-route.8
	opt/mrc/share/man/man8/mrcctl-top.8
	opt/mrc/share/man/man8/mrcctl.8
	opt/mrc/share/man/man8/mrcd.8
	opt/mrc/share/zsh/site-functions/_mrcctl
	opt/mrc/share/mrcsim/incast-many.toml
	opt/mrc/share/mrcsim/incast.toml
	opt/mrc/share/mrcsim/links-dead.toml
	opt/mrc/share/mrcsim/nothing-lost.toml
	opt/mrc/share/mrcsim/oversubscribed.toml
	opt/mrc/share/mrcsim/pair.toml
	opt/mrc/share/mrcsim/permutation.toml
	opt/mrc/share/mrcsim/planes-lost.toml
	opt/mrc/share/mrcsim/single-path.toml
	opt/mrc/share/mrcsim/two-pairs.toml
	opt/mrc/share/mrcsim/victim.toml
LIST
diff -u --label wanted --label installed "$HOST_TMP/wanted" "$HOST_TMP/found" >&2 ||
	wrong "installed files"

version=$(sed -n 's/^MODULE_VERSION("\(.*\)");/\1/p' "$top/kernel/main.c")
equal "version of mrcctl" "mrcctl $version" "$("$root/opt/mrc/sbin/mrcctl" -V 2>&1)"
equal "version of mrcd" "mrcd $version" "$("$root/opt/mrc/sbin/mrcd" --version 2>&1)"
equal "version of mrcsim" "mrcsim $version" "$("$root/opt/mrc/bin/mrcsim" --version 2>&1)"
provider=$(find "$root" -name 'libmrc-rdmav*.so')
# libibverbs loads a provider by the name in the .driver file, with its ABI added.
name=$(sed -n 's/^driver //p' "$root/etc/libibverbs.d/mrc.driver")
equal "name of the provider" "lib$name" "$(basename "${provider%-rdmav*}")"
grep -qa 'verbs_register_driver' "$provider" || wrong "$provider is no provider"

# runs NAME COMMAND...: runs a program that looks for a device that does not exist
runs()
{
	local said

	said=$("${@:2}" mrc9 2>&1)
	[[ $said = "mrc9: no such device" || $said = "devices: "* ]] || wrong "$1" "$said"
}

# A program is built against what is installed, wherever that is.
sed -f "$top/userspace/libmrc/tests/page_example.sed" "$top/Documentation/man/mrc.7" >"$HOST_TMP/page.c"
read -ra flags < <(PKG_CONFIG_PATH=$root/opt/mrc/lib/pkgconfig pkg-config --cflags --libs mrc libibverbs)
cc -o "$HOST_TMP/by-pkg-config" "$HOST_TMP/page.c" "${flags[@]}" 2>"$HOST_TMP/log" ||
	wrong "pkg-config's flags" "$(cat "$HOST_TMP/log")"
# On a machine without RDMA it finds no devices.
runs "with pkg-config's flags" env LD_LIBRARY_PATH="$root/opt/mrc/lib" "$HOST_TMP/by-pkg-config"
cat >"$HOST_TMP/CMakeLists.txt" <<-'CMAKE'
	cmake_minimum_required(VERSION 3.25)
	project(page LANGUAGES C)
	find_package(mrc 1.0 REQUIRED)
	add_executable(page page.c)
	target_link_libraries(page PRIVATE mrc::mrc)
CMAKE
if cmake -S "$HOST_TMP" -B "$HOST_TMP/page" -DCMAKE_PREFIX_PATH="$root/opt/mrc" >"$HOST_TMP/log" 2>&1 &&
	cmake --build "$HOST_TMP/page" >>"$HOST_TMP/log" 2>&1; then
	runs "with find_package" "$HOST_TMP/page/page"
else
	wrong "find_package" "$(cat "$HOST_TMP/log")"
fi
for page in "$top"/Documentation/man/*; do
	cmp -s "$page" "$root/opt/mrc/share/man/man${page##*.}/${page##*/}" ||
		wrong "another manual page than $page"
done
exit $failed
