// SPDX-License-Identifier: GPL-2.0-only
#include "plan/plan_output.h"

#include <nlohmann/json.hpp>

namespace mrcd
{

namespace
{

const char *name_of(Step::Kind kind)
{
    static constexpr const char *names[] = {"add", "replace", "remove", "wait", "conflict"};

    return names[static_cast<size_t>(kind)];
}

} // namespace

void print_steps(std::ostream &out, const std::vector<Step> &steps, bool json)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();

    for (const Step &step : steps) {
        if (json)
            list.push_back(
                {{"change", name_of(step.kind)}, {"object", step.object}, {"what", step.what}});
        else
            out << to_string(step) << '\n';
    }
    if (json)
        out << list.dump(4, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

} // namespace mrcd
