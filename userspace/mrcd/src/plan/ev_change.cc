// SPDX-License-Identifier: GPL-2.0-only
#include "plan/ev_change.h"

namespace mrcd
{

namespace
{

std::string count(size_t number, const std::string &noun)
{
    return std::to_string(number) + ' ' + noun + (number == 1 ? "" : "s");
}

std::string summary(const EvList &list)
{
    size_t evs = 0;

    for (const auto &[profile, indices] : list)
        evs += indices.size();
    return count(evs, "EV") + " of " + count(list.size(), "profile");
}

std::string all_of(const EvList &list)
{
    std::string text;

    for (const auto &[profile, indices] : list) {
        text += (text.empty() ? "" : " ") + std::to_string(profile);
        for (size_t i = 0; i < indices.size(); i++)
            text += (i ? ',' : ':') + std::to_string(indices[i]);
    }
    return text;
}

} // namespace

std::string to_string(const EvChange &change)
{
    std::string text;

    if (!change.denied.empty())
        text = summary(change.denied) + " denied";
    if (!change.allowed.empty())
        text += (text.empty() ? "" : ", ") + summary(change.allowed) + " allowed";
    return text;
}

void add_fields(Log::Fields &fields, const EvChange &change)
{
    if (!change.denied.empty())
        fields.emplace_back("EVS_DENIED", all_of(change.denied));
    if (!change.allowed.empty())
        fields.emplace_back("EVS_ALLOWED", all_of(change.allowed));
}

} // namespace mrcd
