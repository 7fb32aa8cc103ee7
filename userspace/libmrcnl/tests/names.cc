// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints the library's attribute names as JSON, for the comparison with the
 * specification: {set: {name: [number, nested set or null, multi]}}, and under
 * "commands" the set of each command.
 */
#include <iostream>

#include <linux/mrc.h>
#include <nlohmann/json.hpp>

#include "mrcnl/attributes.h"

int main()
{
    nlohmann::json sets = nlohmann::json::object();
    nlohmann::json commands = nlohmann::json::object();

    for (const mrcnl::AttributeSet *set : mrcnl::attribute_sets())
        for (const mrcnl::AttributeName &attribute : set->attributes) {
            nlohmann::json nested;

            if (attribute.nested)
                nested = attribute.nested->name;
            sets[set->name][attribute.name] = {attribute.type, nested, attribute.multi};
        }
    for (int command = 1; command <= MRC_CMD_MAX; command++)
        commands[std::to_string(command)] = mrcnl::command_set(static_cast<uint8_t>(command))->name;
    std::cout << nlohmann::json{{"sets", sets}, {"commands", commands}} << '\n';
}
