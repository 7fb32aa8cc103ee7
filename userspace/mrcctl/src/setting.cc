// SPDX-License-Identifier: GPL-2.0-only
#include "setting.h"

namespace mrcctl
{

void print_number(Printer &p, const mrcnl::Setting &setting, uint64_t value)
{
    switch (setting.unit) {
    case mrcnl::Unit::ns:
        return p.time(setting.name, value);
    case mrcnl::Unit::bytes:
        return p.bytes(setting.name, value);
    case mrcnl::Unit::rate:
        return p.rate(setting.name, value);
    case mrcnl::Unit::fraction:
        return p.fraction(setting.name, value);
    case mrcnl::Unit::none:
        break;
    }
    if (value < setting.words.size())
        p.text(setting.name, setting.words[value]);
    else if (setting.words.empty())
        p.number(setting.name, value);
    else
        p.text(setting.name, "unknown");
}

uint64_t take_number(Args &args, const mrcnl::Setting &setting, uint64_t most)
{
    // A double holds numbers up to this one exactly. No setting is larger.
    const uint64_t exact = std::min(most, uint64_t{1} << 50);

    if (!setting.words.empty())
        return args.take_word(setting.words, setting.name);
    switch (setting.unit) {
    case mrcnl::Unit::ns:
        return args.take_time(setting.name, 1, exact);
    case mrcnl::Unit::rate:
        return args.take_rate(setting.name, 1, exact);
    case mrcnl::Unit::fraction:
        return args.take_fraction(setting.name, 0, exact);
    default:
        return args.take_number(setting.name, std::min<uint64_t>(setting.min, 1),
                                std::min(most, setting.tool_max));
    }
}

} // namespace mrcctl
