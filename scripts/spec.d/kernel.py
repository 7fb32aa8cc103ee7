# SPDX-License-Identifier: GPL-2.0-only
"""Generates the module's part: what its operations take, and the settings of a device."""

from family import PLACES, Wrong, c_name, limits_of, word

LICENCE = "GPL-2.0-only"
MADE = "Made by scripts/spec of Documentation/netlink/specs/mrc.yaml."
# Limits of struct nla_policy.
INLINE_MAX = (1 << 15) - 1
BIGGEST = {"u8": "U8_MAX", "u16": "U16_MAX", "u32": "U32_MAX", "u64": "U64_MAX"}


def title(text):
    return ["/*", f" * {MADE}", f" * {text}", " */"]


def kind_of(attribute):
    """The C type of a setting."""
    if attribute.address:
        return "struct in6_addr"
    return "bool" if attribute.on_off else attribute.kind


# ---- policies


class Policies:
    """Arrays of struct nla_policy, each written once."""

    def __init__(self, family):
        self.family = family
        self.names = {}     # (prefix, attributes): name
        self.lines = []
        self.ranges = set()

    def nested(self, group):
        """The policy of what is inside an attribute. NLA_POLICY_NESTED() takes its size."""
        key = (group.prefix, tuple(group.attributes))
        if key not in self.names:
            size = ""
            if not group.foreign:
                size = f'{c_name(group.prefix, "max")} + 1'
            # Handlers parse such a nest themselves.
            self.add(key, group.name, list(group.attributes.values()), size, group.foreign)
        return self.names[key]

    def of(self, op, attributes):
        key = (op.set.prefix, tuple(a.name for a in sorted(attributes, key=lambda a: a.number)))
        if key not in self.names:
            self.add(key, op.name, attributes, f'{c_name(op.set.prefix, "max")} + 1', True)
        return self.names[key]

    def add(self, key, name, attributes, size, static):
        rows = [f"\t[{a.constant}] = {self.policy(a)},"
                for a in sorted(attributes, key=lambda a: a.number) if a.kind != "pad"]
        name = f"mrc_nl_{word(name)}_policy"
        self.names[key] = name
        scope = "static " if static else ""
        self.lines += [f"{scope}const struct nla_policy {name}[{size}] = {{", *rows, "};", ""]

    def policy(self, a):
        if a.kind == "nest":
            return f"NLA_POLICY_NESTED({self.nested(self.family.nested(a))})"
        if a.kind == "string":
            return f'{{ .type = NLA_NUL_STRING, .len = {a.checks["max-len"]} }}'
        if a.kind == "flag":
            return "{ .type = NLA_FLAG }"
        if a.kind == "binary" and "exact-len" in a.checks:
            return f'NLA_POLICY_EXACT_LEN({a.checks["exact-len"]})'
        if a.kind == "binary":
            return f'NLA_POLICY_MIN_LEN({a.checks["min-len"]})'
        return self.number(a)

    def number(self, a):
        kind = f"NLA_{a.kind.upper()}"
        low, high = a.checks.get("min"), a.checks.get("max")
        if "enum" in a.data:
            high = self.last_of(a)
        if a.own.get("mask"):
            return f"NLA_POLICY_MASK({kind}, {high:#x})"
        if low is None and high is None:
            return f"{{ .type = {kind} }}"
        if max((n for n in (low, high) if isinstance(n, int)), default=0) > INLINE_MAX:
            last = BIGGEST[a.kind] if high is None else high
            return f"NLA_POLICY_FULL_RANGE({kind}, &{self.range(low or 0, last)})"
        if low is None:
            return f"NLA_POLICY_MAX({kind}, {high})"
        if high is None:
            return f"NLA_POLICY_MIN({kind}, {low})"
        return f"NLA_POLICY_RANGE({kind}, {low}, {high})"

    def last_of(self, a):
        """The policy of an enum in a request: the kernel takes all numbers up to its maximum."""
        enum = self.family.enums[a.data["enum"]]
        if not a.own.get("mask") and \
                [entry[2] for entry in enum.entries] != list(range(len(enum.entries))):
            raise Wrong(f"{a.name}: a request may have it, and enum {enum.name} is not all numbers "
                        "from 0 to its last")
        return enum.entries[-1][1]

    def range(self, low, high):
        """Not const, because up to Linux 6.1 the pointer to the policy is not."""
        name = f"mrc_nl_{low}_to_{high}".lower()
        if name not in self.ranges:
            self.ranges.add(name)
            self.lines += [f"static struct netlink_range_validation {name} = {{",
                           f"\t.min = {low},", f"\t.max = {high},", "};", ""]
        return name


# ---- operations


def takes(op):
    """What any request of the operation may have: one policy serves both do and dump."""
    found = {}
    for kind in ("do", "dump"):
        for attribute in op.listed(kind, "request") or []:
            found[attribute.name] = attribute
    return list(found.values())


def handlers(op):
    """(member of struct genl_ops, function, its arguments)"""
    name = f"mrc_nl_{word(op.name)}"
    if "do" in op.data:
        yield "doit", name, "struct sk_buff *skb, struct genl_info *info"
    if "start" in op.own:
        yield "start", f"{name}_start", "struct netlink_callback *cb"
    if "dump" in op.data:
        yield "dumpit", f"{name}_dump", "struct sk_buff *skb, struct netlink_callback *cb"


def operation(op, policies):
    lines = ["\t{", f"\t\t.cmd = {op.constant},"]
    lines += [f"\t\t.{member} = {function}," for member, function, _ in handlers(op)]
    attributes = takes(op)
    if attributes:
        # All attributes of the set, so that mrc_refuse() may name any of them.
        lines += [f"\t\t.policy = {policies.of(op, attributes)},",
                  f'\t\t.maxattr = {c_name(op.set.prefix, "max")},']
    if op.admin:
        lines += ["\t\t.flags = GENL_UNS_ADMIN_PERM,"]
    return lines + ["\t},"]


def requests(family):
    return [op for op in family.operations if list(handlers(op))]


def all_heeded(family):
    """For each request: the attributes that its dump reads."""
    return [(op, op.listed("dump", "request") or []) for op in requests(family)]


def heeded(family):
    lines = ["const u16 mrc_nl_dump_heeds[MRC_CMD_MAX + 1][MRC_NL_HEEDS + 1] = {"]
    for op, attributes in all_heeded(family):
        if attributes:
            numbers = ",\n\t\t".join(a.constant for a in attributes)
            lines.append(f"\t[{op.constant}] = {{ {numbers} }},")
    return lines + ["};", ""]


def required(family):
    lines = ["const struct mrc_nl_required mrc_nl_required[MRC_NL_REQUIRED] = {"]
    for op, attribute in all_required(family):
        lines += [f"\t{{ {op.constant}, {attribute.constant},",
                  f'\t  KBUILD_MODNAME ": {attribute.name} is missing" }},']
    return lines + ["};", ""]


def all_required(family):
    return [(op, op.set.attributes[name]) for op in requests(family)
            for name in op.own.get("require", [])]


# ---- settings


def continued(lines):
    """Lines of a macro."""
    return [line + "\t" * ((79 - len(line.expandtabs(8))) // 8) + "\\" for line in lines[:-1]] + \
        lines[-1:]


def settings_struct(family):
    """The struct of the device's settings, and the macro with their defaults."""
    settings = next(values.attributes for values in family.settings if not values.struct)
    lines = ["/**", " * struct mrc_dev_cfg - settings of a device"]
    for a in settings:
        limits = limits_of(a) if not a.on_off else ""
        lines.append(f" * @{word(a.name)}: {a.doc}{'; ' if limits else ''}{limits}")
    lines += [" */", "struct mrc_dev_cfg {"]
    lines += [f"\t{kind_of(a)} {word(a.name)};" for a in settings]
    defaults = [f"\t.{word(a.name)} = {str(a.own['default']).lower()},"
                for a in settings if "default" in a.own]
    return lines + ["};", "", *continued(["#define MRC_DEV_CFG_DEFAULT {", *defaults, "}"]), ""]


def functions_of(values):
    """For the functions that write and read settings: the ends of their names, the struct, its
    variable."""
    if values.struct:
        return f"{word(values.name)}_settings", values.struct, "p"
    return "cfg", "mrc_dev_cfg", "cfg"


def put(values, a):
    member = f"{functions_of(values)[2]}->{a.own.get('member', word(a.name))}"
    if a.address:
        return f"nla_put_in6_addr(skb, {a.constant}, &{member})"
    value = f"!{member}" if a.own.get("inverse") else member
    if a.kind == "u64":
        call = f"nla_put_u64_64bit(skb, {a.constant}, {value}, MRC_A_PAD)"
    else:
        call = f"nla_put_{a.kind}(skb, {a.constant}, {value})"
    # A setting without a default that is 0 follows from the others, and is not sent.
    return call if "default" in a.own else f"({member} ? {call} : 0)"


def get(family, values, a):
    """Lines: a change keeps what it does not name; a new object gets all defaults."""
    member = f"{functions_of(values)[2]}->{a.own.get('member', word(a.name))}"
    value = f"nla_get_{'in6_addr' if a.address else a.kind}(attrs[{a.constant}])"
    if not values.struct:
        return [f"\tif (attrs[{a.constant}])", f"\t\t{member} = {value};"]
    default = family.default_of(a)
    value = f"attrs[{a.constant}] ? {value} : {default[1] if default else 0}"
    return [f"\t{member} = {f'!({value})' if a.own.get('inverse') else value};"]


def settings_code(family):
    lines = []
    for values in family.settings:
        name, struct, variable = functions_of(values)
        puts = " ?:\n\t       ".join(put(values, a) for a in values.attributes)
        lines += [f"int mrc_nl_put_{name}(struct sk_buff *skb, const struct {struct} *{variable})",
                  "{", f"\treturn {puts};", "}", "",
                  f"void mrc_nl_get_{name}(struct nlattr **attrs, struct {struct} *{variable})", "{",
                  *(line for a in values.attributes for line in get(family, values, a)), "}", ""]
        if values.struct:
            lines += [f"const u8 mrc_nl_{name}[{count_of(values)}] = {{",
                      *(f"\t{a.constant}," for a in values.attributes), "};", ""]
    return lines


def count_of(values):
    return f"MRC_NL_{c_name(values.name)}_SETTINGS"


def settings_declarations(family):
    lines = []
    for values in family.settings:
        name, struct, variable = functions_of(values)
        lines.append(f"int mrc_nl_put_{name}(struct sk_buff *skb, const struct {struct} *{variable});")
        if values.struct:
            lines.append(f"/* What is in the request, else its default; the rest of @{variable} stays. */")
        else:
            lines.append(f"/* What is in the request; the rest of @{variable} stays. */")
        lines.append(f"void mrc_nl_get_{name}(struct nlattr **attrs, struct {struct} *{variable});")
        if values.struct:
            lines += ["/* Their attributes. */", f"#define {count_of(values)} {len(values.attributes)}",
                      f"extern const u8 mrc_nl_{name}[{count_of(values)}];"]
    return lines


# ---- files


def settings_header(family):
    return "\n".join([
        f"/* SPDX-License-Identifier: {LICENCE} */", *title("Settings of a device."),
        "#ifndef _MRC_TRANSPORT_SETTINGS_H", "#define _MRC_TRANSPORT_SETTINGS_H", "", "#include <linux/in6.h>", "",
        *settings_struct(family), "#endif /* _MRC_TRANSPORT_SETTINGS_H */", ""])


def header(family):
    ops = requests(family)
    groups = [c_name("mrc-nl-group-", group["name"]) for group in family.groups]
    lines = [f"/* SPDX-License-Identifier: {LICENCE} */",
             *title("Operations of the family, and who handles them."),
             "#ifndef _MRC_NETLINK_SPEC_H", "#define _MRC_NETLINK_SPEC_H", "", "#include <linux/mrc.h>",
             "#include <net/genetlink.h>", "",
             *(f"struct {functions_of(values)[1]};" for values in family.settings), "",
             "/* The same in every attribute set of a noun. */",
             *(f"#define MRC_A_{c_name(name)}\t{number}" for name, number in PLACES.items()), "",
             "/* Multicast groups, by their index in the family. */", "enum {",
             *(f"\t{group}," for group in groups), "\tMRC_NL_GROUPS", "};", "",
             f"#define MRC_NL_OPS {len(ops)}", f"#define MRC_NL_REQUIRED {len(all_required(family))}",
             "",
             "/**", " * struct mrc_nl_required - an attribute that a request must have",
             " * @cmd: of the request", " * @type: of the attribute",
             " * @missing: what is said when it has not", " */",
             "struct mrc_nl_required {", "\tu8 cmd;", "\tu8 type;", "\tconst char *missing;", "};", "",
             "extern const struct genl_ops mrc_nl_ops[MRC_NL_OPS];",
             "extern const struct genl_multicast_group mrc_nl_groups[MRC_NL_GROUPS];",
             "extern const struct mrc_nl_required mrc_nl_required[MRC_NL_REQUIRED];",
             "/* By command: the attributes that a dump looks at, and 0 behind them. */",
             f"#define MRC_NL_HEEDS {max(len(attributes) for _, attributes in all_heeded(family))}",
             "extern const u16 mrc_nl_dump_heeds[MRC_CMD_MAX + 1][MRC_NL_HEEDS + 1];",
             "/* Of an EV inside the request that makes a profile. */",
             "extern const struct nla_policy mrc_nl_ev_spec_policy[MRC_A_EV_MAX + 1];", "",
             *settings_declarations(family), "",
             "/* Handlers: process context, no lock held. */"]
    for op in ops:
        lines += [f"int {function}({arguments});" for _, function, arguments in handlers(op)]
    return "\n".join(lines + ["", "#endif /* _MRC_NETLINK_SPEC_H */", ""])


def limits(family):
    """Static assertions: the names that the code uses have the numbers of the specification."""
    lines = []
    for group in family.sets.values():
        for a in group.attributes.values():
            most = a.checks.get("max", a.checks.get("max-len"))
            for key, number in (("limit", most), ("least", a.checks.get("min"))):
                if key in a.own and not group.parent:
                    lines.append(f'static_assert({a.own[key]} == {number}, '
                                 f'"{group.name}: {a.name}");')
    return [*lines, ""] if lines else []


def source(family):
    policies = Policies(family)
    ops = [line for op in requests(family) for line in operation(op, policies)]
    groups = [f'\t[{c_name("mrc-nl-group-", group["name"])}] = '
              f'{{ .name = {c_name(group["c-define-name"])} }},' for group in family.groups]
    return "\n".join([
        f"// SPDX-License-Identifier: {LICENCE}", *title("What operations of the family take."),
        "#include <linux/seg6_iptunnel.h>", "", '#include "../core/receive/rx_window.h"',
        '#include "../net/skb.h"', '#include "../transport/profile/alias.h"',
        '#include "../transport/profile/cc_profile.h"', '#include "../transport/device/device.h"',
        '#include "../transport/device/user.h"',
        '#include "spec.h"', "",
        *limits(family), *policies.lines,
        "const struct genl_ops mrc_nl_ops[MRC_NL_OPS] = {", *ops, "};", "",
        "const struct genl_multicast_group mrc_nl_groups[MRC_NL_GROUPS] = {", *groups, "};", "",
        *heeded(family), *required(family), *settings_code(family)])
