#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests what scripts/spec makes of mrc.yaml, what it refuses, and that numbers in use stay.

Usage: spec.py TOP"""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

TOP = Path(sys.argv.pop(1)).resolve()
SOURCE = "Documentation/netlink/specs/mrc.yaml"
HEADER = "kernel/include/uapi/linux/mrc.h"
CODE = "kernel/netlink/spec.c"
DECLARATIONS = "kernel/netlink/spec.h"
SETTINGS = "kernel/transport/device/settings.h"
PAGE = "Documentation/netlink/README.md"
SCHEMA = "Documentation/json/device.json"
CC_SCHEMA = "Documentation/json/cc-profile.json"
EVENT_SCHEMA = "Documentation/json/monitor.json"
# The last attribute of a device, and a new one behind it.
LAST = ("here and for peers\"\n"
        "        x-mrc: { default: true }\n"
        "  -\n    name: counter\n")
NEW = ("      - { name: pace, type: u16, checks: { min: 2, max: 40000 }, doc: beats, "
       "x-mrc: { default: 7 } }\n")
# The same for a CC profile.
CC_LAST = "  -\n    name: cc-derived\n"
CC_NEW = ("      - { name: pace, type: u32, checks: { min: 2, max: 5000000 }, doc: beats, "
          "x-mrc: { member: params.pace, unit: UNIT, brief: true } }\n")


class Spec(unittest.TestCase):
    def setUp(self):
        self.tmp = tempfile.TemporaryDirectory()
        self.addCleanup(self.tmp.cleanup)
        self.top = Path(self.tmp.name)
        for path in (SOURCE, HEADER, CODE, DECLARATIONS, SETTINGS, PAGE, SCHEMA, CC_SCHEMA, EVENT_SCHEMA):
            (self.top / path).parent.mkdir(parents=True, exist_ok=True)
            (self.top / path).write_text((TOP / path).read_text())

    def spec(self, *args, top=None):
        return subprocess.run([TOP / "scripts/spec", "--top", top or self.top, *args],
                              capture_output=True, text=True, check=False)

    def made(self, target, name):
        done = self.spec(target, self.top / "made")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return (self.top / "made" / name).read_text()

    def edit(self, old, new):
        path = self.top / SOURCE
        text = path.read_text()
        self.assertEqual(text.count(old), 1, old)
        path.write_text(text.replace(old, new))

    def add_setting(self):
        """Adds a setting: an attribute, and its name in requests and answers."""
        last = LAST.splitlines(keepends=True)
        self.edit(LAST, "".join(last[:2]) + NEW + "".join(last[2:]))
        path = self.top / SOURCE
        path.write_text(path.read_text().replace("lasthop, extensions ]", "lasthop, extensions, pace ]"))

    def add_cc_setting(self, unit="fraction", member="member: params.pace"):
        self.edit(CC_LAST, CC_NEW.replace("UNIT", unit).replace("member: params.pace", member) +
                  CC_LAST)
        path = self.top / SOURCE
        text = path.read_text()
        for old in ("ecn, scope ]", "ecn, scope,\n"):
            text = text.replace(old, old.replace("scope", "scope, pace"))
        path.write_text(text)

    def has(self, line, text):
        self.assertTrue(line in text, f"not there: {line}")

    def text(self, path):
        return (self.top / path).read_text()

    def header(self):
        return self.text(HEADER)

    def refused(self, words, *args):
        done = self.spec(*args)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, words)
        self.assertEqual(self.header(), (TOP / HEADER).read_text(), "written all the same")

    # ---- files of the tree

    def test_tree_is_up_to_date(self):
        done = self.spec("--check", top=TOP)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_old_file(self):
        self.add_setting()
        self.refused(f"(?m)^spec: {HEADER} is older than {SOURCE}: run scripts/spec$", "--check")
        self.assertEqual(self.spec().returncode, 0)
        self.has("\tMRC_A_DEVICE_PACE,\t\t/* u16, 2 to 40000: beats */\n", self.header())
        self.assertEqual(self.spec("--check").returncode, 0)
        self.has("| `pace` | u16 | beats; 2 to 40000 (7) |\n", (self.top / PAGE).read_text())
        items = json.loads((self.top / SCHEMA).read_text())["items"]
        self.assertEqual(items["properties"]["pace"],
                         {"type": "integer", "minimum": 2, "maximum": 40000})
        self.assertIn("pace", items["required"])

    def test_nothing_changed(self):
        before = (self.top / HEADER).stat().st_mtime_ns
        self.assertEqual(self.spec().returncode, 0)
        self.assertEqual((self.top / HEADER).stat().st_mtime_ns, before, "all would be built anew")

    def test_numbers_stay(self):
        self.edit("      -\n        name: burst\n", NEW + "      -\n        name: burst\n")
        self.refused("MRC_A_DEVICE_BURST was 6 and would be 7: numbers that are in use stay")
        self.refused("MRC_A_DEVICE_MPR was 13 and would be 14", "--check")
        self.assertEqual(self.spec("--renumber").returncode, 0)
        self.assertRegex(self.header(), r"MRC_A_DEVICE_PACE,.*\n\tMRC_A_DEVICE_BURST,")

    def test_commands_stay(self):
        self.edit("    -\n      name: qp-ntf\n", "    -\n      name: qp-error-ntf\n")
        self.refused("MRC_CMD_QP_NTF was 29 and is gone")

    def test_holes(self):
        """A removed attribute leaves its number behind."""
        self.edit("    -\n      name: probe\n", "    -\n      name: probe\n      value: 40\n")
        self.assertEqual(self.spec("--renumber").returncode, 0)
        self.has("\tMRC_CMD_PEER_PORTS_NTF = 30,\n\tMRC_CMD_PROBE = 40,\n", self.header())

    # ---- files of a build

    def test_setting(self):
        self.add_setting()
        self.assertEqual(self.spec().returncode, 0)
        code = self.text(CODE)
        for line in ("NLA_POLICY_FULL_RANGE(NLA_U16, &mrc_nl_2_to_40000)", "\t.max = 40000,",
                     "nla_put_u16(skb, MRC_A_DEVICE_PACE, cfg->pace)",
                     "cfg->pace = nla_get_u16(attrs[MRC_A_DEVICE_PACE]);"):
            self.has(line, code)
        settings = self.text(SETTINGS)
        self.has("\tu16 pace;\n", settings)
        self.assertRegex(settings, r"\t\.pace = 7,\t+\\\n")
        self.has(" * @pace: beats; 2 to 40000\n", settings)

    def test_setting_of_the_tools(self):
        self.add_setting()
        self.assertEqual(self.spec().returncode, 0)
        text = self.made("cpp", "mrcnl/settings.h")
        for line in ("    std::optional<uint16_t> pace;\n", "    s.pace = 7;\n", " | pace N }",
                     'fn(Setting{MRC_A_DEVICE_PACE, "pace", 2, 40000, 65535, false},'):
            self.has(line, text)
        self.has('    {MRC_A_DEVICE_PACE, "pace"},\n', self.made("cpp", "spec_names.cc"))

    def members(self):
        return self.made("cpp", "mrcnl/members.h")

    def test_members(self):
        """libmrcnl's structs must have all that sets, answers and events list, or nothing compiles."""
        self.edit("doc: CE-marked packets }\n",
                  "doc: CE-marked packets }\n      - { name: pace, type: u16 }\n")
        self.edit("mtu, psn-una,", "mtu, reason, psn-una,")
        self.edit("reason, time ]\n      mcgrp: events\n    -\n      name: qp-ntf",
                  "reason, time, value ]\n      mcgrp: events\n    -\n      name: qp-ntf")
        text = self.members()
        for line in ("    fn(Value<uint16_t>{MRC_A_PLANE_STATS_PACE}, &PlaneStats::pace);\n",
                     "    fn(Value<std::string>{MRC_A_QP_REASON}, &Qp::reason);\n",
                     "    fn(Value<uint32_t>{MRC_A_PEER_EV_VALUE}, &PeerEvEvent::value);\n"):
            self.has(line, text)

    def test_a_member_of_two_attributes(self):
        self.edit("cpp: psns.nxt", "cpp: psns.una")
        self.refused("^spec: .*psn-nxt: QpPsns has one una for two attributes", "cpp",
                     str(self.top / "out"))

    def test_kinds_of_members(self):
        text = self.members()
        for line in ("fn(Value<Address>{MRC_A_ROUTE_GID}, &RouteMatch::gid);",
                     "fn(Value<bool>{MRC_A_ROUTE_GONE}, &ConfigEvent<Route>::gone);",
                     "fn(Part{MRC_A_ROUTE_DEV_INDEX}, &ConfigEvent<Route>::is);",
                     "fn(Part{MRC_A_ROUTE_PREFIX}, &Route::prefix);",
                     "fn(Value<uint8_t>{MRC_A_ROUTE_PREFIX_LEN}, &Prefix::length);",
                     "fn(Part{MRC_A_DEVICE_BURST}, &SettingsEvent::settings);",
                     "fn(Nested<CounterSet>{MRC_A_DEVICE_COUNTER}, &Device::counters);"):
            self.has(line, text)

    def test_attributes_without_a_member(self):
        """Each attribute that is sent has a member, or the specification says that it has none."""
        text = self.members()
        with open(TOP / SOURCE, encoding="utf-8") as file:
            spec = yaml.safe_load(file)
        sets = {group["name"]: group for group in spec["attribute-sets"]}
        for op in spec["operations"]["list"]:
            group = sets[op["attribute-set"]]
            own = {a["name"]: a.get("x-mrc", {}) for a in group["attributes"]}
            for told in (op.get("do", {}).get("reply"), op.get("dump", {}).get("reply"),
                         op.get("event")):
                for name in (told or {}).get("attributes", []):
                    constant = (group["name-prefix"] + name).upper().replace("-", "_")
                    with self.subTest(constant):
                        self.assertEqual(f"{{{constant}}}" in text, own[name].get("cpp") is not False)

    def test_cc_setting(self):
        self.add_cc_setting()
        self.assertEqual(self.spec().returncode, 0)
        code = self.text(CODE)
        for line in ("NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_nl_2_to_5000000)",
                     "(p->params.pace ? nla_put_u32(skb, MRC_A_CC_PROFILE_PACE, p->params.pace) : 0)",
                     "\tp->params.pace = attrs[MRC_A_CC_PROFILE_PACE] ? "
                     "nla_get_u32(attrs[MRC_A_CC_PROFILE_PACE]) : 0;",
                     "\tMRC_A_CC_PROFILE_PACE,\n};"):
            self.has(line, code)
        text = self.made("cpp", "mrcnl/settings.h")
        for line in ("    std::optional<uint32_t> pace;\n", " | pace X }\"",
                     'fn(Setting{MRC_A_CC_PROFILE_PACE, "pace", 2, 5000000, 4294967295u, true, '
                     'Unit::fraction},\n       &CcSettings::pace);'):
            self.has(line, text)
        self.has("| `pace` | u32 | beats; 2 to 5000000 |\n", (self.top / PAGE).read_text())

    def test_cc_setting_in_json(self):
        self.add_cc_setting()
        self.assertEqual(self.spec().returncode, 0)
        wanted = {"type": "number", "minimum": 2e-6, "maximum": 5.0}
        items = json.loads((self.top / CC_SCHEMA).read_text())["items"]
        self.assertEqual(items["properties"]["pace"], wanted)
        self.assertNotIn("pace", items["required"])
        for event in json.loads((self.top / EVENT_SCHEMA).read_text())["oneOf"]:
            of_profile = event["properties"]["event"].get("const") == "cc-profile"
            self.assertEqual(event["properties"].get("pace"), wanted if of_profile else None)

    def test_defaults_of_cc_settings(self):
        """Defaults in the module, used if a request does not have the setting; also for inverted
        members."""
        code = self.text(CODE)
        for line in ("p->params.gamma = attrs[MRC_A_CC_PROFILE_GAMMA] ? "
                     "nla_get_u32(attrs[MRC_A_CC_PROFILE_GAMMA]) : 800000;",
                     "p->params.disable_qa = !(attrs[MRC_A_CC_PROFILE_QUICK_ADAPT] ? "
                     "nla_get_u8(attrs[MRC_A_CC_PROFILE_QUICK_ADAPT]) : 1);",
                     "nla_put_u8(skb, MRC_A_CC_PROFILE_QUICK_ADAPT, !p->params.disable_qa)",
                     "p->scope = attrs[MRC_A_CC_PROFILE_SCOPE] ? "
                     "nla_get_u8(attrs[MRC_A_CC_PROFILE_SCOPE]) : MRC_NL_CC_SCOPE_PEER;",
                     'static_assert(MRC_CC_RATE_MIN == 1000000, "cc-profile: rate");',
                     'static_assert(MRC_CC_RATE_MAX == 274877906944, "cc-profile: rate");'):
            self.has(line, code)
        text = self.made("cpp", "mrcnl/settings.h")
        for line in ("    s.quick_adapt = true;\n", "    s.scope = 0;\n", "    s.gamma = 800000;\n",
                     '*cc_ecn_words[] = {"present", "absent"};', "ecn { present | absent }"):
            self.has(line, text)

    def test_cc_setting_that_is_nowhere(self):
        for old, words in (("trimming, ecn, scope ]\n      mcgrp", "is not in cc-profile-ntf"),
                           ("trimming, ecn, scope,\n", "is not in the answer of cc-profile-get")):
            with self.subTest(words):
                self.setUp()
                self.edit(old, old.replace("scope", "owner"))
                self.refused(f"^spec: {SOURCE}: setting scope {words}", "--check")
        self.setUp()
        self.add_cc_setting(unit="miles")
        self.refused(f"^spec: {SOURCE}: cc-profile: pace: there is no unit miles", "--check")

    def test_policies_hold_the_whole_set(self):
        """A refusal may name any attribute of a set, whatever the operation takes."""
        code = self.text(CODE)
        lasts = re.findall(r"\.policy = (\w+),\n\t\t\.maxattr = (\w+),", code)
        self.assertGreater(len(lasts), 20)
        for policy, last in lasts:
            self.assertRegex(last, "_MAX$")
            self.has(f"const struct nla_policy {policy}[{last} + 1] = {{", code)

    def test_what_dumps_heed_has_no_last_number(self):
        """A set may have more attributes than a word has bits, and a dump may filter by any of them."""
        more = "".join(f"      - {{ name: more{n}, type: u32, doc: beats }}\n" for n in range(70))
        self.edit(CC_LAST, more + CC_LAST)
        self.edit("        request: { attributes: [ dev-index, dev-name ] }\n"
                  "        reply: *cc-profile-reply\n",
                  "        request: { attributes: [ dev-index, more69 ] }\n"
                  "        reply: *cc-profile-reply\n")
        self.assertEqual(self.spec().returncode, 0)
        numbers = re.search(r"\[MRC_CMD_CC_PROFILE_GET\] = \{([^}]*)\}",
                            self.text(CODE)).group(1)
        self.assertEqual(numbers.replace(",", " ").split(),
                         ["MRC_A_CC_PROFILE_DEV_INDEX", "MRC_A_CC_PROFILE_MORE69"])
        header = self.text(DECLARATIONS)
        self.assertGreaterEqual(int(re.search(r"MRC_NL_HEEDS (\d+)", header).group(1)), 2)

    def test_limits_that_a_policy_cannot_hold(self):
        self.add_setting()
        self.edit("{ min: 2, max: 40000 }", "{ min: 40000 }")
        self.assertEqual(self.spec().returncode, 0)
        code = self.text(CODE)
        for line in ("NLA_POLICY_FULL_RANGE(NLA_U16, &mrc_nl_40000_to_u16_max)",
                     "\t.min = 40000,\n\t.max = U16_MAX,"):
            self.has(line, code)

    def test_enum_with_holes(self):
        self.edit('{ name: explicit, doc: "a list" }', '{ name: explicit, value: 4, doc: "a list" }')
        done = self.spec("--renumber")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^spec: .*mode: a request may have it, and enum ev-mode is not "
                                      "all numbers from 0 to its last")

    def test_required(self):
        code = self.text(CODE)
        self.assertEqual(len(re.findall(r" is missing\"", code)),
                         int(re.search(r"MRC_NL_REQUIRED (\d+)",
                                       self.text(DECLARATIONS))[1]))
        self.assertRegex(code, r'MRC_CMD_EV_SET, MRC_A_EV_DENIED,\n\s+KBUILD_MODNAME '
                               r'": denied is missing"')

    def test_flags(self):
        """Flags: their numbers are bit positions in the file, and bits for all users."""
        line = '      - { name: owner, doc: "planes'
        self.edit(line, f"      - {{ name: first }}\n      - {{ name: second }}\n{line}")
        self.assertEqual(self.spec("--renumber").returncode, 0)
        with open(f"{self.top}/kernel/include/uapi/linux/mrc.h", encoding="utf-8") as file:
            text = file.read()
        for name, bit in (("FIRST", 1), ("SECOND", 2), ("OWNER", 4)):
            self.has(f"MRC_NL_CAPABILITY_{name} = {bit},", text)

    def test_for_others(self):
        text = self.made("ynl", "mrc.yaml")
        self.assertNotIn("x-mrc:", text)
        self.has("        name: burst\n        type: u8\n        checks: { min: 1, max: 16 }\n"
                 "        doc: packets per skb\n      -\n", text)
        self.has("{ name: qpn, type: u32, checks: { max: 16777215 } }\n", text)

    # ---- what contradicts itself

    def test_contradictions(self):
        for old, new, words in (
            ("attributes: [ version, icrc,", "attributes: [ versions, icrc,",
             "info-get: no attribute versions in set info"),
            ("name: plane-set\n", "name: plane-change\n",
             "plane-change: what does more than look needs a permission, nothing else"),
            ("require: [ ev-profile, index, denied ]", "require: [ ev-profile, index, via ]",
             "ev-set requires via, and does not take it"),
            ("x-mrc: { default: 46, ", "x-mrc: { defualt: 46, ",
             r"device: dscp-control: x-mrc of attributes has no \['defualt'\]"),
            ("x-mrc: { default: 46, ", "x-mrc: { ", "setting dscp-control: no default"),
            ("nested-attributes: plane-stats", "nested-attributes: stats",
             "stats: there is no attribute set stats"),
            ("admin-state, type: u8, enum: plane-state", "admin-state, type: u8, enum: state",
             "plane: admin-state: there is no enum state"),
            ("name: sack-bytes\n        type: u32", "name: sack-bytes\n        type: string",
             "setting sack-bytes: there is no code to write a string"),
            ("dscp-rtx, dscp-control, mpr, sack-bytes, tunnel-source, ports-up",
             "dscp-rtx, dscp-control, sack-bytes, tunnel-source, ports-up",
             "setting mpr is not in the answer of device-get"),
            ("dscp-control, mpr, sack-bytes, tunnel-source, time",
             "dscp-control, mpr, tunnel-source, time", "setting sack-bytes is not in device-ntf"),
            ("x-mrc: { cpp: PeerEvEvent }", "x-mrc: { object: ev }",
             "peer-ev-ntf: no struct has what it tells"),
            ("x-mrc: { cpp: PeerEvEvent }", "x-mrc: { cp: PeerEvEvent }",
             r"peer-ev-ntf: x-mrc of messages has no \['cp'\]"),
            ("x-mrc: { cpp: psns.nxt }", "x-mrc: { cpp: psn.nxt }",
             "qp: psn-nxt: there is no part psn"),
            ("{ name: ev-max, type", "{ name: icrc, type", "set info: icrc comes twice"),
            ("{ name: port-max, type", "{ name: dev-name, type",
             "info: dev-name has not the number that it has in all sets"),
        ):
            with self.subTest(words):
                self.setUp()
                self.edit(old, new)
                self.refused(f"^spec: {SOURCE}: {words}", "--check")


if __name__ == "__main__":
    unittest.main()
