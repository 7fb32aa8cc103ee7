#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs one test that drives the module by its specification.

Usage: spec_tests.py SPEC DEVICE NETDEV TEST

NETDEV is one that is no plane of DEVICE yet.
"""

import ctypes
import errno
import os
import socket
import struct
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from genl_spec import F_ACK, F_DUMP, HEADERS, Family, Refused, attribute, drop_privileges

SEGS = ["fc00::1", "fc00::2", "fc00::3"]


def srh(segments, mode=1):
    """struct seg6_iptunnel_encap with a segment routing header, mode encap."""
    count = len(segments)
    data = struct.pack("=i", mode)
    data += struct.pack("BBBBBBH", 0, 2 * count, 4, count - 1, count - 1, 0, 0)
    return data + b"".join(socket.inet_pton(socket.AF_INET6, s) for s in reversed(segments))


def unshare_pids():
    """Children from now on live in a pid namespace of their own."""
    libc = ctypes.CDLL(None, use_errno=True)
    expect(libc.unshare(0x20000000) == 0, os.strerror(ctypes.get_errno()))  # CLONE_NEWPID


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


def refused(code, call, *args, **kwargs):
    """The call must be refused with this error, and with a text. Returns the refusal."""
    try:
        call(*args, **kwargs)
    except Refused as refusal:
        expect(refusal.code == code, f"{refusal}, not {errno.errorcode[code]}")
        expect(refusal.text, f"{errno.errorcode[code]} without a word")
        return refusal
    raise AssertionError(f"not refused: {args} {kwargs}")


class Tests:
    def __init__(self, spec, device, netdev):
        self.f = Family(spec)
        self.device = device
        self.ifindex = socket.if_nametoindex(netdev)
        self.netdev = netdev

    def do(self, name, **values):
        return self.f.call(name, dev_name=self.device, **values)

    def dump(self, name, **values):
        return self.f.dump(name, dev_name=self.device, **values)

    # ---- each operation

    def test_info(self):
        info = self.f.call("info-get")[0]
        expect(set(info) == set(self.f.ops["info-get"]["do"]["reply"]["attributes"]), info)

    def test_device(self):
        before = self.do("device-get")[0]
        wanted = self.f.ops["device-get"]["do"]["reply"]["attributes"]
        expect(set(before) == set(wanted), f"{set(wanted) ^ set(before)}")
        expect(before in [d | {"counter": before["counter"]} for d in self.f.dump("device-get")],
               "the dump shows another device")
        by_index = self.f.call("device-get", dev_index=before["dev-index"])[0]
        expect(by_index["dev-name"] == self.device, by_index)
        refused(errno.ENODEV, self.f.call, "device-get", dev_name=self.device,
                dev_index=before["dev-index"] + 1000)
        refused(errno.EINVAL, self.f.call, "device-get")
        refused(errno.ENODEV, self.f.dump, "device-get", dev_name="none")
        change = {name: self.another(name, before[name]) for name in self.settings()}
        self.set_device(change)
        after = self.do("device-get")[0]
        for name, value in change.items():
            expect(after[name] == value != before[name], f"{name}: {after}")
        self.set_device({name: before[name] for name in change})
        expect(len(change) > 9, f"only {list(change)}")

    def settings(self):
        names = self.f.ops["device-set"]["do"]["request"]["attributes"]
        return [name for name in names if not name.startswith("dev-")]

    def set_device(self, values):
        self.do("device-set", **{name.replace("-", "_"): value for name, value in values.items()})

    def another(self, name, value):
        """A value that the setting does not have."""
        attr = self.f.spaces["device"].by_name[name][1]
        if attr["type"] == "binary":
            return "fd00::77"
        return value - 1 if value > attr["checks"].get("min", 0) else value + 1

    def test_plane(self):
        new = self.do("plane-add", port=9, ifindex=self.ifindex)[0]
        expect(new["port"] == 9 and new["ifname"] == self.netdev, new)
        refused(errno.EEXIST, self.do, "plane-add", port=9, ifindex=self.ifindex)
        refused(errno.ENODEV, self.do, "plane-add", ifindex=0x7ffffff0)
        self.do("plane-set", port=9, admin_state="down")
        got = self.do("plane-get", port=9)[0]
        expect(got["admin-state"] == "down", got)
        expect(set(got["stats"]) == {"tx-packets", "tx-bytes", "tx-errors", "rx-packets",
                                     "rx-bytes", "rx-ce"}, got)
        expect(9 in [p["port"] for p in self.dump("plane-get")], "not in the dump")
        self.do("plane-del", port=9)
        for name in ("plane-get", "plane-del"):
            refused(errno.ENOENT, self.do, name, port=9)
        refused(errno.ENOENT, self.do, "plane-set", port=9, admin_state="up")

    def test_ev_profile(self):
        evs = [{"port": 2, "sid": "fcbb:1::"}, {"port": 1, "encap": {"srh": srh(SEGS)}},
               {"port": 1, "table": 100, "denied": 1}, {"port": 2, "via": "fcbb:1:2:3:4:5::"},
               {"port": 3, "encap": {"srh": srh(["fc00::9"], mode=3)}}]
        self.do("ev-profile-add", id=7, format="srv6", active=3, ev=evs)
        refused(errno.EEXIST, self.do, "ev-profile-add", id=7, format="srv6", ev=evs)
        got = self.do("ev-profile-get", id=7)[0]
        expect((got["count"], got["denied"], got["mode"], got["min-active"], got["active"]) ==
               (5, 1, "explicit", 1, 3), got)
        shown = self.dump("ev-get", ev_profile=7)
        kinds = ("port", "sid", "via", "encap", "table")
        order = [evs[1], evs[2], evs[0], evs[3], evs[4]]
        for i, (ev, wanted) in enumerate(zip(shown, order)):
            found = {k: v for k, v in ev.items() if k in kinds}
            if "encap" in wanted:
                expect(found["encap"]["srh"][12:] == wanted["encap"]["srh"][12:], ev)
                expect(found["encap"]["srh"][:4] == wanted["encap"]["srh"][:4], "mode")
                found["encap"] = wanted["encap"]
            expect(ev["index"] == i, ev)
            expect(found == {k: v for k, v in wanted.items() if k != "denied"}, (found, wanted))
        expect(len(shown) == 5, shown)
        # What is shown can be set again.
        again = [{k: v for k, v in ev.items() if k in (*kinds, "denied")}
                 for ev in shown]
        self.do("ev-profile-set", id=7, format="srv6", ev=again)
        after = self.do("ev-profile-get", id=7)[0]
        expect(after["version"] > got["version"], "version")
        expect(self.dump("ev-get", ev_profile=7) ==
               [ev | {"version": after["version"]} for ev in shown], "differs after a round trip")
        expect(after["active"] == 0, "all, when left out")
        self.do("ev-set", ev_profile=7, index=3, denied=1)
        expect(self.do("ev-profile-get", id=7)[0]["denied"] == 2, "not denied")
        self.do("ev-set", ev_profile=7, index=3, denied=0)
        refused(errno.ENOENT, self.do, "ev-set", ev_profile=7, index=5, denied=1)
        refused(errno.ENOENT, self.do, "ev-set", ev_profile=8, index=0, denied=1)
        self.do("ev-profile-del", id=7)
        refused(errno.ENOENT, self.do, "ev-profile-get", id=7)
        refused(errno.ENOENT, self.do, "ev-profile-set", id=7, format="srv6", ev=evs)
        refused(errno.ENOENT, self.dump, "ev-get", ev_profile=7)

    def test_ev_profile_modes(self):
        big = (1 << 64) - 1
        self.do("ev-profile-add", id=big, format="udp", mode="auto", count=16, active=16)
        expect(self.do("ev-profile-get", id=big)[0]["active"] == 16, "active")
        self.do("ev-profile-set", id=big, format="stev", ev=[{"port": 1, "value": 0xc0001234}])
        ids = [p["id"] for p in self.dump("ev-profile-get")]
        expect(ids == sorted(ids) and ids[0] == 0 and ids[-1] == big, ids)
        expect(self.dump("ev-get")[-1]["value"] == 0xc0001234, "value")
        self.do("ev-profile-del", id=big)
        for bad in ({"mode": "auto"}, {"mode": "auto", "count": 4, "ev": {"port": 1, "value": 1}},
                    {}, {"count": 4, "ev": {"port": 1, "value": 1}}, {"ev": {"value": 1}},
                    {"ev": {"port": 1}}, {"ev": {"port": 1, "sid": "fc00::1"}},
                    {"min-active": 2, "ev": {"port": 1, "value": 1}},
                    {"active": 2, "ev": {"port": 1, "value": 1}},
                    {"active": 5, "mode": "auto", "count": 4}):
            bad = {k.replace("-", "_"): v for k, v in bad.items()}
            refused(errno.EINVAL, self.do, "ev-profile-add", id=1, format="stev", **bad)
        for bad in ({"value": 1}, {}, {"sid": "fc00::1", "table": 1}, {"sid": "ff02::1"},
                    {"sid": "fc00::1", "via": "fc00:1:2::"}, {"via": "ff02::1"}, {"via": "::"},
                    {"via": "fcbb:1:2:3:4:5:6:7"}, {"via": "fcbb:1:2::3"},
                    {"sid": "::"}, {"sid": "::1"}, {"sid": "fe80::1"}, {"sid": "::ffff:10.0.0.1"},
                    {"encap": {}}, {"encap": {"srh": bytes(28)}},
                    {"encap": {"srh": srh(["ff02::1"])}}, {"encap": {"srh": srh(SEGS, mode=0)}}):
            refused(errno.EINVAL, self.do, "ev-profile-add", id=1, format="srv6",
                    ev=[{"port": 1, "sid": "fc00::1"}, {"port": 1} | bad])
        refused(errno.EINVAL, self.do, "ev-profile-add", id=1, format="udp",
                ev={"port": 1, "value": 65536})
        refused(errno.EPERM, self.do, "ev-profile-set", id=0, format="stev", mode="auto", count=4)
        refused(errno.EPERM, self.do, "ev-profile-del", id=0)
        expect(ids[:-1] == [p["id"] for p in self.dump("ev-profile-get")], "something was left")

    def test_ev_profile_size(self):
        """The largest profile: 256 EVs with long segment lists, set in one request and read back."""
        self.f.socket.setsockopt(socket.SOL_SOCKET, 32, 4 << 20)    # SO_SNDBUFFORCE
        evs = [{"port": 1 + i // 8,
                "encap": {"srh": srh([f"fc00:{i:x}::{s:x}" for s in range(100)])}}
               for i in range(256)]
        self.do("ev-profile-add", id=5, format="srv6", ev=evs)
        shown = self.dump("ev-get", ev_profile=5)
        expect([ev["encap"]["srh"][12:] for ev in shown] == [ev["encap"]["srh"][12:] for ev in evs],
               "came back different")
        refused(errno.EINVAL, self.do, "ev-profile-set", id=5, format="srv6", ev=evs + evs[:1])
        expect(self.do("ev-profile-get", id=5)[0]["count"] == 256, "half applied")
        self.do("ev-profile-del", id=5)

    def test_cc_profile(self):
        self.do("cc-profile-add", id=3, algorithm="none", window=65536)
        refused(errno.EEXIST, self.do, "cc-profile-add", id=3, algorithm="none", window=65536)
        self.do("cc-profile-set", id=3, algorithm="none", window=131072)
        expect(self.do("cc-profile-get", id=3)[0]["window"] == 131072, "window")
        expect([p["id"] for p in self.dump("cc-profile-get")] == [0, 3], "dump")
        refused(errno.EOPNOTSUPP, self.do, "cc-profile-add", id=4, algorithm="magic", window=65536)
        refused(errno.ERANGE, self.do, "cc-profile-add", id=4, algorithm="none", window=1)
        refused(errno.EPERM, self.do, "cc-profile-set", id=0, algorithm="none", window=65536)
        self.do("cc-profile-del", id=3)
        refused(errno.ENOENT, self.do, "cc-profile-get", id=3)
        refused(errno.ENOENT, self.do, "cc-profile-del", id=3)

    def cc_settings(self):
        """Names of the settings of algorithm nscc."""
        names = self.f.ops["cc-profile-add"]["do"]["request"]["attributes"]
        others = ("dev-index", "dev-name", "id", "algorithm", "window", "owner", "claim", "alias")
        return [name for name in names if name not in others]

    def limits(self, space, name):
        """The least and the greatest value of a number."""
        attr = self.f.spaces[space].by_name[name][1]
        if "enum" in attr:
            return 0, max(self.f.enums[attr["enum"]].values())
        return attr["checks"].get("min", 0), attr["checks"]["max"]

    def most_of_nscc(self):
        return {name.replace("-", "_"): self.limits("cc-profile", name)[1]
                for name in self.cc_settings()}

    def put_nscc(self, verb="set", **values):
        named = {name.replace("-", "_"): value for name, value in values.items()}
        self.do(f"cc-profile-{verb}", id=3, algorithm="nscc", **named)
        return self.do("cc-profile-get", id=3)[0]

    def blames(self, code, name, **values):
        """The request is refused because of this attribute, its last one."""
        refusal = refused(code, self.put_nscc, **values)
        message = self.f.encode("cc-profile", {"dev-name": self.device, "id": 3,
                                               "algorithm": "nscc"})
        expect(refusal.offset == HEADERS + len(message), f"{name}: {refusal}, {refusal.offset}")

    def test_cc_profile_nscc(self):
        expect("nscc" in self.f.call("info-get")[0]["capabilities"], "no capability")
        plain = self.put_nscc("add")
        given = {"gamma": 800000, "max-md-jump": 500000, "qa-gate": 3, "quick-adapt": 1,
                 "trimming": 0, "ecn": "present", "scope": "peer"}
        for name in self.cc_settings():
            expect(plain.get(name) == given.get(name), f"{name}: {plain}")
        for name in self.cc_settings():
            least, most = self.limits("cc-profile", name)
            attr = self.f.spaces["cc-profile"].by_name[name][1]
            words = {number: word for word, number in self.f.enums.get(attr.get("enum"), {}).items()}
            for value in (least, most):
                got = self.put_nscc(**{name: value})
                got.pop("derived", None)
                expect(got == {**plain, name: words.get(value, value)}, f"{name} {value}: {got}")
            self.blames(errno.ERANGE, name, **{name: most + 1})
            if least:
                self.blames(errno.ERANGE, name, **{name: least - 1})
                self.blames(errno.ERANGE, name, **{name: 0})
            refused(errno.EINVAL, self.do, "cc-profile-set", id=3, algorithm="none", window=8192,
                    **{name.replace("-", "_"): most})
        self.blames(errno.EINVAL, "window", window=8192)
        refused(errno.EINVAL, self.do, "cc-profile-set", id=3, algorithm="none")
        self.do("cc-profile-set", id=3, algorithm="none", window=8192)
        fixed = self.do("cc-profile-get", id=3)[0]
        expect(not set(fixed) & {"derived", *self.cc_settings()}, fixed)
        self.do("cc-profile-del", id=3)

    def test_cc_profile_derived(self):
        """Derived values follow the formulas of UE, table 3-82, except the target."""
        expect("derived" not in self.put_nscc("add"), "of a base RTT that nobody knows")
        # The constants are given for 100 Gb/s and 12 us.
        d = self.put_nscc(**{"rate": 12500000000, "base-rtt": 12000, "ecn": 1})["derived"]
        expect((d["target-delay"], d["qa-threshold"], d["qa-period"]) == (12000, 8000000, 24000), d)
        d = self.put_nscc(**{"rate": 12500000000, "base-rtt": 100000})["derived"]
        expect((d["target-delay"], d["qa-threshold"], d["qa-period"]) == (75000, 8000000, 175000), d)
        d = self.put_nscc(**{"rate": 12500000000, "base-rtt": 3000000})["derived"]
        expect((d["target-delay"], d["qa-threshold"]) == (2250000, 12000000), d)
        d = self.put_nscc(**{"rate": 12500000000, "base-rtt": 12000, "target-delay": 9000})["derived"]
        mtu = d["mtu"]
        expect((d["rate"], d["bdp"], d["max-cwnd"]) == (12500000000, 150000, 225000), d)
        expect((d["target-delay"], d["qa-threshold"], d["qa-period"]) == (9000, 8000000, 21000), d)
        expect((d["adjust-bytes"], d["adjust-period"]) == (8 * mtu, 12000), d)
        expect((d["fi"], d["fi-scale"]) == (5 * mtu, 250000), d)
        expect(abs(d["eta"] - 0.15 * mtu) <= 1, d)
        expect(abs(d["alpha"] - 4 * mtu * 1000000 // 12000) < d["alpha"] // 1000, d)
        d = self.put_nscc(**{"base-rtt": 12000, "trimming": 1, "fi": 7, "eta": 9, "fi-scale": 5000000,
                             "max-cwnd": 8192, "adjust-bytes": 11, "adjust-period": 1000})["derived"]
        expect((d["fi"], d["eta"], d["fi-scale"], d["max-cwnd"], d["adjust-bytes"],
                d["adjust-period"]) == (7, 9, 5000000, 8192, 11, 1000), d)
        expect("qa-threshold" not in d, "never, with trimming")
        speeds = self.plane_speeds()
        expect(d["rate"] == sum(speeds) * 125000, f"{d}, links {speeds}")
        self.do("cc-profile-del", id=3)

    def plane_speeds(self):
        """The planes' speeds, as ethtool shows them, in Mb/s."""
        return [self.speed_of(plane["ifname"]) for plane in self.dump("plane-get")]

    @staticmethod
    def speed_of(netdev):
        try:
            with open(f"/sys/class/net/{netdev}/speed", encoding="ascii") as file:
                return max(int(file.read()), 0) or 10000
        except OSError:
            return 10000

    def test_route(self):
        self.do("ev-profile-add", id=7, format="stev", mode="auto", count=8)
        self.do("route-add", prefix="fd01::", prefix_len=64, ev_profile=7)
        self.do("route-add", prefix="fd01::2", prefix_len=128, ev_profile=0)
        refused(errno.EEXIST, self.do, "route-add", prefix="fd01::", prefix_len=64, ev_profile=7)
        self.do("route-replace", prefix="fd01::", prefix_len=64, ev_profile=7, cc_profile=0)
        match = self.do("route-get", gid="fd01::3")[0]
        found = (match["prefix"], match["prefix-len"], match["ev-profile"])
        expect(found == ("fd01::", 64, 7), match)
        expect(self.do("route-get", gid="fd01::2")[0]["ev-profile"] == 0, "longest prefix")
        expect("prefix" not in self.do("route-get", gid="fd02::2")[0], "a route for all")
        expect([(r["prefix"], r["prefix-len"]) for r in self.dump("route-get")] ==
               [("fd01::2", 128), ("fd01::", 64)], "dump")
        refused(errno.EINVAL, self.do, "route-add", prefix="fd01::1", prefix_len=64, ev_profile=7)
        missing = refused(errno.ENOENT, self.do, "route-add", prefix="fd03::", prefix_len=64,
                          ev_profile=99)
        expect(missing.offset is not None, "which attribute?")
        refused(errno.ENOENT, self.do, "route-add", prefix="fd03::", prefix_len=64, ev_profile=7,
                cc_profile=99)
        expect("usid" not in self.do("route-get", gid="fd01::2")[0], "whole paths")
        self.do("route-replace", prefix="fd01::2", prefix_len=128, ev_profile=0, usid=0xF002)
        expect(self.do("route-get", gid="fd01::2")[0]["usid"] == 0xF002, "uSID")
        refused(errno.ERANGE, self.do, "route-replace", prefix="fd01::2", prefix_len=128,
                ev_profile=0, usid=0)
        self.do("ev-profile-add", id=8, format="srv6", ev={"port": 1, "via": "fcbb:1:2::"})
        self.do("route-replace", prefix="fd01::2", prefix_len=128, ev_profile=8, usid=1)
        needed = refused(errno.EINVAL, self.do, "route-replace", prefix="fd01::2", prefix_len=128,
                         ev_profile=8)
        expect("usid is missing" in str(needed), needed)
        self.do("route-replace", prefix="fd01::2", prefix_len=128, ev_profile=0)
        self.do("ev-profile-del", id=8)
        refused(errno.EBUSY, self.do, "ev-profile-del", id=7)
        for prefix, length in (("fd01::", 64), ("fd01::2", 128)):
            self.do("route-del", prefix=prefix, prefix_len=length)
            refused(errno.ENOENT, self.do, "route-del", prefix=prefix, prefix_len=length)
        self.do("ev-profile-del", id=7)

    def test_peer_and_qp(self):
        """Uses QPs that the caller of this script keeps."""
        peers, qps = self.dump("peer-get"), self.dump("qp-get")
        evs = self.dump("peer-ev-get")
        expect(peers and qps and evs, "the caller has no QP")
        for peer in peers:
            own = [ev for ev in evs if ev["remote-gid"] == peer["remote-gid"]]
            expect(len(own) == peer["evs"], f"{len(own)} EVs, not {peer['evs']}")
            good = sum(ev["state"] == "good" for ev in own)
            expect(peer["loopback"] or good > 0, peer)
            expect(all("value" in ev for ev in own), "no EV bits for an administrator")
        expect([q["qpn"] for q in qps] == sorted(q["qpn"] for q in qps), "order")
        for qp in qps:
            expect(self.do("qp-get", qpn=qp["qpn"])[0]["qpn"] == qp["qpn"], qp)
            expect("psn-una" in qp, "no PSN for an administrator")
        refused(errno.ENOENT, self.do, "qp-get", qpn=1)
        gid = peers[0]["remote-gid"]
        expect(self.dump("peer-get", remote_gid=gid), "filter")
        expect(not self.dump("peer-get", remote_gid="fd09::9"), "filter")

    def test_probe(self):
        """Uses QPs that the caller of this script keeps."""
        peer = self.dump("peer-get")[0]
        gid = peer["remote-gid"]
        for _ in range(100):
            got = self.f.probe(dev_name=self.device, remote_gid=gid, ev=[1, 0, 1], timeout=10000)
            expect([r["index"] for r in got["result"]] == [0, 1], got)
            if all(r.get("rtt", 0) > 0 for r in got["result"]):
                break
        else:
            raise AssertionError(f"never all answered: {got}")
        for name in ("remote-gid", "local-gid", "ev-profile"):
            expect(got[name] == peer[name], got)
        expect(got["time"] > 0, got)
        refused(errno.ENODEV, self.f.call, "probe-start", dev_name="none", remote_gid=gid)
        self.must_be_no_more("probe")
        for code, at, values in (
            (errno.ENOENT, "remote-gid", {"remote_gid": "fd09::9"}),
            (errno.EINVAL, "remote-gid", {"remote_gid": "::"}),
            (errno.EINVAL, "remote-gid", {"remote_gid": "ff02::1"}),
            (errno.ENOENT, "ev-profile", {"remote_gid": gid, "ev_profile": 99}),
            (errno.EADDRNOTAVAIL, "local-gid", {"remote_gid": gid, "local_gid": "fd09::1"}),
            (errno.ERANGE, "timeout", {"remote_gid": gid, "timeout": 0}),
            (errno.ERANGE, "timeout", {"remote_gid": gid, "timeout": 10001}),
            (errno.ENOENT, "ev", {"remote_gid": gid, "ev": 255}),
        ):
            self.blamed(code, at, "probe-start", **values)

    def test_raw_probe(self):
        """Uses QPs that the caller of this script keeps; no route leads to fd09::9."""
        peer = self.dump("peer-get")[0]
        gid, other = peer["remote-gid"], "fd09::9"
        way = {"format": "stev", "raw_ev": {"port": 1, "value": 0xC0001234}}
        got = self.f.probe("raw-probe-start", dev_name=self.device, **way, to=[gid, other], count=2,
                           dscp=63, size=1000, limit=10**10)
        expect([(r["remote-gid"], r["index"], r["port"]) for r in got["result"]] ==
               [(gid, 0, 1), (other, 0, 1), (gid, 1, 1), (other, 1, 1)], got)
        for result in got["result"]:
            if result["remote-gid"] == gid:
                expect(result["rtt"] > 0 and "error" not in result, got)
            else:
                expect(result["error"] == errno.ENETUNREACH and "rtt" not in result, got)
        expect(got["local-gid"] == peer["local-gid"] and got["time"] > 0, got)
        expect("remote-gid" not in got and "ev-profile" not in got, got)
        for code, at, values in (
            (errno.EINVAL, "to", {"to": "::ffff:10.0.0.1"}),
            (errno.E2BIG, "count", {"to": [gid, other], "count": 129}),
            (errno.ENOENT, "raw-ev", {"to": gid, "raw_ev": {"port": 32, "value": 1}}),
            (errno.EINVAL, "raw-ev", {"to": gid, "raw_ev": {"port": 1, "value": 1, "denied": 1}}),
            (errno.EINVAL, "raw-ev", {"to": gid, "raw_ev": {"port": 1}}),
            (errno.EADDRNOTAVAIL, "local-gid", {"to": gid, "local_gid": other}),
            (errno.EADDRNOTAVAIL, "local-gid", {"to": gid, "local_gid": gid}),
            (errno.EINVAL, "size", {"to": gid, "size": 82}),
            (errno.EMSGSIZE, "size", {"to": gid, "size": 76}),
            (errno.EMSGSIZE, "size", {"to": gid, "size": 65532}),
            (errno.ERANGE, "limit", {"to": gid, "limit": 0}),
            (errno.ERANGE, "limit", {"to": gid, "limit": 10**10 + 1}),
            (errno.ERANGE, "dscp", {"to": gid, "dscp": 64}),
        ):
            self.blamed(code, at, "raw-probe-start", **{**way, **values})
        self.do("raw-probe-start", **way, to=[gid] * 64, count=4)
        refused(errno.E2BIG, self.do, "raw-probe-start", **way, to=[gid] * 65)

    def must_be_no_more(self, name):
        try:
            self.f.request(self.f.ops[name]["number"], F_ACK, b"")
        except Refused as refusal:
            expect(refusal.code == errno.EOPNOTSUPP, refusal)
            return
        raise AssertionError(f"{name} is answered")

    def test_probes_at_a_time(self):
        """Starts as many requests as may wait at once. Each is reported, and then there is room
        again."""
        self.do("ev-profile-add", id=9, format="stev", mode="auto", count=256)
        self.do("route-add", prefix="fd0a::", prefix_len=64, ev_profile=9)
        sock = self.f.subscribe("probes")
        sock.setsockopt(socket.SOL_SOCKET, 33, 4 << 20)     # SO_RCVBUFFORCE
        # Nothing answers, and a device sends 10000 probes a second: 40 such requests.
        ends = self.f.at_once("probe-start", 100, dev_name=self.device, remote_gid="fd0a::9",
                              timeout=10000)
        ids = [end["id"] for end in ends if not isinstance(end, Refused)]
        expect(len(ids) >= 64 and len(ids) < 100, ends)
        expect(all(end.code == errno.EBUSY for end in ends if isinstance(end, Refused)), ends)
        ended = [self.f.event(sock)[1] for _ in ids]
        expect(sorted(event["id"] for event in ended) == ids, (ids, ended))
        expect(all("rtt" not in result for event in ended for result in event["result"]), ended)
        self.do("probe-start", remote_gid="fd0a::9", timeout=1)
        self.f.event(sock)
        self.do("route-del", prefix="fd0a::", prefix_len=64)
        self.do("ev-profile-del", id=9)
        # Some of them are raw probes. 64 are under way at a time, and each waits for its whole time.
        way = {"format": "udp", "raw_ev": {"port": 1, "value": 0xC000}, "limit": 5 * 10**9}
        ends = self.f.at_once("raw-probe-start", 66, dev_name=self.device, **way, to="fd0a::9",
                              count=2)
        expect([isinstance(end, Refused) and end.code == errno.EBUSY for end in ends] ==
               [False] * 64 + [True] * 2, ends)
        results = [result for _ in range(64) for result in self.f.event(sock)[1]["result"]]
        errors = [result["error"] for result in results if "error" in result]
        expect(errors == [errno.EBUSY] * 64, errors)

    def blamed(self, code, name, op, **values):
        """The refusal points at the attribute of this name."""
        refusal = refused(code, self.do, op, **values)
        place = HEADERS + len(attribute(2, self.device.encode() + b"\0"))
        for key, value in values.items():
            key = key.replace("_", "-")
            if key == name:
                break
            place += len(self.f.encode(self.f.ops[op]["attribute-set"], {key: value}))
        expect(refusal.offset == place, f"{values}: names offset {refusal.offset}, not {place}")

    # ---- all operations alike

    def sample(self, attr):
        """A valid value of an attribute."""
        if attr["type"] == "nest":
            return {}
        if attr["type"] in ("string", "flag"):
            return "x" if attr["type"] == "string" else b""
        if attr["type"] == "binary":
            return bytes(attr.get("checks", {}).get("exact-len", 28))
        if "enum" in attr:
            return next(iter(self.f.enums[attr["enum"]]))
        return attr.get("checks", {}).get("min", 1)

    def requests(self):
        """Each operation that takes requests: operation, flags, the attributes that it takes."""
        for op in self.f.ops.values():
            for kind, flags in (("do", F_ACK), ("dump", F_DUMP)):
                if kind in op:
                    yield op, flags, op[kind].get("request", {}).get("attributes", [])

    def must_name(self, op, flags, values, at, codes):
        """The request must be refused because of what stands at an offset."""
        try:
            self.f.request(op["number"], flags, values)
        except Refused as refusal:
            expect(refusal.code in codes, f"{op['name']}: {refusal}")
            expect(refusal.text, f"{op['name']}: no word")
            # The end of a dump only has room for the text.
            expect(flags == F_DUMP or refusal.offset == HEADERS + at,
                   f"{op['name']}: names offset {refusal.offset}, not {HEADERS + at}")
            return
        raise AssertionError(f"{op['name']}: not refused")

    def test_strict(self):
        """Attributes that an operation does not take, or that do not exist, are refused."""
        name = attribute(2, self.device.encode() + b"\0")
        tried = 0
        for op, flags, taken in self.requests():
            space = self.f.spaces[op["attribute-set"]]
            start = b"" if op["name"] == "info-get" else name
            for number, attr in [*space.by_name.values(), (200, None)]:
                if attr and (attr["name"] in taken or attr["type"] == "pad"):
                    continue
                extra = self.f.encode(space.name, {attr["name"]: self.sample(attr)}) \
                    if attr else attribute(number, bytes(4))
                self.must_name(op, flags, start + extra, len(start), {errno.EINVAL})
                tried += 1
        expect(tried > 200, f"only {tried} tried")

    def test_ranges(self):
        """The limits in the specification are the kernel's."""
        name = attribute(2, self.device.encode() + b"\0")
        tried = 0
        for op, flags, taken in self.requests():
            space = op["attribute-set"]
            for attr_name in taken:
                number, attr = self.f.spaces[space].by_name[attr_name]
                for payload in self.out_of_range(attr):
                    start = b"" if attr_name == "dev-name" else name
                    self.must_name(op, flags, start + attribute(number, payload), len(start),
                                   {errno.ERANGE, errno.EINVAL})
                    tried += 1
        expect(tried > 100, f"only {tried} tried")

    def out_of_range(self, attr):
        checks = attr.get("checks", {})
        kinds = {"u8": ("B", 1), "u16": ("H", 2), "u32": ("I", 4), "u64": ("Q", 8)}
        if attr["type"] in kinds:
            code, size = kinds[attr["type"]]
            limits = [checks["min"] - 1] if checks.get("min") else []
            limits += [checks["max"] + 1] if "max" in checks else []
            if "enum" in attr:
                limits = [max(self.f.enums[attr["enum"]].values()) + 1]
            return [struct.pack("=" + code, v) for v in limits] + [bytes(size - 1), bytes(size + 1)]
        if "max-len" in checks:
            return [b"x" * (checks["max-len"] + 1) + b"\0", b"abc"]
        if "exact-len" in checks:
            return [bytes(checks["exact-len"] + d) for d in (-1, 1)]
        return []

    def test_missing(self):
        """A request without any attribute says what is missing, and changes nothing."""
        for op, flags, _ in self.requests():
            if flags == F_DUMP or op["name"] == "info-get":
                continue
            refused(errno.EINVAL, self.f.request, op["number"], flags, b"")
        for op in self.f.ops.values():
            for name in op.get("x-mrc", {}).get("require", []):
                self.without(op, name)

    def without(self, op, name):
        """Sends all but one of the attributes that an operation requires; the refusal must name that
        one."""
        space = self.f.spaces[op["attribute-set"]]
        others = {other: self.sample(space.by_name[other][1]) for other in op["x-mrc"]["require"]
                  if other != name}
        data = self.f.encode(space.name, {"dev-name": self.device, **others})
        refusal = refused(errno.EINVAL, self.f.request, op["number"], F_ACK, data)
        expect(f"{name} is missing" in refusal.text, f"{op['name']} without {name}: {refusal}")
        expect(refusal.missing == space.by_name[name][0], f"{op['name']}: {refusal.missing}")

    def test_unprivileged(self):
        """Without CAP_NET_ADMIN: no change, and nothing that helps to forge packets."""
        self.do("ev-profile-add", id=77, format="stev", ev=[{"port": 1, "value": 0xc0001234}])
        self.in_child(self.unprivileged)
        self.do("ev-profile-del", id=77)

    def test_creator(self):
        """A QP's creator is shown by its pid where that pid means something."""
        expect(all(qp["pid"] > 0 for qp in self.dump("qp-get")), "no pid")
        self.in_child(lambda: (unshare_pids(), self.in_child(self.elsewhere)))

    def elsewhere(self):
        qps = self.dump("qp-get")
        expect(qps and not any("pid" in qp for qp in qps), qps)

    def in_child(self, checks):
        """Runs checks in a process of its own, with a socket of its own."""
        pid = os.fork()
        if not pid:
            status = 1
            try:
                self.f.socket = self.f.open()
                checks()
                status = 0
            except BaseException:
                traceback.print_exc()
            os._exit(status)
        expect(os.waitpid(pid, 0)[1] == 0, "see above")

    def unprivileged(self):
        drop_privileges()
        self.f.socket = self.f.open()
        for op, flags, _ in self.requests():
            if "uns-admin-perm" not in op.get("flags", []):
                continue
            try:
                self.f.request(op["number"], flags, b"")
            except Refused as refusal:
                expect(refusal.code == errno.EPERM, f"{op['name']}: {refusal}")
            else:
                raise AssertionError(f"{op['name']} allowed")
        expect(self.dump("device-get"), "no device")
        expect(self.dump("qp-get"), "the caller has no QP")
        for qp in self.dump("qp-get"):
            expect(not [name for name in qp if name.startswith("psn-")], qp)
        expect(not any("value" in ev for ev in self.dump("peer-ev-get")), "EV bits")
        listed = self.dump("ev-get")
        expect(listed and not any("value" in ev for ev in listed), listed)

    def test_events(self):
        sock = self.f.subscribe("events")
        self.do("plane-add", port=9, ifindex=self.ifindex)
        self.do("plane-set", port=9, admin_state="down")
        self.do("plane-del", port=9)
        seen = [self.f.event(sock) for _ in range(3)]
        expect([name for name, _ in seen] == ["plane-ntf"] * 3, seen)
        states = [(e["port"], e["admin-state"], "gone" in e) for _, e in seen]
        expect(states == [(9, "up", False), (9, "down", False), (9, "down", True)], states)
        times = [e["time"] for _, e in seen]
        expect(times == sorted(times) and times[0] > 0, times)

    def test_config_events(self):
        """Each change of the configuration sends an event, with all that a get shows and who made the
        change."""
        name = self.do("device-get")[0]
        sock = self.f.subscribe("config")
        route = {"prefix": "fd00:77::", "prefix_len": 64}
        steps = [
            ("device-ntf", "device-set", {"hop_limit": name["hop-limit"]}),
            ("ev-profile-ntf", "ev-profile-add",
             {"id": 9, "format": "srv6", "ev": [{"port": 9, "sid": "fc00::9"}], "alias": "nine"}),
            ("ev-ntf", "ev-set", {"ev_profile": 9, "index": 0, "denied": 1}),
            (None, "ev-set", {"ev_profile": 9, "index": 0, "denied": 1}),
            ("cc-profile-ntf", "cc-profile-add", {"id": 9, "algorithm": "nscc", "alias": "nine",
                                                 **self.most_of_nscc()}),
            ("cc-profile-ntf", "cc-profile-set", {"id": 9, "algorithm": "none", "window": 16384,
                                                 "alias": "nine"}),
            ("route-ntf", "route-add", {**route, "ev_profile": 9, "cc_profile": 9, "usid": 7}),
            ("route-ntf", "route-del", route),
            ("cc-profile-ntf", "cc-profile-del", {"id": 9}),
            ("ev-profile-ntf", "ev-profile-del", {"id": 9})]
        for _, operation, values in steps:
            self.do(operation, **values)
        seen = [self.f.event(sock) for wanted, _, _ in steps if wanted]
        expect([kind for kind, _ in seen] == [wanted for wanted, _, _ in steps if wanted], seen)
        for kind, event in seen:
            expect(event["by-name"].startswith("python"), event)
            expect(event.get("by-pid", os.getpid()) > 0, event)
            promised = set(self.f.ops[kind]["event"]["attributes"])
            if "gone" in event:
                missing = {"id", "prefix", "prefix-len"} & promised
            else:
                missing = promised - {"gone", "encap", "table", "via", "by-pid"}
            if "algorithm" in event:
                missing -= {"window"} if event["algorithm"] == "nscc" else set(self.cc_settings())
            expect(missing <= set(event), (kind, missing - set(event)))
        gone = [(kind, "gone" in event) for kind, event in seen[-3:]]
        expect(all(is_gone for _, is_gone in gone), gone)
        events = self.f.subscribe("events")
        self.do("plane-add", port=9, ifindex=self.ifindex)
        self.do("plane-del", port=9)
        for kind, event in (self.f.event(events), self.f.event(events)):
            expect(kind == "plane-ntf" and event["by-name"].startswith("python"), event)

    def test_torn(self):
        """A list that changes while it is read in pieces is marked as inconsistent, however it
        changes."""
        def profile(op, number, count):
            self.do(op, id=number, format="srv6",
                    ev=[{"port": 1, "sid": f"fc00::{i + 1:x}"} for i in range(count)])

        def torn(change):
            return self.f.dump_in_pieces("ev-get", change, dev_name=self.device)

        profile("ev-profile-add", 20, 256)
        profile("ev-profile-add", 21, 1)
        expect(not torn(lambda: None), "nothing has changed")
        expect(not torn(lambda: profile("ev-profile-set", 21, 2)), "what was not shown yet")
        for count in (256, 255, 2, 1):
            expect(torn(lambda: profile("ev-profile-set", 20, count)), f"{count} EVs")
            profile("ev-profile-set", 20, 256)
        self.do("ev-profile-del", id=20)
        self.do("ev-profile-del", id=21)
        # Both profiles have one version, so the version cannot tell the next list from the one that is
        # gone.
        profile("ev-profile-add", 20, 256)
        profile("ev-profile-add", 21, 1)
        expect(torn(lambda: self.do("ev-profile-del", id=20)), "the profile is gone")
        profile("ev-profile-add", 20, 256)
        self.do("ev-profile-del", id=21)
        expect(torn(lambda: self.do("ev-profile-del", id=20)), "the last profile is gone")


def main():
    spec, device, netdev, test = sys.argv[1:]
    try:
        getattr(Tests(spec, device, netdev), "test_" + test)()
    except Exception as why:  # pylint: disable=broad-except
        traceback.print_exc()
        print(f"{type(why).__name__}: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
