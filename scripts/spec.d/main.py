# SPDX-License-Identifier: GPL-2.0-only
"""What follows from Documentation/netlink/specs/mrc.yaml.

In the tree are, written by "spec" and looked at by "spec --check", as whoever builds does:
    kernel/include/uapi/linux/mrc.h         numbers for C
    kernel/netlink/spec.h, spec.c           operations of the module and their policies
    kernel/transport/device/settings.h      settings of a device
    Documentation/netlink/README.md         the tables of the page for readers
    Documentation/json/device.json          settings among what mrcctl prints
    Documentation/json/cc-profile.json      the same
    Documentation/json/monitor.json         the same, in events
In folders of a build, named on the command line:
    spec cpp DIR        spec_names.cc               names of attributes, for libmrcnl
                        mrcnl/settings.h            settings
                        mrcnl/members.h             which attribute each member of a struct is
    spec ynl DIR        mrc.yaml                    without what is ours alone, for other clients
"""

import argparse
import os
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SOURCE = "Documentation/netlink/specs/mrc.yaml"
HEADER = "kernel/include/uapi/linux/mrc.h"
KERNEL = "kernel/netlink/spec"
SETTINGS = "kernel/transport/device/settings.h"
PAGE = "Documentation/netlink/README.md"
SCHEMAS = "Documentation/json"


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def write(path, text):
    """Writes a file, unless it has that content already, so that nothing is rebuilt without need."""
    if read(path) == text:
        return
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(f"{path}.new", path)


def in_tree(family, top):
    """Files of the tree: path and text."""
    import docs
    import kernel
    import uapi
    yield HEADER, uapi.header(family)
    yield f"{KERNEL}.h", kernel.header(family)
    yield f"{KERNEL}.c", kernel.source(family)
    yield SETTINGS, kernel.settings_header(family)
    yield PAGE, docs.page(family, read(os.path.join(top, PAGE)))
    for name, schema in (("device", docs.device_schema), ("cc-profile", docs.cc_profile_schema),
                         ("monitor", docs.monitor_schema)):
        path = os.path.join(SCHEMAS, f"{name}.json")
        yield path, schema(family, read(os.path.join(top, path)))


def built(family, target, top):
    """Files of a build: name and text."""
    if target == "cpp":
        import cpp
        import members
        yield "spec_names.cc", cpp.names(family)
        yield "mrcnl/settings.h", cpp.settings(family)
        yield "mrcnl/members.h", members.members(family)
    else:
        import ynl
        yield "mrc.yaml", ynl.text(read(os.path.join(top, SOURCE)))


def renew(family, top, check, renumber):
    """Errors: files of the tree that are out of date, or cannot be generated."""
    import uapi
    errors = []
    for path, text in list(in_tree(family, top)):
        old = read(os.path.join(top, path))
        if path == HEADER and not renumber:
            errors += [f"{what}: numbers that are in use stay; what is new comes last"
                       for what in uapi.renumbered(old, text)]
        if check and old != text:
            errors.append(f"{path} is older than {SOURCE}: run scripts/spec")
        elif not errors:
            write(os.path.join(top, path), text)
    return errors


def main(args):
    parser = argparse.ArgumentParser(
        prog="spec", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true",
                        help="write nothing; print which files of the tree are out of date")
    parser.add_argument("--renumber", action="store_true",
                        help="let numbers change, because no program uses the old ones yet")
    parser.add_argument("--top", default=TOP, help=argparse.SUPPRESS)
    parser.add_argument("target", nargs="?", choices=("cpp", "ynl"))
    parser.add_argument("dir", nargs="?")
    options = parser.parse_args(args)
    if bool(options.target) != bool(options.dir):
        parser.error("a target needs a folder")
    try:
        from family import Family, Wrong
    except ImportError:
        sys.exit("spec: the yaml module of Python is missing (scripts/setup build)")
    try:
        family = Family(os.path.join(options.top, SOURCE))
        if options.target:
            for name, text in list(built(family, options.target, options.top)):
                write(os.path.join(options.dir, name), text)
            return 0
        errors = renew(family, options.top, options.check, options.renumber)
    except Wrong as why:
        sys.exit(f"spec: {SOURCE}: {why}")
    for error in errors:
        print(f"spec: {error}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
