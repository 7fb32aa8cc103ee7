// SPDX-License-Identifier: GPL-2.0-only
#include "ev_spec.h"

#include "alias.h"
#include "owner.h"

namespace mrcctl
{

namespace
{

constexpr unsigned max_port = 32;

mrcnl::EvSegments take_segments(Args &args)
{
    mrcnl::EvSegments path;

    for (const std::string &text : split(args.take("segs"), ',')) {
        const auto address = mrcnl::Address::parse(text);

        if (!address)
            throw UsageError("segs: '" + text + "' is not an IPv6 address");
        path.segments.push_back(*address);
    }
    path.reduced = args.accept("reduced");
    return path;
}

mrcnl::EvPath take_path(Args &args)
{
    static constexpr const char *kinds[] = {"sid", "via", "segs", "table", "value"};

    switch (args.take_word(kinds, "path")) {
    case 0:
        return mrcnl::EvSid{args.take_address("sid")};
    case 1:
        return mrcnl::EvVia{args.take_address("via")};
    case 2:
        return take_segments(args);
    case 3:
        return mrcnl::EvTable{static_cast<uint32_t>(args.take_number("table", 1, UINT32_MAX))};
    default:
        return mrcnl::EvValue{static_cast<uint32_t>(args.take_number("value", 0, UINT32_MAX))};
    }
}

void take_mode(Args &args, mrcnl::EvProfileSpec &spec)
{
    static constexpr const char *modes[] = {"auto", "explicit"};

    spec.mode = static_cast<mrcnl::EvMode>(args.take_word(modes, "mode"));
}

mrcnl::EvFormat guess_format(const mrcnl::EvProfileSpec &spec)
{
    return spec.evs.empty() ? mrcnl::EvFormat::stev : guess_ev_format(spec.evs.front());
}

} // namespace

mrcnl::EvFormat take_ev_format(Args &args)
{
    static constexpr const char *formats[] = {"stev", "srv6", "udp"};

    return static_cast<mrcnl::EvFormat>(args.take_word(formats, "format"));
}

mrcnl::EvFormat guess_ev_format(const mrcnl::EvSpec &ev)
{
    return std::holds_alternative<mrcnl::EvValue>(ev.path) ? mrcnl::EvFormat::stev
                                                           : mrcnl::EvFormat::srv6;
}

mrcnl::EvSpec take_ev_way(Args &args)
{
    mrcnl::EvSpec ev;

    ev.port = static_cast<uint8_t>(args.take_number("port", 1, max_port));
    ev.path = take_path(args);
    return ev;
}

mrcnl::EvSpec take_ev_spec(Args &args)
{
    args.expect("port");
    mrcnl::EvSpec ev = take_ev_way(args);
    ev.denied = args.accept("denied");
    return ev;
}

mrcnl::EvProfileSpec take_ev_profile_spec(uint64_t id, Args &args, mrcnl::Owner &owner)
{
    static constexpr const char *words[] = {"format", "mode",  "count", "min-active",
                                            "active", "owner", "alias", "ev"};
    std::optional<mrcnl::EvFormat> format;
    mrcnl::EvProfileSpec spec;

    spec.id = id;
    while (!args.empty()) {
        switch (args.take_word(words, "keyword")) {
        case 0:
            format = take_ev_format(args);
            break;
        case 1:
            take_mode(args, spec);
            break;
        case 2:
            spec.count = static_cast<uint16_t>(args.take_number("count", 1, UINT16_MAX));
            break;
        case 3:
            spec.min_active = static_cast<uint16_t>(args.take_number("min-active", 0, UINT16_MAX));
            break;
        case 4:
            spec.active = static_cast<uint16_t>(args.take_number("active", 0, UINT16_MAX));
            break;
        case 5:
            owner = take_owner_name(args);
            break;
        case 6:
            spec.alias = take_alias(args);
            break;
        default:
            spec.evs.push_back(take_ev_spec(args));
        }
    }
    spec.format = format.value_or(guess_format(spec));
    return spec;
}

} // namespace mrcctl
