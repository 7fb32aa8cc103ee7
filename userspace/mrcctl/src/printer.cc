// SPDX-License-Identifier: GPL-2.0-only
#include "printer.h"

namespace mrcctl
{

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

/** Names come from netdevs and programs: no control characters to the terminal. */
std::string printable(const std::string &text)
{
    std::string clean = text;

    for (char &c : clean)
        if (static_cast<unsigned char>(c) < ' ' || c == '\177')
            c = '?';
    return clean;
}

} // namespace

void Printer::put(const char *key, Json value)
{
    here()[key] = std::move(value);
}

void Printer::word(const std::string &text, Color color)
{
    if (!start_of_line_)
        out_ << ' ';
    start_of_line_ = false;
    if (options_.color && color != Color::none)
        out_ << escape_of(color) << printable(text) << "\033[0m";
    else
        out_ << printable(text);
}

void Printer::begin_object()
{
    depth_++;
    if (options_.json)
        stack_.push_back(Json::object());
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
    Json object = std::move(stack_.back());

    stack_.pop_back();
    if (!stack_.empty())
        here().push_back(std::move(object));
    else if (streaming_)
        out_ << object.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
    else
        document_.push_back(std::move(object));
}

void Printer::number(const char *key, uint64_t value)
{
    if (options_.json) {
        put(key, value);
        return;
    }
    word(key, Color::none);
    word(std::to_string(value), Color::none);
}

void Printer::text(const char *key, const std::string &value, Color color)
{
    if (options_.json) {
        put(key, value);
        return;
    }
    word(key, Color::none);
    word(value, color);
}

void Printer::bare(const char *key, const std::string &value, Color color)
{
    if (options_.json)
        put(key, value);
    else
        word(value, color);
}

void Printer::on_off(const char *key, bool value)
{
    if (options_.json)
        put(key, value);
    else
        text(key, value ? "on" : "off");
}

void Printer::flag(const char *key, bool value, Color color)
{
    if (options_.json)
        put(key, value);
    else if (value)
        word(key, color);
}

void Printer::hidden(const char *key, Json value)
{
    if (options_.json)
        put(key, std::move(value));
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
    out_ << "\n   ";
    start_of_line_ = false;
}

void Printer::enter(const char *key)
{
    if (options_.json) {
        keys_.emplace_back(key);
        stack_.push_back(Json::object());
        return;
    }
    line();
}

void Printer::leave()
{
    if (!options_.json)
        return;
    Json inner = std::move(stack_.back());

    stack_.pop_back();
    put(keys_.back().c_str(), std::move(inner));
    keys_.pop_back();
}

void Printer::begin_list(const char *key)
{
    if (!options_.json)
        return;
    keys_.emplace_back(key);
    stack_.push_back(Json::array());
}

void Printer::end_list()
{
    leave();
}

void Printer::finish()
{
    if (!options_.json || streaming_)
        return;
    out_ << document_.dump(options_.pretty ? 4 : -1, ' ', false, Json::error_handler_t::replace)
         << '\n';
    document_ = Json::array();
}

} // namespace mrcctl
