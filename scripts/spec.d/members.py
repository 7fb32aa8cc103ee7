# SPDX-License-Identifier: GPL-2.0-only
"""Generates lists of the members of libmrcnl's structs, by which it decodes the kernel's answers."""

from cpp import HEAD
from family import Wrong, c_name, word

# Parts that every set may have.
SHARED = {"dev-index": "device.index", "dev-name": "device.name",
          "by-name": "by.name", "by-pid": "by.pid"}
# C++ types of values; a flag is present or not.
TYPES = {"flag": "bool", "string": "std::string", "u8": "uint8_t", "u16": "uint16_t",
         "u32": "uint32_t", "u64": "uint64_t"}


def set_name(group):
    return "".join(part.capitalize() for part in group.name.split("-")) + "Set"


def settings_of(family, group):
    return family.values_of(group).attributes if "settings" in group.own else []


def path_of(family, group, a):
    """The member, with the part of the struct that has it, if any; empty: there is none."""
    if a in settings_of(family, group):
        return ["settings", word(a.name)]
    cpp = a.own.get("cpp", SHARED.get(a.name, word(a.name)))
    if a.name == "pad" or not cpp:
        return []
    return [cpp, word(a.name)] if a.own.get("cpp") in family.parts else cpp.split(".")


def told(family, group):
    """For each struct that is no part: names of its attributes, and the member with a whole object."""
    found = {}
    if "cpp" in group.own and "settings" not in group.own:
        found[group.own["cpp"]] = set(group.attributes), None
    for message in (m for op in family.operations if op.set is group for m in op.replies):
        own = message["x-mrc"]
        names = found.get(own["cpp"], (set(),))[0]
        found[own["cpp"]] = names | set(message["attributes"]), own.get("object")
    return found


def answered(family, group):
    """Names of what all answers about an object contain."""
    return set.intersection(*(set(message["attributes"])
                              for message in family.operation(f"{group.name}-get").replies))


def paths_of(family, group, names, whole):
    """Pairs of an attribute and its path."""
    if whole:
        first = next(iter(group.attributes.values()))
        yield first, [whole, ""]
        names = names - answered(family, group)
    for a in group.attributes.values():
        if a.name in names:
            yield a, path_of(family, group, a)


def what_of(family, a, part):
    inner = family.nested(a)
    if part or inner:
        return "Part" if part else f"Nested<{set_name(inner)}>"
    if not a.address and a.kind not in TYPES:
        raise Wrong(f"{a.name}: there is no code to read a {a.kind}")
    return f"Value<{'Address' if a.address else TYPES[a.kind]}>"


def list_of(family, group, struct, paths):
    """The body of for_each_of() of a struct. A part is listed at the first of its attributes."""
    members = {}
    for a, path in paths:
        if not path:
            continue
        first, _ = members.setdefault(path[0], (a, len(path) > 1))
        if first is not a and len(path) == 1:
            raise Wrong(f"{a.name}: {struct} has one {path[0]} for two attributes")
    rows = [f"    fn({what_of(family, a, part)}{{{a.constant}}}, &{struct}::{member});"
            for member, (a, part) in members.items()]
    return ["template <typename Fn>",
            f"void for_each_of({set_name(group)}, const {struct} *, Fn &&fn)", "{", *rows, "}", ""]


def parts_of(family, group):
    """For each member that is a struct inside others: pairs as of paths_of(), for that struct."""
    found = {}
    for a in group.attributes.values():
        part, *member = path_of(family, group, a) or [None]
        if member:
            found.setdefault(part, []).append((a, member))
    return found


def lists_of(family, group):
    """All attributes of a set; none if no code decodes it."""
    wholes = told(family, group)
    lines = []
    for part, paths in parts_of(family, group).items() if wholes else ():
        struct = group.own["cpp"] if part == "settings" else family.parts[part]
        lines += list_of(family, group, struct, paths)
    for struct, (names, whole) in wholes.items():
        lines += list_of(family, group, struct, paths_of(family, group, names, whole))
    return lines


def members(family):
    groups = [group for group in family.sets.values() if told(family, group)]
    return "\n".join([
        HEAD.format("Which attribute each member of a struct is."), "#pragma once", "",
        "#include <cstdint>", "#include <string>", "", "#include <linux/mrc.h>", "",
        '#include "mrcnl/types.h"', "", "namespace mrcnl", "{", "",
        "/** An attribute. @tparam T what it has; bool: it is there */", "template <typename T>",
        "struct Value {", "    int number;", "};", "",
        "/** An attribute with others inside. @tparam Set theirs */", "template <typename Set>",
        "struct Nested {", "    int number;", "};", "",
        "/** Attributes of the same set that are a struct of their own: the first of them. */",
        "struct Part {", "    int number;", "};", "", "// Sets of attributes, and the last of each.",
        *(f"struct {set_name(group)} {{\n    static constexpr int max = "
          f"{c_name(group.prefix, 'max')};\n}};" for group in groups), "",
        *(line for group in groups for line in lists_of(family, group)),
        "/** Calls @p fn with the attribute of each member of a struct, and a pointer to it. */",
        "template <typename Set, typename T, typename Fn>", "void for_each_member(Fn &&fn)", "{",
        "    for_each_of(Set{}, static_cast<const T *>(nullptr), fn);", "}", "",
        "} // namespace mrcnl", ""])
