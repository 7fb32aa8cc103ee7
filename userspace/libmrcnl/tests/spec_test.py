#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The specification, the uapi header and the library's names are one.

Numbers follow from the specification by the rules of the kernel's YNL; the
compiler says what the header makes of each name.
"""

import argparse
import json
import re
import subprocess
import sys
import yaml

# Constants that come from other headers, and those that only C needs.
FOREIGN = {"SEG6_IPTUNNEL_SRH"}
C_ONLY = re.compile(r"^(__)?MRC_(A_[A-Z_]+|CMD)_MAX$")


def c_name(prefix, name):
    return (prefix + name).upper().replace("-", "_")


def number_all(items, start):
    """Pairs of name and number: explicit values, otherwise one more than before."""
    number = start
    for item in items:
        if isinstance(item, str):
            item = {"name": item}
        number = item.get("value", number)
        yield item["name"], number, item
        number += 1


def expected_constants(spec):
    """What the header must say, by name."""
    wanted = {}
    for enum in spec["definitions"]:
        for name, number, _ in number_all(enum["entries"], 0):
            wanted[c_name(enum["name-prefix"], name)] = number
    for space in spec["attribute-sets"]:
        for name, number, _ in number_all(space["attributes"], 1):
            wanted[c_name(space["name-prefix"], name)] = number
    ops = spec["operations"]
    for name, number, _ in number_all(ops["list"], 1):
        wanted[c_name(ops["name-prefix"], name)] = number
    return wanted


def header_enumerators(path):
    text = re.sub(r"/\*.*?\*/", "", open(path).read(), flags=re.S)
    found = set()
    for body in re.findall(r"enum\s*\w*\s*\{(.*?)\}", text, flags=re.S):
        for item in body.split(","):
            name = item.split("=")[0].strip()
            if name:
                found.add(name)
    return found


def check_header(spec, include, compiler):
    wanted = expected_constants(spec)
    lines = ["#include <linux/mrc.h>", "#include <linux/seg6_iptunnel.h>"]
    for name, number in wanted.items():
        lines.append(f'_Static_assert({name} == {number}, "{name}");')
    family = c_name("", spec["c-family-name"])
    lines.append(f'_Static_assert(__builtin_strcmp({family}, "{spec["name"]}") == 0, "");')
    lines.append(f'_Static_assert({c_name("", spec["c-version-name"])} == {spec["version"]}, "");')
    for group in spec["mcast-groups"]["list"]:
        macro = c_name("", group["c-define-name"])
        lines.append(f'_Static_assert(__builtin_strcmp({macro}, "{group["name"]}") == 0, "");')
    done = subprocess.run([compiler, "-std=gnu11", "-fsyntax-only", "-I", include, "-x", "c", "-"],
                          input="\n".join(lines), text=True, capture_output=True, check=False)
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    assert done.returncode == 0 or errors, done.stderr
    have = header_enumerators(include + "/linux/mrc.h")
    for name in sorted(have - set(wanted)):
        if not C_ONLY.match(name):
            errors.append(f"{name} is in the header, not in the specification")
    for name in sorted(set(wanted) - have - FOREIGN):
        errors.append(f"{name} is in the specification, not in the header")
    return errors


def check_names(spec, names):
    errors = []
    wanted = {}
    for space in spec["attribute-sets"]:
        wanted[space["name"]] = {
            name: [number, item.get("nested-attributes"), item.get("multi-attr", False)]
            for name, number, item in number_all(space["attributes"], 1)}
    if wanted != names["sets"]:
        for space in sorted(set(wanted) | set(names["sets"])):
            ours, theirs = names["sets"].get(space), wanted.get(space)
            if ours != theirs:
                errors.append(f"set {space}: library {ours}, specification {theirs}")
    for name, number, item in number_all(spec["operations"]["list"], 1):
        if names["commands"].get(str(number)) != item["attribute-set"]:
            errors.append(f"command {name}: library takes set {names['commands'].get(str(number))}")
    return errors


def check_operations(spec):
    """Every attribute that an operation names is in its set; nothing is named twice."""
    errors = []
    spaces = {space["name"]: [a["name"] for a in space["attributes"]]
              for space in spec["attribute-sets"]}
    for space, names in spaces.items():
        if len(names) != len(set(names)):
            errors.append(f"set {space} has an attribute twice")
    for op in spec["operations"]["list"]:
        lists = [op.get("event")]
        for kind in ("do", "dump"):
            lists += [op.get(kind, {}).get(part) for part in ("request", "reply")]
        for attributes in filter(None, lists):
            for name in attributes["attributes"]:
                if name not in spaces[op["attribute-set"]]:
                    errors.append(f"{op['name']}: no attribute {name} in set {op['attribute-set']}")
        verb = op["name"].split("-")[-1]
        active = verb in ("add", "set", "del", "replace", "probe")
        if active != ("uns-admin-perm" in op.get("flags", [])):
            errors.append(f"{op['name']}: what does more than look needs a permission, nothing else")
    return errors


def main():
    parser = argparse.ArgumentParser()
    for option in ("--spec", "--include", "--compiler", "--names"):
        parser.add_argument(option, required=True)
    args = parser.parse_args()
    with open(args.spec) as file:
        spec = yaml.safe_load(file)
    names = json.loads(subprocess.run([args.names], capture_output=True, text=True,
                                      check=True).stdout)
    errors = (check_operations(spec) + check_header(spec, args.include, args.compiler) +
              check_names(spec, names))
    for error in errors:
        print(error, file=sys.stderr)
    print(f"{len(expected_constants(spec))} names checked, {len(errors)} wrong")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
