# SPDX-License-Identifier: GPL-2.0-only
"""The family as mrc.yaml describes it, with all numbers, and checked.

The file is in the kernel's YNL schema. What the schema has no word for stands under the key x-mrc, which
target "ynl" leaves out.

Keys of an attribute:
  default           of a setting
  limit, least      the C names of its maximum and minimum
  mask              a number with a bit that its maximum does not have is refused as EINVAL
  member            the member of the set's struct: the attribute is a setting
  inverse           the member means the opposite
  unit              for mrcctl: ns, bytes, rate (bytes a second) or fraction (millionths)
  word              for mrcctl: what stands for the value in its help
  tool-max          for mrcctl: the highest number that it sends to the kernel; else the type's highest
  brief             for mrcctl: shown without -d
  cpp               its member in libmrcnl, if that has another name than the attribute; false: it has
                    none, because other code reads it, or no code does
Keys of a set:
  settings          the operation whose request lists the set's settings
  follows           the set from whose settings all values in this set follow
  cpp               the struct of libmrcnl with its settings; without settings, with all its attributes.
                    The struct is generated if the set has one of the two keys above
  struct            the module's struct with the settings; without this key the struct is generated,
                    and all that the request lists is a setting
Keys of an operation:
  require           attributes that a request must have
  start             it has a function that is called when a dump starts
Keys of an answer or event:
  cpp               the struct that has what it lists
  object            the member that has all that the answers of the noun list
Key of the family:
  parts             structs inside others, where several attributes of a set form such a struct, and the
                    members that have them

A struct of libmrcnl that is not generated has members for attributes, and is filled by the lists that
members.py makes. The cpp of an attribute in a part is "part.member", or the part alone if the member has
the name of the attribute.
"""

from dataclasses import dataclass, field

import yaml

# Attributes with the same numbers in every set.
PLACES = {"dev-index": 1, "dev-name": 2, "pad": 3}
UNITS = ("ns", "bytes", "rate", "fraction")
# Verbs of operations that change something.
ACTIVE = ("add", "set", "del", "replace", "start")
OWN = {
    "attribute": {"default", "limit", "least", "mask", "member", "inverse", "unit", "word",
                  "tool-max", "brief", "cpp"},
    "set": {"settings", "follows", "cpp", "struct"},
    "operation": {"require", "start"},
    "message": {"cpp", "object"},
    "family": {"parts"},
}


class Wrong(Exception):
    """The specification contradicts itself."""


def c_name(*parts):
    return "".join(parts).upper().replace("-", "_")


def word(name):
    return name.replace("-", "_")


@dataclass
class Attribute:
    name: str
    number: int
    constant: str
    data: dict
    own: dict

    @property
    def kind(self):
        return self.data["type"]

    @property
    def doc(self):
        return self.data.get("doc", "").strip()

    @property
    def checks(self):
        return self.data.get("checks", {})

    @property
    def on_off(self):
        return self.kind == "u8" and self.checks == {"max": 1}

    @property
    def address(self):
        return self.data.get("display-hint") == "ipv6"

    @property
    def unit(self):
        return self.own.get("unit")


@dataclass
class Set:
    name: str
    prefix: str
    doc: str
    parent: str
    own: dict
    attributes: dict = field(default_factory=dict)

    @property
    def foreign(self):
        """Whether its constants come from another header."""
        return not self.prefix.startswith("mrc-")


@dataclass
class Operation:
    name: str
    number: int
    constant: str
    set: Set
    data: dict
    own: dict

    def listed(self, kind, part):
        """Attributes of a request or a reply, by name; None when there is no such message."""
        if kind not in self.data:
            return None
        names = self.data[kind].get(part, {}).get("attributes", [])
        return [self.set.attributes[name] for name in names]

    @property
    def replies(self):
        """The attributes that the kernel sends: those of answers, or of the event."""
        said = [self.data.get(kind, {}).get("reply") for kind in ("do", "dump")]
        return [message for message in (*said, self.data.get("event")) if message]

    @property
    def doc(self):
        return self.data["doc"].strip()

    @property
    def admin(self):
        return "uns-admin-perm" in self.data.get("flags", [])


@dataclass
class Values:
    """Attributes of a set that are all handled alike: settings, or values derived from settings."""
    set: Set
    attributes: list

    @property
    def name(self):
        return self.set.name

    @property
    def cpp(self):
        return self.set.own["cpp"]

    @property
    def struct(self):
        """The module's struct, which is written by hand."""
        return self.set.own.get("struct")

    @property
    def settings(self):
        return "settings" in self.set.own


@dataclass
class Enum:
    name: str
    constant: str
    doc: str
    entries: list   # (name, constant, number, doc)


def limits_of(attribute):
    """The range of a number, in words: "1 to 16"; empty if any number will do."""
    low, high = attribute.checks.get("min"), attribute.checks.get("max")
    if high is not None:
        return f"{low or 0} to {high}"
    return f"at least {low}" if low is not None else ""


def own_of(item, what, name):
    own = item.get("x-mrc", {})
    strangers = set(own) - OWN[what]
    if strangers:
        raise Wrong(f"{name}: x-mrc of {what}s has no {sorted(strangers)}")
    return own


def numbered(items, start):
    """Pairs of a number and its item. Where the item gives no number, it is the previous one plus 1."""
    number = start
    for item in items:
        item = {"name": item} if isinstance(item, str) else item
        number = item.get("value", number)
        yield number, item
        number += 1


class Family:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.data = yaml.safe_load(file)
        self.parts = dict(reversed(part.split())
                          for part in own_of(self.data, "family", "family").get("parts", []))
        self.enums = {e["name"]: self.enum(e) for e in self.data["definitions"]}
        self.sets = {}
        for item in self.data["attribute-sets"]:
            self.sets[item["name"]] = self.set(item)
        listed = self.data["operations"]
        self.operations = [
            Operation(op["name"], number, c_name(listed["name-prefix"], op["name"]),
                      self.set_named(op["attribute-set"], op["name"]), op,
                      own_of(op, "operation", op["name"]))
            for number, op in numbered(listed["list"], 1)]
        self.groups = self.data["mcast-groups"]["list"]
        self.check()

    @staticmethod
    def enum(item):
        flags = item["type"] == "flags"
        entries = [(entry["name"], c_name(item["name-prefix"], entry["name"]),
                    1 << number if flags else number, entry.get("doc", ""))
                   for number, entry in numbered(item["entries"], 0)]
        return Enum(item["name"], word(item["enum-name"]), item.get("doc", ""), entries)

    def set_named(self, name, user):
        if name not in self.sets:
            raise Wrong(f"{user}: there is no attribute set {name}")
        return self.sets[name]

    def set(self, item):
        """Makes a Set. If it is a part of another set, that set defines its attributes."""
        parent = item.get("subset-of")
        made = Set(item["name"], item.get("name-prefix", ""), item.get("doc", ""), parent,
                   own_of(item, "set", item["name"]))
        if parent:
            whole = self.set_named(parent, item["name"])
            made.prefix = whole.prefix
            made.attributes = {a["name"]: whole.attributes[a["name"]] for a in item["attributes"]}
            return made
        for number, attr in numbered(item["attributes"], 1):
            if attr["name"] in made.attributes:
                raise Wrong(f"set {made.name}: {attr['name']} comes twice")
            made.attributes[attr["name"]] = Attribute(
                attr["name"], number, c_name(made.prefix, attr["name"]), attr,
                own_of(attr, "attribute", f"{made.name}: {attr['name']}"))
        return made

    def nested(self, attribute):
        name = attribute.data.get("nested-attributes")
        return self.set_named(name, attribute.name) if name else None

    @property
    def values(self):
        return [self.values_of(s) for s in self.sets.values() if {"settings", "follows"} & set(s.own)]

    @property
    def settings(self):
        return [values for values in self.values if values.settings]

    def values_of(self, group):
        listed = list(group.attributes.values())
        if "settings" in group.own:
            listed = self.operation(group.own["settings"]).listed("do", "request")
        return Values(group, [a for a in listed if a.name not in PLACES and
                              ("struct" not in group.own or "member" in a.own)])

    def enum_of(self, attribute):
        return self.enums.get(attribute.data.get("enum"))

    def default_of(self, setting):
        """Its number as a C constant; None: it has none."""
        value = setting.own.get("default")
        if value is None or not self.enum_of(setting):
            return None if value is None else (int(value), str(int(value)))
        return next((number, constant) for name, constant, number, _
                    in self.enum_of(setting).entries if name == value)

    def operation(self, name):
        return next(op for op in self.operations if op.name == name)

    # ---- what must hold

    def check(self):
        for group in self.sets.values():
            for attribute in group.attributes.values():
                self.check_attribute(group, attribute)
        for op in self.operations:
            self.check_operation(op)
        for values in self.settings:
            for setting in values.attributes:
                self.check_setting(values, setting)

    def check_setting(self, values, setting):
        if "default" not in setting.own and setting.kind != "binary" and not values.struct:
            raise Wrong(f"setting {setting.name}: no default")
        if not setting.address and setting.kind not in ("u8", "u16", "u32", "u64"):
            raise Wrong(f"setting {setting.name}: there is no code to write a {setting.kind}")
        if setting not in self.operation(f"{values.name}-get").listed("do", "reply"):
            raise Wrong(f"setting {setting.name} is not in the answer of {values.name}-get")
        if setting.name not in self.operation(f"{values.name}-ntf").data["event"]["attributes"]:
            raise Wrong(f"setting {setting.name} is not in {values.name}-ntf")

    def check_operation(self, op):
        for kind in ("do", "dump", "event"):
            for part in (op.data.get(kind, {}).get("request"), op.data.get(kind, {}).get("reply"),
                         op.data.get(kind) if kind == "event" else None):
                for name in (part or {}).get("attributes", []):
                    if name not in op.set.attributes:
                        raise Wrong(f"{op.name}: no attribute {name} in set {op.set.name}")
        # An operation without requests no longer exists: its number stays taken.
        if "do" in op.data and (op.name.split("-")[-1] in ACTIVE) != op.admin:
            raise Wrong(f"{op.name}: what does more than look needs a permission, nothing else")
        for message in op.replies:
            if "cpp" not in own_of(message, "message", op.name):
                raise Wrong(f"{op.name}: no struct has what it tells")
        takes = [a.name for a in op.listed("do", "request") or []]
        for name in op.own.get("require", []):
            if name not in takes:
                raise Wrong(f"{op.name} requires {name}, and does not take it")

    def check_attribute(self, group, attribute):
        where = f"{group.name}: {attribute.name}"
        if PLACES.get(attribute.name, attribute.number) != attribute.number:
            raise Wrong(f"{where} has not the number that it has in all sets")
        if "enum" in attribute.data and attribute.data["enum"] not in self.enums:
            raise Wrong(f"{where}: there is no enum {attribute.data['enum']}")
        part = str(attribute.own.get("cpp", "")).rpartition(".")[0]
        if part and part not in self.parts:
            raise Wrong(f"{where}: there is no part {part}")
        if attribute.unit not in (None, *UNITS):
            raise Wrong(f"{where}: there is no unit {attribute.unit}")
        self.nested(attribute)
