// SPDX-License-Identifier: GPL-2.0-only
//
// Usage: page_server PORT: the status page of a host that is none, until standard input ends.

#include <cstdlib>
#include <iostream>
#include <string>

#include "report/reporter.h"
#include "report_rig.h"

int main(int argc, char **argv)
{
    using namespace mrcd;

    if (argc != 2)
        return EXIT_FAILURE;
    test::ReportRig rig;
    StandardLog log;
    Reporter reporter(
        "mrc0", [&] { return rig.rig.open(); },
        [&] { return std::make_shared<const Report>(rig.report()); }, rig.events, log);
    reporter.listen_at({"127.0.0.1", static_cast<uint16_t>(std::stoi(argv[1]))});
    std::cout << "ready" << std::endl;
    for (std::string line; std::getline(std::cin, line);)
        ;
    return EXIT_SUCCESS;
}
