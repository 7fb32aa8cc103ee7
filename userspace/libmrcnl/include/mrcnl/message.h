// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Messages of the netlink family: builds requests and reads answers.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mrcnl/types.h"

struct nl_msg;
struct nlattr;

namespace mrcnl
{

/** A request under construction: command and attributes. */
class Request
{
public:
    /**
     * @param command MRC_CMD_*
     * @param size room for attributes in bytes
     */
    explicit Request(uint8_t command, size_t size = 4096);

    [[nodiscard]] uint8_t command() const { return command_; }

    Request &put_flag(int type);
    Request &put_u8(int type, uint8_t value);
    Request &put_u16(int type, uint16_t value);
    Request &put_u32(int type, uint32_t value);
    Request &put_u64(int type, uint64_t value);
    Request &put_string(int type, const std::string &value);
    Request &put_address(int type, const Address &value);
    Request &put_bytes(int type, std::span<const std::byte> value);

    /** While a Nest exists, attributes go inside it. */
    class Nest
    {
    public:
        Nest(Request &request, int type);
        ~Nest();
        Nest(const Nest &) = delete;
        Nest &operator=(const Nest &) = delete;

    private:
        Request &request_;
        nlattr *attr_;
    };

    /** True: an attribute exceeded 64 KiB or the room given, and the request is unusable. */
    [[nodiscard]] bool overflow() const { return overflow_; }

    /** The attributes in the form that goes to the kernel. */
    [[nodiscard]] std::span<const std::byte> attributes() const;

private:
    void check(int err) { overflow_ = overflow_ || err < 0; }

    struct Free {
        void operator()(nl_msg *msg) const;
    };
    std::unique_ptr<nl_msg, Free> msg_;
    uint8_t command_;
    bool overflow_ = false;
};

/** An answer or event: command and attributes. */
struct Reply {
    uint8_t command = 0;
    std::vector<std::byte> attributes;
};

/**
 * Attributes of one level, by type.
 *
 * Reading never fails: an attribute that is missing or too short reads as zero or empty. The data
 * must outlive the object.
 */
class Attributes
{
public:
    /** @param max highest type of interest. Others are ignored: newer kernels may send more */
    Attributes(std::span<const std::byte> data, int max);

    [[nodiscard]] bool has(int type) const;
    [[nodiscard]] uint8_t u8(int type) const;
    [[nodiscard]] uint16_t u16(int type) const;
    [[nodiscard]] uint32_t u32(int type) const;
    [[nodiscard]] uint64_t u64(int type) const;
    [[nodiscard]] std::string string(int type) const;
    [[nodiscard]] Address address(int type) const;
    /** Payload; empty when missing. */
    [[nodiscard]] std::span<const std::byte> bytes(int type) const;
    /** Payloads of all attributes of a type, in order. */
    [[nodiscard]] std::vector<std::span<const std::byte>> all(int type) const;

private:
    template <typename T>
    T scalar(int type) const;

    std::span<const std::byte> data_;
    std::vector<const nlattr *> attrs_;
};

} // namespace mrcnl
