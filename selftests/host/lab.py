# SPDX-License-Identifier: GPL-2.0-only
"""Tests what scripts/lab plans, writes, draws and refuses, without a fabric. Usage: lab.py TOP"""

import contextlib
import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import tomllib
import unittest
import unittest.mock
from pathlib import Path

TOP = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(TOP / "scripts/lab.d"))

import batch  # noqa: E402
import builder  # noqa: E402
import devices  # noqa: E402
import faults  # noqa: E402
import hostfile  # noqa: E402
import main  # noqa: E402
import picture  # noqa: E402
import plan  # noqa: E402
import ports  # noqa: E402
import system  # noqa: E402
from commands import Commands  # noqa: E402
from errors import Refused, Usage, number  # noqa: E402
from state import State  # noqa: E402


def shape(text=""):
    return plan.shape_of(text.split())


def inside(ns, text=""):
    return Commands(shape(text)).inside[ns]


class Arguments(unittest.TestCase):
    def test_defaults(self):
        found = shape()
        self.assertEqual((found.planes, found.racks, found.spines, found.hosts_per_rack,
                          found.mtu, found.devices), (4, 2, 2, 1, 9000, 1))  # fmt: skip
        self.assertFalse(found.plain or found.plain_too or found.management or found.bare)

    def test_numbers(self):
        found = shape("--planes 3 --racks 5 --spines 7 --hosts-per-rack 2 --mtu 1500")
        self.assertEqual((found.planes, found.racks, found.spines, found.hosts_per_rack,
                          found.mtu), (3, 5, 7, 2, 1500))  # fmt: skip

    def test_limits_are_inside(self):
        for name, (_, low, high) in plan.NUMBERS.items():
            for value in (low, high):
                self.assertEqual(number(name, str(value), low, high), value)

    def test_beyond_limits(self):
        for name, (_, low, high) in plan.NUMBERS.items():
            option = "--" + name.replace("_", "-")
            for value in (low - 1, high + 1):
                with self.assertRaisesRegex(Usage, f"{option} wants a number from {low} to {high}"):
                    plan.shape_of([option, str(value)])

    def test_no_numbers(self):
        for text in ("", "x", "1x", "-1", "+1", "1.0", " 1", "²", "000001", "1e1", "0x1"):
            with self.assertRaisesRegex(Usage, "--planes wants a number from 1 to 32, not"):
                plan.shape_of(["--planes", text])

    def test_zeros_in_front_are_no_octal(self):
        self.assertEqual(shape("--planes 08").planes, 8)

    def test_a_number_is_missing(self):
        with self.assertRaisesRegex(Usage, "^--racks wants a number$"):
            shape("--planes 2 --racks")

    def test_unknown_options(self):
        for option in ("--bogus", "planes", "--hosts_per_rack", "-p", "", "--", "--mtu=9000"):
            with self.assertRaisesRegex(Usage, f"^unknown option '{option}'$"):
                plan.shape_of([option, "1"])

    def test_what_excludes_each_other(self):
        for text in ("--plain --plain-too", "--bare-hosts --plain"):
            with self.assertRaisesRegex(Usage, "^--plain and --.* exclude each other$"):
                shape(text)

    def test_switches_that_trim(self):
        found = shape("--switch trim --rate-mbit 50 --rtt-us 1000")
        self.assertEqual((found.switch, found.rate_mbit, found.rtt_us), (1, 50, 1000))
        self.assertEqual(shape("--switch kernel").switch, 0)
        for text in ("--switch", "--switch fast"):
            with self.assertRaisesRegex(Usage, "^--switch wants kernel or trim$"):
                shape(text)
        with self.assertRaisesRegex(Usage, "^--rate-mbit needs --switch trim$"):
            shape("--rate-mbit 50")

    def test_bare_hosts_have_no_devices(self):
        self.assertEqual((shape("--bare-hosts").devices, shape("--no-devices").devices), (0, 0))
        self.assertEqual((shape("--bare-hosts").bare, shape("--no-devices").bare), (1, 0))

    def test_more_links_than_addresses(self):
        with self.assertRaisesRegex(Usage, "at most 65535 links, not 65664"):
            shape("--planes 16 --racks 64 --spines 63 --hosts-per-rack 1 --racks 64 "
                  "--planes 27 --spines 36 --hosts-per-rack 2")  # fmt: skip


class Addresses(unittest.TestCase):
    def test_names(self):
        self.assertEqual((plan.host(12), plan.t0(2, 1), plan.t1(3, 64), plan.device(1)),
                         ("h12", "p2t0r1", "p3t1s64", "mrc0"))  # fmt: skip

    def test_the_path_of_the_docs(self):
        self.assertEqual(plan.path(shape(), 1, 2, 2, 1), "fcbb:bb00:0201:0281:0202:f002::")

    def test_path_inside_a_rack_has_no_spine(self):
        found = shape("--hosts-per-rack 2")
        self.assertEqual(plan.path(found, 1, 2, 3, 2), "fcbb:bb00:0301:f002::")

    def test_usids(self):
        self.assertEqual((plan.host_usid(1), plan.t0_usid(32, 64), plan.t1_usid(32, 64)),
                         ("f001", "2040", "20c0"))  # fmt: skip

    def test_largest_host(self):
        largest = shape("--planes 1 --spines 1 --racks 64 --hosts-per-rack 63").hosts[-1]
        self.assertEqual((plan.host_usid(largest), plan.gid(largest), plan.management(largest)),
                         ("ffc0", "fd00:6d72:63::fc0", "198.18.15.192"))  # fmt: skip

    def test_gid_and_sid_are_hexadecimal(self):
        self.assertEqual((plan.gid(26), plan.sid(26)), ("fd00:6d72:63::1a", "fcbb:bb00:f01a::"))

    def test_management_crosses_a_byte(self):
        self.assertEqual((plan.management(255), plan.management(256)),
                         ("198.18.0.255", "198.18.1.0"))  # fmt: skip

    def test_plain(self):
        self.assertEqual((plan.plain(11, 17), plan.plain(plan.ALL_PLANES, 17)),
                         ("fd00:7463:b::11", "fd00:7463::11"))  # fmt: skip

    def test_racks(self):
        found = shape("--racks 3 --hosts-per-rack 2")
        self.assertEqual([found.rack_of(n) for n in found.hosts], [1, 1, 2, 2, 3, 3])

    def test_paths_are_all_and_differ(self):
        found = plan.paths(shape("--planes 3 --spines 4"), 1, 2)
        self.assertEqual([plane for plane, _ in found], [1] * 4 + [2] * 4 + [3] * 4)
        self.assertEqual(len({address for _, address in found}), 12)

    def test_paths_inside_a_rack(self):
        found = plan.paths(shape("--hosts-per-rack 2 --planes 2"), 2, 1)
        self.assertEqual(found, [(1, "fcbb:bb00:0101:f001::"), (2, "fcbb:bb00:0201:f001::")])

    def test_switches(self):
        found = plan.switches(shape("--planes 2 --racks 1 --spines 2"))
        self.assertEqual(found, [
            ("p1t0r1", "0101"), ("p1t1s1", "0181"), ("p1t1s2", "0182"),
            ("p2t0r1", "0201"), ("p2t1s1", "0281"), ("p2t1s2", "0282")])  # fmt: skip


class Links(unittest.TestCase):
    def test_how_many(self):
        found = Commands(shape("--planes 3 --racks 2 --spines 4 --hosts-per-rack 5"))
        self.assertEqual(len(found.links), 3 * (10 + 2 * 4))

    def test_ends_are_named_after_each_other(self):
        ends = {(link.ns_a, link.if_a): (link.ns_b, link.if_b) for link in Commands(shape()).links}
        self.assertEqual(ends["h2", "eth3"], ("p3t0r2", "h2"))
        self.assertEqual(ends["p4t0r1", "t1s2"], ("p4t1s2", "t0r1"))

    def test_no_two_share_an_address(self):
        links = Commands(shape("--planes 8 --racks 4 --spines 8 --hosts-per-rack 2")).links
        self.assertGreater(len(links), 256)
        self.assertEqual(len({link.mac_a for link in links} | {link.mac_b for link in links}),
                         2 * len(links))  # fmt: skip

    def test_addresses_of_a_high_number(self):
        link = plan.Link(0x1234, ("h1", "eth1"), ("p1t0r1", "h1"))
        self.assertEqual((link.mac_a, link.mac_b), ("02:00:00:12:34:0a", "02:00:00:12:34:0b"))
        self.assertEqual(link.address_b, "fe80::ff:fe12:340b")

    def test_every_interface_fits(self):
        links = Commands(shape("--planes 1 --racks 64 --spines 64 --hosts-per-rack 63")).links
        self.assertLess(max(len(name) for link in links for name in (link.if_a, link.if_b)), 16)


class Lines(unittest.TestCase):
    def test_one_veth_per_link_with_its_mtu(self):
        found = Commands(shape("--mtu 1500"))
        self.assertEqual(len(found.outside), len(found.links))
        self.assertTrue(all(line.count("mtu 1500") == 2 for line in found.outside))

    def test_a_host(self):
        lines = inside("h1")
        self.assertEqual(lines[:6], [
            "link set lo up", "link add mrc mtu 9000 type dummy", "link set mrc up",
            "addr add fd00:6d72:63::1/64 dev mrc nodad",
            "addr add fcbb:bb00:f001::/128 dev mrc nodad",
            "sr tunsrc set fcbb:bb00:f001::"])  # fmt: skip
        self.assertIn("route replace fcbb:bb00:0401::/48 via fe80::ff:fe00:130b dev eth4", lines)

    def test_a_bare_host_has_no_address(self):
        self.assertFalse([line for line in inside("h1", "--bare-hosts") if "addr add" in line])

    def test_a_t0(self):
        lines = inside("p1t0r1")
        self.assertIn("route replace fcbb:bb00:f001::/48 via fe80::ff:fe00:010a dev h1", lines)
        self.assertIn("route replace fcbb:bb00:0182::/48 via fe80::ff:fe00:040b dev t1s2", lines)
        self.assertTrue(any("fcbb:bb00:0101::/48 encap seg6local" in line for line in lines))

    def test_plain_spreads_over_spines(self):
        lines = inside("p1t0r1", "--plain")
        self.assertEqual([line.split()[-1] for line in lines if line.startswith("route append")],
                         ["t1s1", "t1s2"])  # fmt: skip
        self.assertFalse([line for line in lines if "seg6" in line])

    def test_plain_prefers_the_first_plane(self):
        routes = [line for line in inside("h1", "--plain") if line.startswith("route")]
        self.assertEqual([line.split("metric ")[1].split()[0] for line in routes],
                         ["101", "102", "103", "104"])  # fmt: skip

    def test_plain_too_has_both(self):
        lines = inside("h1", "--plain-too --planes 2")
        self.assertIn("addr add fd00:7463::1/128 dev lo nodad", lines)
        self.assertIn("addr add fd00:6d72:63::1/64 dev mrc nodad", lines)
        self.assertEqual(sum(line.startswith("route append fd00:7463::2/128") for line in lines), 2)

    def test_management_is_no_link_of_the_fabric(self):
        found = Commands(shape("--management --racks 3"))
        self.assertEqual(sum("mgmt" in line for line in found.outside), 2)
        self.assertFalse([link for link in found.links if "mgmt" in link.if_a + link.if_b])
        self.assertIn("link add mgmt type bridge", found.inside["h1"])
        self.assertIn("addr add 198.18.0.3/16 dev mgmt", found.inside["h3"])

    def test_devices(self):
        lines = devices.settings(shape("--planes 2 --spines 1"), 1)
        self.assertEqual(lines, [
            "plane add mrc0 port 1 netdev eth1", "plane add mrc0 port 2 netdev eth2",
            "device set mrc0 tunnel-source fcbb:bb00:f001::",
            "ev-profile add mrc0 2 format srv6 ev port 1 sid fcbb:bb00:0101:0181:0102:f002:: "
            "ev port 2 sid fcbb:bb00:0201:0281:0202:f002::",
            "route add mrc0 fd00:6d72:63::2/128 ev-profile 2"])  # fmt: skip

    def test_devices_of_a_plain_fabric_have_planes_alone(self):
        self.assertEqual(devices.settings(shape("--plain --planes 1"), 2),
                         ["plane add mrc1 port 1 netdev eth1"])  # fmt: skip

    def unload(self, statuses, look=0.001, in_use=10):
        """How often rmmod ran with this result."""
        patch = unittest.mock.patch
        ends = patch.object(system, "run", side_effect=lambda *_, **__: statuses.pop(0))
        there = patch.object(os.path, "isdir", side_effect=lambda _: bool(statuses))
        with there, ends as run, patch.multiple(devices, IN_USE=in_use, LOOK=look):
            devices.unload()
        return run.call_count

    def test_unload_waits_for_readers(self):
        self.assertEqual([self.unload([]), self.unload([0]), self.unload([1, 1, 0])], [0, 1, 3])
        with self.assertRaisesRegex(Refused, "rmmod mrc failed"):
            self.unload([1] * 1000, in_use=0.01)


class WithState(unittest.TestCase):
    """A fabric on disk only."""

    options = "--planes 2"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = State(os.path.join(folder.name, "lab"))
        self.shape = shape(self.options)
        self.commands = Commands(self.shape)
        self.state.save(self.shape, self.commands)
        patch = unittest.mock.patch.object(os, "geteuid", return_value=0)
        patch.start()
        self.addCleanup(patch.stop)

    def lab(self, text, **kind):
        """Status, output and complaints of a command."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main.run(main.Lab(self.state, **kind), text.split())
        return status, out.getvalue(), err.getvalue()

    def refuses(self, text, wanted, complaint):
        status, out, err = self.lab(text)
        self.assertEqual((status, out), (wanted, ""))
        self.assertRegex(err, rf"\Alab: [^\n]*{complaint}[^\n]*\n\Z")


class OnDisk(WithState):
    def test_shape_comes_back(self):
        found = self.state.shape()
        for name in (*plan.NUMBERS, "plain", "management", "switch"):
            self.assertEqual(getattr(found, name), getattr(self.shape, name))

    def test_files(self):
        self.assertEqual(self.state.lines("hosts"), ["h1", "h2"])
        switches = [name for name, _ in plan.switches(self.shape)]
        self.assertEqual(self.state.lines("switches"), switches)
        self.assertIn("h1 eth2 p2t0r1 h1", self.state.lines("links"))
        self.assertIn("planes=2", self.state.lines("config"))
        for ns in self.state.namespaces():
            self.assertEqual(self.state.lines("ns", ns), self.commands.inside[ns])

    def test_ends(self):
        self.assertEqual(self.state.ends("h1:eth2"), (("h1", "eth2"), ("p2t0r1", "h1")))
        self.assertEqual(self.state.ends("p2t0r1:h1"), (("p2t0r1", "h1"), ("h1", "eth2")))

    def test_marks(self):
        self.state.mark_failed("p1t1s1", "no carrier\n")
        self.state.mark_failed("p1t1s1")
        self.assertTrue(self.state.without_carrier("p1t1s1"))
        self.state.mark_failed("p1t1s2")
        self.assertFalse(self.state.without_carrier("p1t1s2"))
        self.assertEqual(self.state.failed(), ["p1t1s1", "p1t1s2"])
        for _ in range(2):
            self.state.mark_healed("p1t1s1")
        self.assertEqual(self.state.failed(), ["p1t1s2"])

    def test_remove(self):
        self.state.remove()
        self.assertFalse(self.state.exists())
        with self.assertRaisesRegex(Refused, "no fabric is up"):
            self.state.shape()


class CommandLine(WithState):
    def test_questions(self):
        for text, answer in (
            ("gid h2", "fd00:6d72:63::2"), ("sid h1", "fcbb:bb00:f001::"),
            ("path h1 h2 2", "fcbb:bb00:0201:0281:0202:f002::"),
            ("path h2 h1 1 2", "fcbb:bb00:0102:0182:0101:f001::"),
        ):  # fmt: skip
            self.assertEqual(self.lab(text), (0, answer + "\n", ""))

    def test_bad_questions(self):
        self.refuses("gid h9", 1, "no host 'h9'")
        self.refuses("sid p1t0r1", 1, "no host 'p1t0r1'")
        self.refuses("gid", 2, "wanted: gid HOST")
        self.refuses("path h1 h2", 2, "wanted: path FROM TO PLANE")
        self.refuses("path h1 h2 3", 2, "plane wants a number from 1 to 2, not '3'")
        self.refuses("path h1 h2 1 3", 2, "spine wants a number from 1 to 2, not '3'")
        self.refuses("management h1", 1, "without --management")

    def test_unknown_commands(self):
        for text in ("bogus", "go", "__init__", "hold", "hold down", "obey", "state"):
            self.assertEqual(self.lab(text)[0], 2, text)
        self.refuses("hold down", 2, "hold takes")

    def test_bad_faults(self):
        for text, status, complaint in (
            ("fail link h1:eth9", 1, "no link 'h1:eth9'"),
            ("heal switch h1", 1, "no switch 'h1'"),
            ("fail switch p1t1s1 --loud", 2, "cannot fail a switch with '--loud'"),
            ("heal switch p1t1s1 --carrier", 2, "cannot heal a switch with '--carrier'"),
            ("fail link h1:eth1 h1:eth2", 2, "fail link NS:IF"),
            ("fail host h1", 2, "cannot fail a 'host'"),
            ("heal link", 2, "wanted: heal link NS:IF"),
            ("netem h1:eth9 off", 1, "no link 'h1:eth9'"),
            ("netem plane 3 off", 1, "no links in 'plane 3'"),
            ("netem link", 2, "netem link: a name is missing"),
            ("netem all", 2, "netem wants arguments"),
            ("port all", 1, "built without --switch trim"),
            ("exec h9 true", 1, "no host or switch 'h9'"),
            ("exec h1", 2, "exec wants a command"),
            ("down now", 2, "down takes no arguments"),
        ):  # fmt: skip
            self.refuses(text, status, complaint)

    def test_a_second_fabric(self):
        self.refuses("up --no-devices", 1, "already up")

    def test_options_come_before_all_else(self):
        self.refuses("up --planes 33", 2, "--planes wants a number from 1 to 32")

    def test_not_root(self):
        with unittest.mock.patch.object(os, "geteuid", return_value=1000):
            for text in ("up", "down", "show", "load", "fail link h1:eth1", "hold netem all off"):
                self.refuses(text, 1, "needs root")
            self.assertEqual(self.lab("gid h1")[0], 0)

    def test_no_fabric(self):
        self.state.remove()
        for text in ("show", "gid h1", "fail link h1:eth1", "file h1", "exec h1 true"):
            self.refuses(text, 1, "no fabric is up")
        self.assertEqual(self.lab("down"), (0, "", ""))

    def test_help(self):
        for text in ("help", "-h", "--help"):
            status, out, _ = self.lab(text)
            self.assertEqual(status, 0)
            self.assertIn("Example:", out)

    def test_help_knows_all_commands_and_options(self):
        for name in (*main.COMMANDS, *plan.FLAGS, "hold"):
            self.assertIn(name, main.USAGE)
        for name, (default, _, high) in plan.NUMBERS.items():
            line = next(line for line in main.USAGE.splitlines()
                        if "--" + name.replace("_", "-") in line)  # fmt: skip
            self.assertIn(f"default {default}", line)
            self.assertTrue(name == "mtu" or f"up to {high}" in line)


class Programs:
    """Replaces system.Fed: records what each namespace was told, in order."""

    def __init__(self, log, status=0):
        self.log = log
        self.status = status

    def __call__(self, argv, text, quiet=False):
        program = unittest.mock.Mock()
        self.log.append(("ready", argv[2]))
        program.go = lambda: self.log.append((" ".join(argv), text))
        program.finish = lambda: self.status
        return program


class Management(WithState):
    options = "--management --racks 3"

    def test_address(self):
        self.assertEqual(self.lab("management h3"), (0, "198.18.0.3\n", ""))
        self.refuses("management h4", 1, "no host 'h4'")


class Faults(WithState):
    def setUp(self):
        super().setUp()
        self.log = []
        self.file = io.StringIO()
        self.file.close = lambda: None
        for patch in (
            unittest.mock.patch.object(system, "Fed", Programs(self.log)),
            unittest.mock.patch.object(system, "load_modules"),
            unittest.mock.patch.object(system, "Inside", lambda ns: contextlib.nullcontext()),
            unittest.mock.patch.object(faults, "open", lambda *_, **__: self.file, create=True),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def told(self):
        found = [entry for entry in self.log if entry[0] != "ready"]
        self.log.clear()
        return found

    def test_a_link_is_cut_at_its_far_end(self):
        self.assertEqual(self.lab("fail link h1:eth2"), (0, "", ""))
        self.assertEqual(self.told(), [("ip -n p2t0r1 -batch -", "link set h1 down\n")])
        self.assertEqual(self.state.failed(), ["p2t0r1:h1"])

    def test_a_link_comes_back_with_what_it_lost(self):
        self.lab("fail link h1:eth2")
        self.told()
        self.lab("heal link h1:eth2")
        [(argv, text)] = self.told()
        self.assertEqual(argv, "ip -n p2t0r1 -6 -batch -")
        lines = [line.split() for line in text.splitlines()]
        self.assertEqual([words[0] for words in lines], ["link", "neigh", "route"])
        self.assertTrue(all("h1" in words for words in lines))
        self.assertEqual(self.state.failed(), [])

    def test_a_name_is_not_taken_for_its_beginning(self):
        state = unittest.mock.Mock()
        state.lines.return_value = [
            "link set eth1 up", "link set eth10 up", "route add x dev eth10"]  # fmt: skip
        [step] = faults.revival(state, "h1", ["eth1"])
        self.assertEqual(step.lines, ["link set eth1 up"])

    def test_a_silent_switch(self):
        self.assertEqual(self.lab("fail switch p1t1s2")[0], 0)
        self.assertEqual((self.file.getvalue(), self.told()), ("0", []))
        self.assertEqual(self.state.failed(), ["p1t1s2"])
        self.lab("heal switch p1t1s2")
        self.assertEqual((self.file.getvalue(), self.told()), ("01", []))
        self.assertEqual(self.state.failed(), [])

    def test_a_switch_takes_its_links_with_it(self):
        self.lab("fail switch p1t1s2 --carrier")
        self.assertEqual(self.told(), [("ip -n p1t1s2 -batch -",
                                        "link set t0r1 down\nlink set t0r2 down\n")])  # fmt: skip
        self.lab("heal switch p1t1s2")
        self.assertIn("link set t0r2 up\n", self.told()[0][1])
        self.assertEqual(self.file.getvalue(), "1")

    def test_faults_of_a_switch_and_of_its_link_keep_to_themselves(self):
        self.lab("fail link h1:eth1")
        self.lab("fail switch p1t0r1 --carrier")
        self.told()
        self.lab("heal switch p1t0r1")
        self.assertNotIn("link set h1 up", self.told()[0][1])
        self.lab("fail switch p1t0r1 --carrier")
        self.told()
        self.lab("heal link h1:eth1")
        self.assertEqual(self.told(), [])
        self.lab("heal switch p1t0r1")
        self.assertIn("link set h1 up", self.told()[0][1])

    def test_netem_targets(self):
        for target, count in (("h1:eth1", 1), ("link h1:eth1", 2), ("plane 2", 12), ("all", 24)):
            self.lab(f"netem {target} loss 1%")
            lines = "".join(text for _, text in self.told()).splitlines()
            self.assertEqual(len(lines), count, target)
            self.assertTrue(all(line.endswith(" root netem loss 1%") for line in lines))

    def test_a_plane_is_not_taken_for_its_beginning(self):
        state = State(os.path.join(os.path.dirname(self.state.folder), "wide"))
        wide = shape("--planes 12")
        state.save(wide, Commands(wide))
        fault = faults.fault_of(state, "netem plane 1 off".split())
        self.assertEqual(sum(len(step.lines) for step in fault.first), 12)

    def test_netem_off_minds_nothing(self):
        self.lab("netem h1:eth1 off")
        self.assertEqual(self.told(), [("tc -n h1 -force -batch -", "qdisc del dev eth1 root\n")])

    def test_an_mtu_of_one_end_or_both(self):
        self.assertEqual(self.lab("mtu h1:eth2 1500"), (0, "", ""))
        self.assertEqual(self.told(), [("ip -n h1 -batch -", "link set eth2 mtu 1500\n")])
        self.assertEqual(self.lab("mtu link h1:eth2 1280")[0], 0)
        self.assertEqual(self.told(), [("ip -n h1 -batch -", "link set eth2 mtu 1280\n"),
                                       ("ip -n p2t0r1 -batch -", "link set h1 mtu 1280\n")])  # fmt: skip
        self.assertEqual(self.lab("mtu link h1:eth2 off")[0], 0)
        self.assertTrue(all(text.endswith(" mtu 9000\n") for _, text in self.told()))
        self.assertEqual(self.state.failed(), [])

    def test_an_mtu_that_is_none(self):
        for words, status, why in (("h1:eth2 1279", 2, "mtu wants a number from 1280 to 65535"),
                                   ("link h1:eth2", 2, "wanted: mtu"),
                                   ("h1:eth2 1500 1500", 2, "wanted: mtu"),
                                   ("h1:eth9 1500", 1, "no link 'h1:eth9'")):  # fmt: skip
            self.refuses(f"mtu {words}", status, why)
        self.assertEqual(self.told(), [])
        with unittest.mock.patch.object(system, "Fed", Programs(self.log, 1)):
            self.refuses("mtu h1:eth1 1500", 1, "cannot set the MTU of 'h1:eth1'")

    def test_one_tc_per_namespace(self):
        self.lab("netem all delay 1ms")
        names = [argv.split()[2] for argv, _ in self.told()]
        self.assertEqual(sorted(names), sorted(self.state.namespaces()))

    def test_what_fails_is_named_and_not_marked(self):
        with unittest.mock.patch.object(system, "Fed", Programs(self.log, 1)):
            self.refuses("fail link h1:eth1", 1, "cannot fail link 'h1:eth1'")
            self.refuses("netem h1:eth1 loss bogus", 1, "tc refused: loss bogus")
            self.assertEqual(self.lab("netem h1:eth1 off")[0], 0)
        self.assertEqual(self.state.failed(), [])

    def test_held_until_the_word(self):
        stdin = unittest.mock.Mock()
        stdin.readline.side_effect = lambda: self.log.append(("word", "")) or "\n"
        with unittest.mock.patch.object(sys, "stdin", stdin):
            self.assertEqual(self.lab("hold fail link h1:eth1")[0], 0)
        self.assertEqual([entry[0] for entry in self.log],
                         ["ready", "word", "ip -n p1t0r1 -batch -"])  # fmt: skip

    def test_no_word_no_fault(self):
        with unittest.mock.patch.object(sys, "stdin", io.StringIO()):
            self.refuses("hold fail link h1:eth1", 1, "no line has come on standard input")
        self.assertEqual((self.told(), self.state.failed()), ([], []))

    def test_a_batch_does_not_exec(self):
        with contextlib.redirect_stderr(io.StringIO()) as err:
            status = main.run(main.Lab(self.state, batch=True), ["exec", "h1", "true"])
        self.assertEqual((status, err.getvalue()), (2, "lab: exec is not for batch mode\n"))

    def test_held_in_a_batch_all_go_at_once(self):
        lab = main.Lab(self.state, batch=True)
        for text in ("hold fail link h1:eth1", "hold netem h2:eth2 loss 5%"):
            self.assertEqual(main.run(lab, text.split()), 0)
        self.assertEqual((self.told(), self.state.failed()), ([], []))
        self.assertEqual(main.run(lab, ["go"]), 0)
        self.assertEqual([argv.split()[2] for argv, _ in self.told()], ["p1t0r1", "h2"])
        with contextlib.redirect_stderr(io.StringIO()) as err:
            self.assertEqual(main.run(lab, ["go"]), 1)
        self.assertEqual(err.getvalue(), "lab: nothing is held\n")


class PlainFaults(Faults):
    """The same, and routes with several members."""

    options = "--planes 2 --plain"

    def test_members_come_back_after_the_rest(self):
        self.lab("heal link p1t1s1:t0r1")
        (_, first), (argv, members) = self.told()
        self.assertEqual(argv, "ip -n p1t0r1 -6 -force -batch -")
        self.assertNotIn("append", first)
        self.assertTrue(all(line.startswith("route append") and line.endswith("dev t1s1")
                            for line in members.splitlines()))  # fmt: skip


class Pictures(WithState):
    def draw(self, states, failed=(), with_devices=False):
        return list(picture.Picture(self.shape, failed, with_devices, lambda ns: states).lines())

    def test_all_is_well(self):
        lines = self.draw({name: "up" for name in ("eth1", "eth2", "t1s1", "t1s2")})
        self.assertEqual(lines[:8], [
            "2 planes, 2 racks, 2 spines per plane, 1 hosts per rack, MTU 9000, SRv6 uSID",
            "h1  GID fd00:6d72:63::1  SID fcbb:bb00:f001::",
            "h2  GID fd00:6d72:63::2  SID fcbb:bb00:f002::",
            "plane 1",
            "             T1:         p1t1s1       p1t1s2",
            "  T0 p1t0r1              up           up",
            "     h1:eth1          up",
            "  T0 p1t0r2              up           up"])  # fmt: skip
        self.assertEqual(len(lines), 3 + 2 * 6)

    def test_what_failed_is_marked(self):
        lines = self.draw({"eth1": "no-carrier"}, ["p1t0r1", "p2t0r1:h1"], True)
        self.assertIn("  T0 p1t0r1!             DOWN         DOWN", lines)
        self.assertIn("     h1:eth1          no-carrier", lines)
        self.assertEqual(lines[-1], "failed: p1t0r1 p2t0r1:h1")
        self.assertTrue(lines[1].endswith("  device mrc0"))

    def test_states_of_ip(self):
        self.assertEqual(picture.parse_states(
            "2: eth1@if9: <BROADCAST,UP,LOWER_UP> mtu 9000 state UP mode DEFAULT\n"
            "3: eth2@if8: <NO-CARRIER,BROADCAST,UP> mtu 9000 state LOWERLAYERDOWN mode\n"
            "4: eth3@if7: <BROADCAST> mtu 9000 state DOWN mode DEFAULT\n"),
            {"eth1": "up", "eth2": "no-carrier", "eth3": "DOWN"})  # fmt: skip

    def test_a_namespace_is_asked_once(self):
        asked = []
        found = picture.Picture(self.shape, [], False, lambda ns: asked.append(ns) or {})
        list(found.lines())
        self.assertEqual(len(asked), len(set(asked)))


class Files(WithState):
    options = "--planes 2 --racks 3 --spines 1 --hosts-per-rack 2"

    def test_a_host_file(self):
        found = tomllib.loads("\n".join(hostfile.lines(self.shape, 4)))
        self.assertEqual(found["fabric"], {"block": "fcbb:bb00::/32", "gids": "fd00:6d72:63::/64",
                                           "planes": 2})  # fmt: skip
        self.assertEqual(len(found["t0"]), 6)
        self.assertEqual(found["t0"]["p2t0r3"], {"plane": 2, "rack": "r3", "usid": 0x0203})
        self.assertEqual(found["t1"]["p2t1s1"], {"plane": 2, "usid": 0x0281})
        self.assertEqual(found["hosts"]["h4"],
                         {"rack": "r2", "usid": 0xF004, "gid": "fd00:6d72:63::4"})  # fmt: skip
        self.assertEqual(found["local"], {"host": "h4", "device": "mrc3", "anchor": "mrc",
                                          "planes": ["eth1", "eth2"]})  # fmt: skip

    def test_by_the_command(self):
        status, out, _ = self.lab("file h6")
        self.assertEqual((status, tomllib.loads(out)["local"]["host"]), (0, "h6"))


class Building(WithState):
    def test_inhabitants_of_other_namespaces_live(self):
        with unittest.mock.patch.object(system, "inhabitants", return_value=[]), \
                unittest.mock.patch.object(os, "kill") as kill:  # fmt: skip
            builder.kill_inhabitants(["h1"])
        kill.assert_not_called()

    def test_nobody_lives_in_what_is_not_there(self):
        self.assertEqual(system.inhabitants(["no such namespace"]), [])

    def test_a_foreign_namespace(self):
        with tempfile.TemporaryDirectory() as folder, \
                unittest.mock.patch.object(system, "RUN_NETNS", folder):  # fmt: skip
            Path(folder, "h2").touch()
            with self.assertRaisesRegex(Refused, "'h2' exists and is not ours"):
                builder.refuse_taken_names(self.state.namespaces())

    def test_what_is_half_built_is_removed(self):
        self.state.remove()
        with contextlib.ExitStack() as stack:
            for module, name in ((builder, "refuse_taken_names"), (system, "load_modules")):
                stack.enter_context(unittest.mock.patch.object(module, name))
            stack.enter_context(
                unittest.mock.patch.object(builder, "build", side_effect=Refused("built badly"))
            )
            status, _, err = self.lab("up --no-devices")
        self.assertEqual(status, 1)
        self.assertIn("lab: building failed, removing what is there\nlab: built badly\n", err)
        self.assertFalse(self.state.exists())

    def test_a_program_that_is_not_there(self):
        with self.assertRaisesRegex(Refused, "cannot start /no/such: No such file"):
            system.run(["/no/such"])

    def test_programs(self):
        self.assertEqual(system.output(["echo", "one", "two"]), "one two\n")
        self.assertEqual(system.feed(["grep", "-qx", "second"], ["first", "second"]), 0)
        self.assertEqual(system.feed(["false"], ["nobody reads this"] * 100000), 1)
        with self.assertRaisesRegex(Refused, "^false failed$"):
            system.output(["false"])


class Batch(unittest.TestCase):
    def ask(self, text):
        # Nothing in the environment may change Python's buffering.
        return subprocess.run([TOP / "scripts/lab", "-b"], input=text, capture_output=True,
                              text=True, check=False, timeout=60, env={})  # fmt: skip

    def test_answers(self):
        done = self.ask("bogus\n\n  help  \nhold\n-b\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertEqual(lines[:3], [
            "err lab: unknown command 'bogus'", "end 2",
            "out Usage: scripts/lab COMMAND"])  # fmt: skip
        self.assertEqual(lines[-5:], [
            "end 0", "err lab: hold takes fail, heal, netem or mtu", "end 2",
            "err lab: unknown command '-b'", "end 2"])  # fmt: skip

    def test_what_programs_print_is_part_of_the_answer(self):
        def run(words):
            return system.run(["sh", "-c", f"echo {words[0]}; echo bad >&2; exit 3"])

        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.dup2(write, 1)
            with open(os.memfd_create("commands"), "w+") as file:
                file.write("one\ntwo\n")
                file.seek(0)
                os.dup2(file.fileno(), 0)
                batch.serve(run)
            os._exit(0)
        os.close(write)
        with open(read, encoding="utf-8") as file:
            text = file.read()
        os.waitpid(pid, 0)
        self.assertEqual(text, "out one\nerr bad\nend 3\nout two\nerr bad\nend 3\n")

    def test_by_another_name(self):
        with tempfile.TemporaryDirectory() as folder:
            link = Path(folder, "link")
            link.symlink_to(TOP / "scripts/lab")
            done = subprocess.run([link, "help"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, main.USAGE))


class KernelOfPorts:
    """Replaces ports.Kernel: records the settings, and gives one answer to all queries."""

    def __init__(self, answer=b""):
        self.told = []
        self.answer = answer

    def ask(self, ns, interface, kind, _, attributes=b""):
        self.told.append((f"{ns}:{interface}", kind, ports.parse_attributes(attributes)))
        return self.answer


def an_answer(kind=b"trim\0", numbers=range(1, 11)):
    """The kernel's message about a port."""
    application = ports._attribute(ports.TCA_STATS_APP,
                                   struct.pack(ports.STATISTICS_FORMAT, *numbers))  # fmt: skip
    return bytes(36) + ports._attribute(ports.TCA_KIND, kind) + ports._attribute(
        ports.TCA_STATS2, application)  # fmt: skip


def options_of(told):
    """{attribute: number} that was set on a port."""
    data = told[2][ports.TCA_OPTIONS]
    return {kind: int.from_bytes(value, sys.byteorder)
            for kind, value in ports.parse_attributes(data).items()}  # fmt: skip


class PortsThatTrim(WithState):
    options = "--switch trim --planes 1 --racks 1 --spines 1 --rate-mbit 80 --rtt-us 1000"

    def made(self, answer=b""):
        kernel = KernelOfPorts(answer)
        found = ports.Ports(self.state, kernel)
        found.build()
        return found, kernel

    def told(self, kernel, name):
        return options_of(next(told for told in reversed(kernel.told) if told[0] == name))

    def test_thresholds_are_parts_of_the_product(self):
        _, kernel = self.made()
        found = self.told(kernel, "p1t0r1:t1s1")
        self.assertEqual([found[n] for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)], [
            10_000_000, 250_000, 2000, 8000, 10_000, 15_000, 40_000, 10_000, 128, 12, 0,
        ])  # fmt: skip

    def test_the_last_hop_says_so(self):
        _, kernel = self.made()
        self.assertEqual(self.told(kernel, "p1t0r1:h1")[10], 16)
        self.assertEqual(self.told(kernel, "p1t1s1:t0r1")[10], 12)

    def test_a_host_neither_marks_nor_trims_nor_drops(self):
        _, kernel = self.made()
        found = self.told(kernel, "h1:eth1")
        self.assertFalse({3, 4, 5, 6} & set(found))
        self.assertGreater(found[7], 1 << 24)

    def test_a_way_between_racks_is_twice_as_long(self):
        two = ports.Link(shape("--switch trim --rtt-us 1000"))
        self.assertEqual(two.delay, 125_000)

    def test_settings_change_and_stay(self):
        _, kernel = self.made()
        again = ports.Ports(self.state, kernel)
        again.change([("p1t0r1", "h1")], ["ecn", "off", "stale", "on"])
        found = self.told(kernel, "p1t0r1:h1")
        self.assertFalse({3, 4} & set(found))
        self.assertEqual((found[5], found[11]), (10_000, 1))
        ports.Ports(self.state, kernel).change([("p1t0r1", "h1")], ["trim", "off"])
        found = self.told(kernel, "p1t0r1:h1")
        self.assertFalse({3, 4, 5, 6} & set(found))
        self.assertEqual(found[11], 1)

    def test_a_port_that_refuses_stays_as_it_was(self):
        found, kernel = self.made()
        kernel.ask = unittest.mock.Mock(side_effect=[b"", Refused("no")])
        with self.assertRaises(Refused):
            found.change([("h1", "eth1"), ("p1t0r1", "h1")], ["ecn", "off"])
        lines = self.state.lines("ports")
        self.assertIn("h1:eth1 ecn=0 trim=1 stale=0", lines)
        self.assertIn("p1t0r1:h1 ecn=1 trim=1 stale=0", lines)

    def test_what_a_port_tells(self):
        found, _ = self.made(an_answer())
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            found.print([("p1t0r1", "h1"), ("h1", "eth1")])
        first, second = (json.loads(line) for line in out.getvalue().splitlines())
        self.assertEqual((first["port"], first["marked"], first["longest"], first["trim"]),
                         ("p1t0r1:h1", 1, 10, True))  # fmt: skip
        self.assertEqual(second["port"], "h1:eth1")

    def test_another_qdisc(self):
        for answer in (an_answer(kind=b"netem\0"), bytes(36), an_answer()[:-8], b""):
            found, _ = self.made(answer)
            with self.assertRaisesRegex(Refused, "p1t0r1:h1 has another qdisc"):
                found.print([("p1t0r1", "h1")])

    def test_settings_that_are_none(self):
        for text, complaint in (
            ("ecm on", "no setting 'ecm'"), ("ecn", "ecn wants on or off$"),
            ("ecn on trim", "trim wants on or off$"), ("ecn 1", "not '1'"),
        ):  # fmt: skip
            with self.assertRaisesRegex(Usage, complaint):
                ports.parse(text.split())

    def test_netem_would_take_their_place(self):
        self.made()
        self.refuses("netem all delay 1ms", 1, "netem would take their place")

    def test_what_the_kernel_says_is_wrong(self):
        def error(number, tail=b"", flags=0):
            body = struct.pack("=i", -number) + bytes(16) + tail
            return struct.pack("=IHHII", 16 + len(body), ports.NLMSG_ERROR, flags, 1, 0) + body

        text = ports._attribute(ports.NLMSGERR_ATTR_MSG, b"a port needs a rate\0")
        both = ports.NLM_F_CAPPED | ports.NLM_F_ACK_TLVS
        self.assertIsNone(ports.complaint(error(0)))
        self.assertEqual(ports.complaint(error(2)), "No such file or directory")
        self.assertEqual(ports.complaint(error(22, text, both)), "a port needs a rate")


if __name__ == "__main__":
    unittest.main()
