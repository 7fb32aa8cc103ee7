#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Checks that the uapi header has the numbers that follow from the specification by the rules of the
kernel's YNL. The compiler evaluates each name of the header."""

import argparse
import re
import subprocess
import sys
import yaml

# Constants of other headers, and constants that only C needs.
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
    """The values that the header must have, by name."""
    wanted = {}
    for enum in spec["definitions"]:
        for name, number, _ in number_all(enum["entries"], 0):
            value = 1 << number if enum["type"] == "flags" else number
            wanted[c_name(enum["name-prefix"], name)] = value
    for space in spec["attribute-sets"]:
        if "subset-of" in space:
            continue
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


def main():
    parser = argparse.ArgumentParser()
    for option in ("--spec", "--include", "--compiler"):
        parser.add_argument(option, required=True)
    args = parser.parse_args()
    with open(args.spec) as file:
        spec = yaml.safe_load(file)
    errors = check_header(spec, args.include, args.compiler)
    for error in errors:
        print(error, file=sys.stderr)
    print(f"{len(expected_constants(spec))} names checked, {len(errors)} wrong")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
