#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Checks the headers: they compile without a warning in each language, alone and included twice, with each
version of the API. Layouts and values are those that programs of other implementations were compiled with."""

import argparse
import dataclasses
import itertools
import pathlib
import subprocess
import sys

LANGUAGES = [("c", s) for s in ("c99", "c11", "c17")] + [("c++", s) for s in ("c++11", "c++17", "c++20")]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


@dataclasses.dataclass
class Api:
    """A header, and programs that use what it has."""

    header: str
    versions: str  # the header with its versions
    prefix: str  # prefix of its macros
    struct: str  # a check of a size that must fail
    uses_all: str
    uses_new: str  # a program with additions of 1.0.1


APIS = [
    Api("mrc.h", "mrc_api_ver.h", "MRC", "SIZE(mrc_qp_attr, 168);\n", """
int main(void)
{
    int supported = 0;
    struct mrc_device_attr attr;
    return mrc_query_device(NULL, &attr, &supported) + mrc_poll_cq(NULL, 0, NULL);
}
""", """
int main(void)
{
    return mrc_query_device_ex(NULL, NULL, NULL, NULL);
}
"""),
    Api("mrc_ctl.h", "mrc_ctl_api_ver.h", "MRC_CTL", "SIZE(mrc_ctl_ev, 32);\n", """
int main(void)
{
    struct mrc_ctl_device_attr attr;
    struct mrc_ctl_ev none = MRC_CTL_EV_UNPOPULATED;
    return mrc_ctl_query_device(NULL, &attr) + mrc_ctl_poll_ev_event(NULL, 0, NULL) + none.port;
}
""", """
int main(void)
{
    struct mrc_ctl_ev_event event;
    event.state = MRC_CTL_EV_GOOD;
    return mrc_ctl_query_device_ex(NULL, NULL, NULL, NULL) + (int)event.state;
}
"""),
]  # fmt: skip


class Compiler:
    def __init__(self, args):
        self.args = args
        self.failed = 0

    def accepts(self, language, standard, source, *options):
        command = self.args.cc if language == "c" else self.args.cxx
        done = subprocess.run(
            [command, "-x", language, f"-std={standard}", *WARNINGS, f"-I{self.args.include}", *options,
             "-fsyntax-only", "-"], input=source, capture_output=True, text=True, check=False)  # fmt: skip
        return done.returncode == 0, done.stderr

    def expect(self, name, wanted, *arguments):
        got, said = self.accepts(*arguments)
        print(f"{'ok' if got == wanted else 'not ok'} {name}")
        if got != wanted:
            print(said or "it was accepted")
            self.failed += 1


def check_versions(compiler, api, header):
    version_of = f"{api.prefix}_API_VER"
    versions = {"(1,0,0)": (True, False), "(1,0,1)": (True, True), "_LATEST": (True, True),
                "(9,9,9)": (False, False), "(1,0,2)": (False, False)}  # fmt: skip
    for (version, (compiles, has_new)), language in itertools.product(versions.items(), ("c", "c++")):
        standard = "gnu11" if language == "c" else "c++17"
        name = f"{language}: {version_of}{version}"
        option = f"-D{version_of}_USED={version_of}{version}"
        compiler.expect(name, compiles, language, standard,
                        header + "#include <stddef.h>\n" + api.uses_all, option)  # fmt: skip
        compiler.expect(f"{name}: what came with 1.0.1", has_new, language, standard,
                        header + "#include <stddef.h>\n" + api.uses_new, option)  # fmt: skip
    oldest = f"-D{version_of}_USED=0"
    compiler.expect(f"{api.header}: the oldest version: a warning", False, "c", "gnu11", header, oldest)
    compiler.expect(f"{api.header}: the oldest version: nothing worse", True, "c", "gnu11", header, oldest,
                    "-Wno-error=cpp", "-Wno-pedantic")  # fmt: skip
    compiler.expect(f"{api.header}: a vendor's version that is newer", False, "c", "gnu11", header,
                    f"-D{api.prefix}_VENDOR_API_VER_USED={version_of}(1,0,1)")  # fmt: skip


def check(compiler, api, layout):
    headers = [f"#include <{api.header}>\n", f"#include <{api.versions}>\n"]
    for language, standard in LANGUAGES:
        for order in itertools.permutations(headers):
            compiler.expect(f"{standard}: {''.join(order).split()[1]} first", True, language, standard,
                            "".join(order) * 2 + layout + api.uses_all)  # fmt: skip
        compiler.expect(f"{standard}: {api.versions} alone", True, language, standard,
                        headers[1] + "typedef int something;\n")  # fmt: skip
    check_versions(compiler, api, headers[0])
    compiler.expect(f"{api.header}: a layout that is wrong is seen", False, "c", "c99",
                    headers[0] + layout + api.struct)  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    for name in ("include", "layouts", "cc", "cxx"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    compiler = Compiler(args)
    common = pathlib.Path(args.layouts, "layout.h").read_text(encoding="utf-8")
    for api in APIS:
        own = pathlib.Path(args.layouts, f"layout_{api.header}").read_text(encoding="utf-8")
        check(compiler, api, common + own)
    compiler.expect("mrc_ctl.h: events of 1.0.0 are shorter", True, "c", "c99",
                    "#include <mrc_ctl.h>\n" + common + "SIZE(mrc_ctl_ev_event, 48);\n",
                    "-DMRC_CTL_API_VER_USED=MRC_CTL_API_VER(1,0,0)")  # fmt: skip
    sys.exit(1 if compiler.failed else 0)


if __name__ == "__main__":
    main()
