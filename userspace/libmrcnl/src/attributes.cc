// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "mrcnl/attributes.h"

#include <algorithm>
#include <vector>

#include <netlink/attr.h>

namespace mrcnl
{

const AttributeName *AttributeSet::find(int type) const
{
    for (const AttributeName &attribute : attributes)
        if (attribute.type == type)
            return &attribute;
    return nullptr;
}

namespace
{

/** Looks for the attribute at @p wanted among the attributes of one level, then inside them. */
std::string name_at(const AttributeSet &set, const std::byte *start, size_t size,
                    const std::byte *wanted)
{
    const auto *attr = reinterpret_cast<const nlattr *>(start);
    int left = static_cast<int>(size);
    std::vector<unsigned> seen;

    for (; nla_ok(attr, left); attr = nla_next(attr, &left)) {
        const AttributeName *known = set.find(nla_type(attr));
        const auto *here = reinterpret_cast<const std::byte *>(attr);
        const auto type = static_cast<size_t>(nla_type(attr));

        seen.resize(std::max(seen.size(), type + 1));
        seen[type]++;
        if (wanted < here || wanted >= here + nla_attr_size(nla_len(attr)))
            continue;
        std::string name = known ? known->name : "attribute " + std::to_string(type);

        if (known && known->multi)
            name += " " + std::to_string(seen[type]);
        if (known && known->nested) {
            const auto *inner = static_cast<const std::byte *>(nla_data(attr));
            const std::string rest = name_at(*known->nested, inner, nla_len(attr), wanted);

            if (!rest.empty())
                name += ": " + rest;
        }
        return name;
    }
    return {};
}

} // namespace

std::string attribute_at(uint8_t command, std::span<const std::byte> attributes, size_t offset)
{
    const AttributeSet *set = command_set(command);

    if (!set || offset >= attributes.size())
        return {};
    return name_at(*set, attributes.data(), attributes.size(), attributes.data() + offset);
}

} // namespace mrcnl
