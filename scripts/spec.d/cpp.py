# SPDX-License-Identifier: GPL-2.0-only
"""The tools' part: names of attributes, and the settings of a device."""

import textwrap

from family import c_name, limits_of, word

HEAD = """\
// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Made by scripts/spec of Documentation/netlink/specs/mrc.yaml.
 * {}
 */
"""


def quoted(text):
    return '"' + text.replace('"', '\\"') + '"'


# ---- names


def nested_first(family):
    """All sets, those inside others before them."""
    done = {}

    def visit(group):
        for attribute in group.attributes.values():
            inner = family.nested(attribute)
            if inner and inner.name not in done:
                visit(inner)
        done.setdefault(group.name, group)

    for group in family.sets.values():
        visit(group)
    return done.values()


def names_of(family, group):
    rows = []
    for a in group.attributes.values():
        inner, multi = family.nested(a), a.data.get("multi-attr")
        row = f"{a.constant}, {quoted(a.name)}"
        if inner or multi:
            row += f", {'&' + word(inner.name) + '_set' if inner else 'nullptr'}"
        rows.append(f"    {{{row}{', true' if multi else ''}}},")
    return [f"constexpr AttributeName {word(group.name)}_names[] = {{", *rows, "};",
            f"constexpr AttributeSet {word(group.name)}_set{{{quoted(group.name)}, "
            f"{word(group.name)}_names}};", ""]


def names(family):
    sets = [f"&{word(name)}_set" for name in family.sets]
    lines = [HEAD.format("Names of attributes."), '#include "mrcnl/attributes.h"', "",
             "#include <iterator>", "", "#include <linux/mrc.h>", "#include <linux/seg6_iptunnel.h>",
             "", "namespace mrcnl", "{", "", "namespace", "{", ""]
    for group in nested_first(family):
        lines += names_of(family, group)
    lines += ["constexpr const AttributeSet *sets[] = {",
              *(f"    {line}" for line in textwrap.wrap(", ".join(sets), 90)), "};", "",
              "/** By command; null where there is none. */",
              "constexpr const AttributeSet *command_sets[MRC_CMD_MAX + 1] = {"]
    by_number = {op.number: op for op in family.operations}
    for number in range(max(by_number) + 1):
        op = by_number.get(number)
        lines.append(f"    &{word(op.set.name)}_set, // {op.name}" if op else "    nullptr,")
    lines += ["};", "", "} // namespace", "",
              "std::span<const AttributeSet *const> attribute_sets()", "{", "    return sets;", "}", "",
              "const AttributeSet *command_set(uint8_t command)", "{",
              "    return command < std::size(command_sets) ? command_sets[command] : nullptr;", "}", "",
              "} // namespace mrcnl", ""]
    return "\n".join(lines)


# ---- settings


def kind_of(a):
    if a.address:
        return "Address"
    return "bool" if a.on_off else f"uint{a.kind[1:]}_t"


def width_of(a):
    """The highest number of the type."""
    return (1 << int(a.kind[1:])) - 1 if a.kind[0] == "u" else 0


def value_of(a):
    if a.kind == "binary":
        return "Address{}"
    return str(a.own["default"]).lower()


def row_of(a):
    top = width_of(a)
    numbers = (a.checks.get("min", 0), a.checks.get("max", top), a.own.get("tool-max", top))
    brief = "true" if a.own.get("brief") else "false"
    return (f"    fn(Setting{{{a.constant}, {quoted(a.name)}, {', '.join(map(str, numbers))}, "
            f"{brief}}},\n       &DeviceSettings::{word(a.name)});")


def grammar(family):
    """As help shows it, behind "SETTING := "."""
    choices = []
    for a in family.settings:
        what = {"Address": "ADDRESS", "bool": "{ on | off }"}.get(kind_of(a), a.own.get("word", "N"))
        choices.append(f"{a.name} {what}".replace(" ", "\0"))
    lines = textwrap.wrap("{\0" + " | ".join(choices) + "\0}", 66, break_on_hyphens=False,
                          break_long_words=False)
    for place in range(1, len(lines)):
        if lines[place].startswith("| "):
            lines[place - 1] += " |"
            lines[place] = lines[place][2:]
    return [line.replace("\0", " ") for line in lines]


def settings(family):
    members = []
    for a in family.settings:
        limits = limits_of(a) if not a.on_off else ""
        members += [f"    /** {a.doc}{'; ' if limits else ''}{limits} */",
                    f"    std::optional<{kind_of(a)}> {word(a.name)};"]
    text = '\\n"\n    "             '.join(grammar(family))
    return "\n".join([
        HEAD.format("Settings of a device."), "#pragma once", "", "#include <cstdint>",
        "#include <optional>", "", "#include <linux/mrc.h>", "", '#include "mrcnl/address.h"', "",
        "// What follows \"SETTING := \" in a grammar, with the newlines and the room before each line.",
        f'#define MRCNL_SETTING_GRAMMAR \\\n    "{text}"'.replace('"\n    "', '" \\\n    "'), "",
        "namespace mrcnl", "{", "",
        "/** In a change, what is empty stays; in an answer, the module does not know it. */",
        "struct DeviceSettings {", *members,
        "    bool operator==(const DeviceSettings &) const = default;", "};", "",
        "constexpr const char *setting_names[] = {",
        *(f"    {quoted(a.name)}," for a in family.settings), "};", "",
        "/** A setting; numbers mean something for numbers only. */", "struct Setting {",
        "    int attribute;", "    const char *name;", "    uint64_t min; ///< the kernel's limits",
        "    uint64_t max;", "    uint64_t tool_max; ///< what a tool need not ask the kernel for",
        "    bool brief;        ///< shown when no details are asked for", "};", "",
        "/** Calls @p fn with the Setting of each member of DeviceSettings, and a pointer to it. */",
        "template <typename Fn>", "void for_each_setting(Fn &&fn)", "{",
        *(row_of(a) for a in family.settings), "}", "",
        "/** What a new device has. */", "inline DeviceSettings default_settings()", "{",
        "    DeviceSettings s;", "",
        *(f"    s.{word(a.name)} = {value_of(a)};" for a in family.settings),
        "    return s;", "}", "", "} // namespace mrcnl", ""])
