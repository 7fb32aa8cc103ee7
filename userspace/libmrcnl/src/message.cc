// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "mrcnl/message.h"

#include <cstring>

#include <linux/mrc.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <new>

namespace mrcnl
{

void Request::Free::operator()(nl_msg *msg) const
{
    nlmsg_free(msg);
}

Request::Request(uint8_t command, size_t size)
    : msg_(nlmsg_alloc_size(NLMSG_HDRLEN + GENL_HDRLEN + size)), command_(command)
{
    // The channel fills in family, port and sequence number.
    if (!msg_ || !genlmsg_put(msg_.get(), 0, 0, 0, 0, 0, command, MRC_FAMILY_VERSION))
        throw std::bad_alloc();
}

Request &Request::put_flag(int type)
{
    check(nla_put_flag(msg_.get(), type));
    return *this;
}

Request &Request::put_u8(int type, uint8_t value)
{
    check(nla_put_u8(msg_.get(), type, value));
    return *this;
}

Request &Request::put_u16(int type, uint16_t value)
{
    check(nla_put_u16(msg_.get(), type, value));
    return *this;
}

Request &Request::put_u32(int type, uint32_t value)
{
    check(nla_put_u32(msg_.get(), type, value));
    return *this;
}

Request &Request::put_u64(int type, uint64_t value)
{
    check(nla_put_u64(msg_.get(), type, value));
    return *this;
}

Request &Request::put_string(int type, const std::string &value)
{
    check(nla_put_string(msg_.get(), type, value.c_str()));
    return *this;
}

Request &Request::put_address(int type, const Address &value)
{
    return put_bytes(type, std::as_bytes(std::span(value.bytes)));
}

Request &Request::put_bytes(int type, std::span<const std::byte> value)
{
    // The length field of an attribute has 16 bits.
    if (value.size() > UINT16_MAX - NLA_HDRLEN)
        overflow_ = true;
    else
        check(nla_put(msg_.get(), type, static_cast<int>(value.size()), value.data()));
    return *this;
}

Request::Nest::Nest(Request &request, int type)
    : request_(request), attr_(nla_nest_start(request.msg_.get(), type | NLA_F_NESTED))
{
    if (!attr_)
        request_.overflow_ = true;
}

Request::Nest::~Nest()
{
    if (attr_)
        request_.check(nla_nest_end(request_.msg_.get(), attr_));
}

std::span<const std::byte> Request::attributes() const
{
    const auto *gen = static_cast<const genlmsghdr *>(nlmsg_data(nlmsg_hdr(msg_.get())));

    return {reinterpret_cast<const std::byte *>(genlmsg_attrdata(gen, 0)),
            static_cast<size_t>(genlmsg_attrlen(gen, 0))};
}

namespace
{

/** Calls @p each for all attributes of one level, up to the first malformed one. */
template <typename Each>
void for_each(std::span<const std::byte> data, Each each)
{
    const auto *attr = reinterpret_cast<const nlattr *>(data.data());
    int left = static_cast<int>(data.size());

    while (nla_ok(attr, left)) {
        each(attr);
        attr = nla_next(attr, &left);
    }
}

std::span<const std::byte> payload(const nlattr *attr)
{
    return {static_cast<const std::byte *>(nla_data(attr)), static_cast<size_t>(nla_len(attr))};
}

} // namespace

Attributes::Attributes(std::span<const std::byte> data, int max) : data_(data), attrs_(max + 1)
{
    for_each(data_, [this, max](const nlattr *attr) {
        if (nla_type(attr) <= max)
            attrs_[nla_type(attr)] = attr;
    });
}

bool Attributes::has(int type) const
{
    return attrs_[type];
}

std::span<const std::byte> Attributes::bytes(int type) const
{
    return has(type) ? payload(attrs_[type]) : std::span<const std::byte>();
}

template <typename T>
T Attributes::scalar(int type) const
{
    const auto data = bytes(type);
    T value{};

    if (data.size() >= sizeof(value))
        memcpy(&value, data.data(), sizeof(value));
    return value;
}

uint8_t Attributes::u8(int type) const
{
    return scalar<uint8_t>(type);
}

uint16_t Attributes::u16(int type) const
{
    return scalar<uint16_t>(type);
}

uint32_t Attributes::u32(int type) const
{
    return scalar<uint32_t>(type);
}

uint64_t Attributes::u64(int type) const
{
    return scalar<uint64_t>(type);
}

Address Attributes::address(int type) const
{
    return {scalar<std::array<uint8_t, 16>>(type)};
}

std::string Attributes::string(int type) const
{
    const auto data = bytes(type);
    const auto *text = reinterpret_cast<const char *>(data.data());

    return {text, data.empty() ? 0 : strnlen(text, data.size())};
}

std::vector<std::span<const std::byte>> Attributes::all(int type) const
{
    std::vector<std::span<const std::byte>> found;

    for_each(data_, [&](const nlattr *attr) {
        if (nla_type(attr) == type)
            found.push_back(payload(attr));
    });
    return found;
}

} // namespace mrcnl
