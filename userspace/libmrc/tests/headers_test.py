#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The headers as programs see them: in each language, alone and twice, with each version of the API,
without a warning; structures and values as programs of other implementations were compiled."""

import argparse
import itertools
import subprocess
import sys

LANGUAGES = [("c", s) for s in ("c99", "c11", "c17")] + [("c++", s) for s in ("c++11", "c++17", "c++20")]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
USES_ALL = """
int main(void)
{
    int supported = 0;
    struct mrc_device_attr attr;
    return mrc_query_device(NULL, &attr, &supported) + mrc_poll_cq(NULL, 0, NULL);
}
"""
USES_NEW = """
int main(void)
{
    return mrc_query_device_ex(NULL, NULL, NULL, NULL);
}
"""


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


def check(compiler, layout):
    headers = ["#include <mrc.h>\n", "#include <mrc_api_ver.h>\n"]
    for language, standard in LANGUAGES:
        for order in itertools.permutations(headers):
            compiler.expect(f"{standard}: {''.join(order).split()[1]} first", True, language, standard,
                            "".join(order) * 2 + layout + USES_ALL)  # fmt: skip
        compiler.expect(f"{standard}: versions alone", True, language, standard,
                        headers[1] + "typedef int something;\n")  # fmt: skip
    versions = {"MRC_API_VER(1,0,0)": (True, False), "MRC_API_VER(1,0,1)": (True, True),
                "MRC_API_VER_LATEST": (True, True), "MRC_API_VER(9,9,9)": (False, False),
                "MRC_API_VER(1,0,2)": (False, False)}  # fmt: skip
    for (version, (compiles, has_new)), language in itertools.product(versions.items(), ("c", "c++")):
        standard = "gnu11" if language == "c" else "c++17"
        option = f"-DMRC_API_VER_USED={version}"
        compiler.expect(f"{language}: {version}", compiles, language, standard,
                        headers[0] + "#include <stddef.h>\n" + USES_ALL, option)  # fmt: skip
        compiler.expect(f"{language}: {version}: what came with 1.0.1", has_new, language, standard,
                        headers[0] + "#include <stddef.h>\n" + USES_NEW, option)  # fmt: skip
    compiler.expect("the oldest version: a warning", False, "c", "gnu11", headers[0],
                    "-DMRC_API_VER_USED=0")  # fmt: skip
    compiler.expect("the oldest version: nothing worse", True, "c", "gnu11", headers[0],
                    "-DMRC_API_VER_USED=0", "-Wno-error=cpp", "-Wno-pedantic")  # fmt: skip
    compiler.expect("a vendor's version that is newer", False, "c", "gnu11", headers[0],
                    "-DMRC_VENDOR_API_VER_USED=MRC_API_VER(1,0,1)")  # fmt: skip
    compiler.expect("a layout that is wrong is seen", False, "c", "c99",
                    headers[0] + layout + "SIZE(mrc_qp_attr, 168);\n")  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    for name in ("include", "layout", "cc", "cxx"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    compiler = Compiler(args)
    with open(args.layout, encoding="utf-8") as file:
        check(compiler, file.read())
    sys.exit(1 if compiler.failed else 0)


if __name__ == "__main__":
    main()
