// SPDX-License-Identifier: GPL-2.0-only
#include "printer.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>

#include "mrcnl/quantity.h"

#include "clock.h"

namespace mrcctl
{

using Json = nlohmann::ordered_json;

struct Printer::Document {
    Json objects = Json::array();  ///< finished objects
    std::vector<Json> open;        ///< objects under construction, outermost first
    std::vector<std::string> keys; ///< keys of the inner objects

    void put(const char *key, Json value) { open.back()[key] = std::move(value); }

    Json take()
    {
        Json value = std::move(open.back());

        open.pop_back();
        return value;
    }

    void enter(const char *key, Json value)
    {
        keys.emplace_back(key);
        open.push_back(std::move(value));
    }

    void leave()
    {
        Json inner = take();

        put(keys.back().c_str(), std::move(inner));
        keys.pop_back();
    }
};

namespace
{

const char *escape_of(Color color)
{
    switch (color) {
    case Color::name:
        return "\033[1;36m";
    case Color::good:
        return "\033[32m";
    case Color::warn:
        return "\033[33m";
    case Color::bad:
        return "\033[31m";
    case Color::none:
        break;
    }
    return "";
}

/** Is it a control character? Those of C1 are two bytes in UTF-8. */
bool is_control(unsigned char before, unsigned char c)
{
    return c < ' ' || c == 0x7f || (before == 0xc2 && c >= 0x80 && c < 0xa0);
}

/**
 * Prints text without control characters: names come from netdevs and programs, and terminals would
 * obey them.
 */
void print_clean(std::ostream &out, const std::string &text)
{
    unsigned char before = 0;
    size_t from = 0;

    for (size_t i = 0; i < text.size(); i++) {
        const auto now = static_cast<unsigned char>(text[i]);

        if (is_control(before, now)) {
            out.write(text.data() + from, static_cast<std::streamsize>(i - from)).put('?');
            from = i + 1;
        }
        before = now;
    }
    out.write(text.data() + from, static_cast<std::streamsize>(text.size() - from));
}

std::string dump(const Json &json, int indent)
{
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

} // namespace

Printer::Printer(std::ostream &out, PrintOptions options)
    : out_(out), options_(options), document_(std::make_unique<Document>())
{
}

Printer::~Printer() = default;

void Printer::word(const std::string &text, Color color)
{
    if (!start_of_line_)
        out_ << ' ';
    start_of_line_ = false;
    const bool colored = options_.color && color != Color::none;

    if (colored)
        out_ << escape_of(color);
    print_clean(out_, text);
    if (colored)
        out_ << "\033[0m";
}

void Printer::begin_object()
{
    depth_++;
    if (options_.json)
        document_->open.push_back(Json::object());
    else if (depth_ > 1)
        line();
    else
        start_of_line_ = true;
}

void Printer::end_object()
{
    depth_--;
    if (!options_.json) {
        if (!depth_)
            out_ << '\n';
        if (streaming_)
            out_.flush();
        return;
    }
    Json object = document_->take();

    if (!document_->open.empty())
        document_->open.back().push_back(std::move(object));
    else if (streaming_)
        out_ << dump(object, -1) << std::endl;
    else
        document_->objects.push_back(std::move(object));
}

void Printer::number(const char *key, uint64_t value)
{
    if (options_.json) {
        document_->put(key, value);
        return;
    }
    word(key, Color::none);
    word(std::to_string(value), Color::none);
}

void Printer::text(const char *key, const std::string &value, Color color)
{
    if (options_.json) {
        document_->put(key, value);
        return;
    }
    word(key, Color::none);
    word(value, color);
}

void Printer::bare(const char *key, const std::string &value, Color color)
{
    if (options_.json)
        document_->put(key, value);
    else
        word(value, color);
}

void Printer::on_off(const char *key, bool value)
{
    if (options_.json)
        document_->put(key, value);
    else
        text(key, value ? "on" : "off");
}

void Printer::list(const char *key, const std::vector<std::string> &values)
{
    std::string line;

    for (const std::string &value : values)
        line += (line.empty() ? "" : ",") + value;
    if (options_.json)
        document_->put(key, values);
    else
        text(key, line.empty() ? "-" : line);
}

void Printer::ports(const char *key, uint32_t mask)
{
    std::string line;
    Json numbers = Json::array();

    for (unsigned bit = 0; bit < 32; bit++) {
        if (!(mask >> bit & 1))
            continue;
        numbers.push_back(bit + 1);
        const bool first = bit == 0 || !(mask >> (bit - 1) & 1);
        const bool last = bit == 31 || !(mask >> (bit + 1) & 1);
        if (first)
            line += (line.empty() ? "" : ",") + std::to_string(bit + 1);
        else if (last)
            line += "-" + std::to_string(bit + 1);
    }
    if (options_.json)
        document_->put(key, std::move(numbers));
    else
        text(key, line.empty() ? "-" : line);
}

void Printer::hex(const char *key, uint32_t value, int digits)
{
    std::array<char, 16> number{};

    if (options_.json) {
        document_->put(key, value);
        return;
    }
    snprintf(number.data(), number.size(), "0x%0*x", digits, value);
    text(key, number.data());
}

void Printer::flag(const char *key, bool value, Color color)
{
    if (options_.json)
        document_->put(key, value);
    else if (value)
        word(key, color);
}

void Printer::duration(const char *key, uint64_t ns)
{
    if (options_.json)
        document_->put((std::string(key) + "-ns").c_str(), ns);
    else
        text(key, duration_text(ns));
}

void Printer::bytes(const char *key, uint64_t value)
{
    number(options_.json ? (std::string(key) + "-bytes").c_str() : key, value);
}

void Printer::time(const char *key, uint64_t ns)
{
    if (options_.json)
        document_->put((std::string(key) + "-ns").c_str(), ns);
    else
        text(key, mrcnl::quantity_text(ns, mrcnl::time_units));
}

void Printer::rate(const char *key, uint64_t bytes)
{
    if (options_.json)
        document_->put((std::string(key) + "-bytes-per-second").c_str(), bytes);
    else
        text(key, mrcnl::quantity_text(bytes, mrcnl::rate_units));
}

void Printer::fraction(const char *key, uint64_t value)
{
    if (options_.json)
        document_->put(key, static_cast<double>(value) / mrcnl::millionths);
    else
        text(key, mrcnl::fraction_text(value));
}

void Printer::hidden(const char *key, uint64_t value)
{
    if (options_.json)
        document_->put(key, value);
}

void Printer::hidden(const char *key, const std::string &value)
{
    if (options_.json)
        document_->put(key, value);
}

void Printer::hidden_decimal(const char *key, double value)
{
    if (options_.json)
        document_->put(key, std::round(value * 1000) / 1000);
}

bool Printer::members(const std::string &json)
{
    const Json object = Json::parse(json, nullptr, false);

    if (!object.is_object())
        return false;
    for (const auto &[key, value] : object.items())
        if (options_.json)
            document_->put(key.c_str(), value);
    return true;
}

void Printer::plain(const std::string &text, Color color)
{
    if (!options_.json)
        word(text, color);
}

void Printer::line()
{
    if (options_.json)
        return;
    out_ << (options_.one_line ? "\\   " : "\n   ");
    start_of_line_ = false;
}

void Printer::enter(const char *key)
{
    if (options_.json)
        document_->enter(key, Json::object());
    else
        line();
}

void Printer::leave()
{
    if (options_.json)
        document_->leave();
}

void Printer::begin_list(const char *key)
{
    if (options_.json)
        document_->enter(key, Json::array());
}

void Printer::end_list()
{
    leave();
}

void Printer::finish()
{
    const bool streamed = std::exchange(streaming_, false);

    if (!options_.json || streamed)
        return;
    out_ << dump(document_->objects, options_.pretty ? 4 : -1) << '\n';
    document_->objects = Json::array();
}

} // namespace mrcctl
