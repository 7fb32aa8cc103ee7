// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * One printing layer for text and JSON, so that they cannot drift apart. JSON
 * keys are the attribute names of the netlink specification.
 */
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace mrcctl
{

enum class Color { none, name, good, warn, bad };

struct PrintOptions {
    bool json = false;
    bool pretty = false;
    bool color = false;
    bool statistics = false;
    bool details = false;
};

/**
 * Prints objects: in text one paragraph each, "key value key value"; in JSON an array.
 *
 * Objects stand between begin_object() and end_object(); finish() ends the document.
 */
class Printer
{
  public:
    using Json = nlohmann::ordered_json;

    Printer(std::ostream &out, PrintOptions options) : out_(out), options_(options) {}

    const PrintOptions &options() const { return options_; }

    void begin_object();
    void end_object();

    /** "key value" */
    void number(const char *key, uint64_t value);
    void text(const char *key, const std::string &value, Color color = Color::none);
    /** The value alone */
    void bare(const char *key, const std::string &value, Color color = Color::none);
    /** "key on" or "key off"; JSON: true or false */
    void on_off(const char *key, bool value);
    /** The key alone, when true; JSON: true or false */
    void flag(const char *key, bool value, Color color = Color::none);
    /** "key a,b,c" */
    template <typename T>
    void list(const char *key, const std::vector<T> &values);
    /** JSON only. */
    void hidden(const char *key, Json value);
    /** Text only. */
    void plain(const std::string &text, Color color = Color::none);

    /** Continue on an indented line. Text only. */
    void line();

    /** JSON: what follows is inside @p key, until leave(). Text: on a line of its own. */
    void enter(const char *key);
    void leave();

    /** JSON: what follows are objects in a list at @p key. Text: nothing. */
    void begin_list(const char *key);
    void end_list();

    /** Ends the document. */
    void finish();

    /** Prints an object at once, on a line of its own (JSON lines). For monitors. */
    void set_streaming() { streaming_ = true; }

  private:
    void word(const std::string &text, Color color);
    Json &here() { return stack_.back(); }
    void put(const char *key, Json value);

    std::ostream &out_;
    PrintOptions options_;
    Json document_ = Json::array();
    std::vector<Json> stack_;
    std::vector<std::string> keys_;
    unsigned depth_ = 0;
    bool start_of_line_ = true;
    bool streaming_ = false;
};

template <typename T>
void Printer::list(const char *key, const std::vector<T> &values)
{
    if (options_.json) {
        put(key, Json(values));
        return;
    }
    std::string line;
    for (const T &value : values) {
        line += line.empty() ? "" : ",";
        if constexpr (std::is_arithmetic_v<T>)
            line += std::to_string(value);
        else
            line += value;
    }
    text(key, line.empty() ? "-" : line);
}

} // namespace mrcctl
