// SPDX-License-Identifier: GPL-2.0-only
#include "alias.h"

#include <linux/mrc.h>

namespace mrcctl
{

namespace
{

constexpr size_t alias_most = 64;

template <typename Profile>
std::optional<uint64_t> id_of(const std::vector<Profile> &profiles, const std::string &alias)
{
    std::optional<uint64_t> id;

    if (alias.empty())
        return id;
    for (const Profile &profile : profiles) {
        if (profile.alias != alias)
            continue;
        if (id && *id != profile.id)
            throw UsageError("'" + alias + "' is the alias of more than one profile");
        id = profile.id;
    }
    return id;
}

} // namespace

std::string take_alias(Args &args)
{
    const std::string alias = args.take("alias");

    if (!usable_name(alias))
        throw UsageError("alias: '" + alias +
                         "' must be one word that does not begin with a digit");
    if (alias.size() > alias_most)
        throw UsageError("alias: longer than 64 bytes");
    return alias;
}

void require_alias(Context &context, const std::string &alias)
{
    if (!alias.empty())
        require(context, MRC_NL_CAPABILITY_ALIAS, "aliases");
}

void print_alias(Printer &p, const std::string &alias)
{
    if (!alias.empty())
        p.text("alias", alias);
}

std::optional<uint64_t> ev_profile_of_alias(Context &context,
                                            const std::optional<std::string> &device,
                                            const std::string &alias)
{
    return id_of(value_of(context.kernel().ev_profiles(device)), alias);
}

uint64_t take_cc_profile(Context &context, const std::string &device, Args &args)
{
    if (args.empty() || starts_with_digit(args.peek()))
        return args.take_number("cc-profile", 0, UINT64_MAX);
    const std::string alias = args.take("cc-profile");
    const auto id = id_of(value_of(context.kernel().cc_profiles(device)), alias);
    if (!id)
        throw UsageError("cc-profile: '" + alias +
                         "' is neither a number nor the alias of a CC profile");
    return *id;
}

} // namespace mrcctl
