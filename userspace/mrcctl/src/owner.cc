// SPDX-License-Identifier: GPL-2.0-only
#include "owner.h"

namespace mrcctl
{

uint8_t take_owner_name(Args &args)
{
    const bool number =
        !args.empty() && !args.peek().empty() && args.peek()[0] >= '0' && args.peek()[0] <= '9';

    return static_cast<uint8_t>(number ? args.take_number("owner", 0, UINT8_MAX)
                                       : args.take_word(mrcnl::owner_names(), "owner"));
}

mrcnl::Owner take_owner(Args &args)
{
    return args.accept("owner") ? mrcnl::Owner(take_owner_name(args)) : std::nullopt;
}

mrcnl::Kernel &kernel_for(Context &context, mrcnl::Owner owner, mrcnl::Owner otherwise)
{
    mrcnl::Kernel &kernel = context.kernel();

    if (owner)
        require(context, MRC_NL_CAPABILITY_OWNER, "owners");
    kernel.act_as(owner ? owner : otherwise, false);
    return kernel;
}

void print_owner(Printer &p, mrcnl::Owner owner)
{
    if (!owner)
        return;
    if (*owner != MRC_NL_OWNER_NONE)
        p.text("owner", mrcnl::owner_name(*owner));
    else
        p.hidden("owner", mrcnl::owner_name(*owner));
}

} // namespace mrcctl
