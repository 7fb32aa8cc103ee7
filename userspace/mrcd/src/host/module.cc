// SPDX-License-Identifier: GPL-2.0-only
#include "host/module.h"

#include "file/read_file.h"

namespace mrcd
{

namespace
{

/** The only line of a sysfs attribute. */
std::string line_of(const std::string &file)
{
    const auto text = read_file(file);

    return text ? text->substr(0, text->find('\n')) : "";
}

} // namespace

ModuleState module_state(const std::string &folder)
{
    return {line_of(folder + "/initstate") == "live", line_of(folder + "/version")};
}

} // namespace mrcd
