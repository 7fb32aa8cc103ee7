# SPDX-License-Identifier: GPL-2.0-only
"""Generates linux/mrc.h, the numbers for C. It is in the tree, because it holds the numbers: see
renumbered()."""

import re
import textwrap

from family import c_name, limits_of

WIDTH = 100
HEAD = """\
/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Generic netlink family "{name}". Made by scripts/spec of Documentation/netlink/specs/mrc.yaml: edit
 * that.
 *
 * In each attribute set of a noun, 1 and 2 name the device (either will do in requests, answers
 * carry both) and 3 is padding.
 */
#ifndef _UAPI_LINUX_MRC_H
#define _UAPI_LINUX_MRC_H
"""


def columns(line):
    return len(line.expandtabs(8))


def commented(line, doc):
    """A line with a comment behind it, or above it if the line would be too long."""
    if not doc:
        return [line]
    tabs = "\t" * max(1, (40 - columns(line) + 7) // 8)
    behind = f"{line}{tabs}/* {doc} */"
    if columns(behind) <= WIDTH:
        return [behind]
    lines = textwrap.wrap(doc, WIDTH - 11)
    if len(lines) == 1 and columns(f"\t/* {doc} */") <= WIDTH:
        return [f"\t/* {doc} */", line]
    return ["\t/*", *(f"\t * {part}" for part in lines), "\t */", line]


def enumerators(entries):
    """Lines of (constant, number, comment), with numbers where they do not count up from 0 or 1."""
    numbers = [number for _, number, _ in entries]
    gaps = numbers != list(range(numbers[0], numbers[0] + len(numbers)))
    lines = []
    for place, (constant, number, doc) in enumerate(entries):
        value = f" = {number}" if gaps or (number and not place) else ""
        lines += commented(f"\t{constant}{value},", doc)
    return lines


def title(doc):
    lines = textwrap.wrap(doc, WIDTH - 6)
    if len(lines) < 2:
        return [f"/* {line} */" for line in lines]
    return ["/*", *(f" * {line}" for line in lines), " */"]


def counted(doc, entries, last):
    """An enum of numbers that begin at 1, and the highest of them."""
    return [*title(doc), "enum {", *enumerators(entries), "", f"\t__{last},",
            f"\t{last} = (__{last} - 1)", "};", ""]


def type_of(family, attribute):
    """A value's type, its range, and its meaning."""
    kind = attribute.kind
    if kind == "pad":
        return ""
    if attribute.address:
        kind = "IPv6 address"
    if kind == "nest":
        kind = f"nest of {c_name(family.nested(attribute).prefix)}*"
    if attribute.data.get("multi-attr"):
        kind += ", repeated"
    if "enum" in attribute.data:
        kind += f", enum {family.enums[attribute.data['enum']].constant}"
    limits = limits_of(attribute)
    kind += f", {limits}" if limits else ""
    return f"{kind}: {attribute.doc}" if attribute.doc else kind


def header(family):
    data = family.data
    lines = HEAD.format(name=data["name"]).splitlines() + [
        "", f'#define {c_name(data["c-family-name"])}\t\t"{data["name"]}"',
        f'#define {c_name(data["c-version-name"])}\t{data["version"]}', ""]
    for group in family.groups:
        lines += [f'#define {c_name(group["c-define-name"])}\t"{group["name"]}"']
    lines += [""]
    for enum in family.enums.values():
        entries = [(constant, number, doc) for _, constant, number, doc in enum.entries]
        lines += [*title(enum.doc), f"enum {enum.constant} {{", *enumerators(entries), "};", ""]
    for group in family.sets.values():
        if group.foreign or group.parent:
            continue
        entries = [(a.constant, a.number, type_of(family, a)) for a in group.attributes.values()]
        lines += counted(group.doc, entries, c_name(group.prefix, "max"))
    lines += counted("", [(op.constant, op.number, "") for op in family.operations],
                     c_name(data["operations"]["name-prefix"], "max"))
    return "\n".join(lines + ["#endif /* _UAPI_LINUX_MRC_H */", ""])


def constants(text):
    """Names and numbers of a header that header() wrote."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    found = {}
    for body in re.findall(r"enum[^{]*\{(.*?)\}", text, flags=re.S):
        number = 0
        for name, value in re.findall(r"(\w+)(?:\s*=\s*(\d+))?\s*,", body):
            number = int(value) if value else number
            found[name] = number
            number += 1
    return {name: number for name, number in found.items() if not name.startswith("__")}


def renumbered(old, new):
    """What a program that was compiled with the old header would get wrong."""
    before, after = constants(old), constants(new)
    for name, number in before.items():
        if name not in after:
            yield f"{name} was {number} and is gone"
        elif after[name] != number:
            yield f"{name} was {number} and would be {after[name]}"
