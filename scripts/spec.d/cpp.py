# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Generates the tools' part: names of attributes, and settings."""

import textwrap

from family import c_name, limits_of, word

HEAD = """\
// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
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
    """All sets; a set that is inside another comes before it."""
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


def value_of(family, a):
    if a.kind == "binary":
        return "Address{}"
    number = family.default_of(a)[0]
    return str(bool(number)).lower() if a.on_off else str(number)


def words_of(enum):
    return f"{word(enum.name)}_words"


def row_of(family, values, a):
    top, enum = width_of(a), family.enum_of(a)
    if enum:
        numbers = (0, enum.entries[-1][2], top)
    else:
        numbers = (a.checks.get("min", 0), a.checks.get("max", top), a.own.get("tool-max", top))
    numbers = ", ".join(f"{n}u" if n >> 31 else str(n) for n in numbers)
    brief = "true" if a.own.get("brief") else "false"
    tail = f", Unit::{a.unit or 'none'}" if a.unit or enum else ""
    tail += f", {words_of(enum)}" if enum else ""
    return (f"    fn(Setting{{{a.constant}, {quoted(a.name)}, {numbers}, {brief}{tail}}},\n"
            f"       &{values.cpp}::{word(a.name)});")


# The word that stands for a value in help.
STAND_INS = {"ns": "TIME", "bytes": "BYTES", "rate": "RATE", "fraction": "X"}


def stand_in(family, a):
    enum = family.enum_of(a)
    if enum:
        return f"{{ {' | '.join(entry[0] for entry in enum.entries)} }}"
    if kind_of(a) in ("Address", "bool"):
        return {"Address": "ADDRESS", "bool": "{ on | off }"}[kind_of(a)]
    return a.own.get("word", STAND_INS.get(a.unit, "N"))


def grammar(family, values):
    """A setting as help shows it, behind "SETTING := "."""
    choices = [f"{a.name} {stand_in(family, a)}".replace(" ", "\0") for a in values.attributes]
    lines = textwrap.wrap("{\0" + " | ".join(choices) + "\0}", 66, break_on_hyphens=False,
                          break_long_words=False)
    for place in range(1, len(lines)):
        if lines[place].startswith("| "):
            lines[place - 1] += " |"
            lines[place] = lines[place][2:]
    return [line.replace("\0", " ") for line in lines]


def struct_of(values):
    members = []
    for a in values.attributes:
        limits = limits_of(a) if not a.on_off else ""
        members += [f"    /** {a.doc}{'; ' if limits else ''}{limits} */",
                    f"    std::optional<{kind_of(a)}> {word(a.name)};"]
    title = "In a change, what is empty stays; in an answer, the module does not know it."
    if values.struct:
        title = "In a request, what is empty is as its default, or as the others suggest."
    elif not values.settings:
        title = "What follows from settings; empty: nothing does."
    return [f"/** {title} */", f"struct {values.cpp} {{", *members,
            f"    bool operator==(const {values.cpp} &) const = default;", "};", ""]


def defaults_of(family, values):
    return ["template <>", f"inline {values.cpp} default_settings()", "{", f"    {values.cpp} s;", "",
            *(f"    s.{word(a.name)} = {value_of(family, a)};" for a in values.attributes
              if "default" in a.own or a.kind == "binary"),
            "    return s;", "}", ""]


def rows_of(family):
    """The bodies of for_each_setting(), one for each struct."""
    lines = []
    for values in family.values:
        lines += ["template <typename Fn>", f"void for_each_of(const {values.cpp} *, Fn &&fn)", "{",
                  *(row_of(family, values, a) for a in values.attributes), "}", ""]
    return lines


def grammars(family):
    lines = []
    for values in family.settings:
        name = "CC_SETTING" if values.struct else "SETTING"
        text = '\\n"\n    "             '.join(grammar(family, values))
        lines.append(f'#define MRCNL_{name}_GRAMMAR \\\n    "{text}"'
                     .replace('"\n    "', '" \\\n    "'))
    return lines


def settings(family):
    device = next(values for values in family.settings if not values.struct)
    enums = {enum.name: enum for values in family.values for a in values.attributes
             if (enum := family.enum_of(a))}
    return "\n".join([
        HEAD.format("Settings."), "#pragma once", "", "#include <cstdint>",
        "#include <optional>", "#include <span>", "", "#include <linux/mrc.h>", "",
        '#include "mrcnl/address.h"', "",
        "// What follows \"SETTING := \" in a grammar, with the newlines and the room before each line.",
        *grammars(family), "", "namespace mrcnl", "{", "",
        *(line for values in family.values for line in struct_of(values)),
        "constexpr const char *setting_names[] = {",
        *(f"    {quoted(a.name)}," for a in device.attributes), "};", "",
        *(f"inline constexpr const char *{words_of(enum)}[] = {{"
          f"{', '.join(quoted(entry[0]) for entry in enum.entries)}}};" for enum in enums.values()), "",
        "/** Of a number. ns: of a time; rate: bytes a second; fraction: millionths */",
        "enum class Unit : uint8_t { none, ns, bytes, rate, fraction };", "",
        "/** A setting; numbers mean something for numbers only. */", "struct Setting {",
        "    int attribute;", "    const char *name;", "    uint64_t min; ///< the kernel's limits",
        "    uint64_t max;", "    uint64_t tool_max; ///< what a tool need not ask the kernel for",
        "    bool brief;        ///< shown when no details are asked for",
        "    Unit unit = Unit::none;",
        "    std::span<const char *const> words{}; ///< that its numbers stand for; none: they do not",
        "};", "", *rows_of(family),
        "/** Calls @p fn with the Setting of each member of a struct, and a pointer to it. */",
        "template <typename Settings = DeviceSettings, typename Fn>", "void for_each_setting(Fn &&fn)",
        "{", "    for_each_of(static_cast<const Settings *>(nullptr), fn);", "}", "",
        "/** What a new device has, and a profile where the request says nothing. */",
        "template <typename Settings = DeviceSettings>", "Settings default_settings();", "",
        *(line for values in family.settings for line in defaults_of(family, values)),
        "} // namespace mrcnl", ""])
