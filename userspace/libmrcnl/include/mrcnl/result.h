// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Results of kernel requests: a value, or an error with the kernel's own message.
 */
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace mrcnl
{

/** Why a request failed. */
struct Error {
    int code = 0;          ///< errno value, positive
    std::string text;      ///< extack text of the kernel, or our own; may be empty
    std::string attribute; ///< the attribute at fault, like "ev 3: sid"; may be empty

    /** One line for people. */
    [[nodiscard]] std::string message() const;
};

/** The error for an error number of libnl (NLE_*, negated or not). */
Error libnl_error(int err);

/** A value or an Error. */
template <typename T>
class [[nodiscard]] Result
{
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return state_.index() == 0; }

    /** The value; only when there is one. */
    T &operator*() { return *std::get_if<0>(&state_); }
    const T &operator*() const { return *std::get_if<0>(&state_); }
    T *operator->() { return std::get_if<0>(&state_); }
    const T *operator->() const { return std::get_if<0>(&state_); }

    /** The error; only when there is no value. */
    [[nodiscard]] const Error &error() const { return *std::get_if<1>(&state_); }

private:
    std::variant<T, Error> state_;
};

/** Success or an Error. */
template <>
class [[nodiscard]] Result<void>
{
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}

    explicit operator bool() const { return !error_; }

    /** The error; only when there is one. */
    [[nodiscard]] const Error &error() const { return *error_; }

private:
    std::optional<Error> error_;
};

} // namespace mrcnl
