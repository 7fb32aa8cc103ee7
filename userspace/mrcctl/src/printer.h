// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * One layer that prints both text and JSON, so that they always agree. JSON keys are the attribute
 * names of the netlink specification, followed by the unit if there is one: -ns, -bytes,
 * -bytes-per-second.
 */
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace mrcctl
{

enum class Color { none, name, good, warn, bad };

struct PrintOptions {
    bool json = false;
    bool pretty = false;
    bool color = false;
    bool statistics = false;
    bool details = false;
    bool times = true;     ///< show times of events
    bool numeric = false;  ///< no names for numbers
    bool one_line = false; ///< print each object of text on one line
};

/**
 * Prints objects: in text one paragraph each, "key value key value"; in JSON an array.
 *
 * Objects stand between begin_object() and end_object(); finish() ends the document.
 */
class Printer
{
public:
    Printer(std::ostream &out, PrintOptions options);
    ~Printer();

    [[nodiscard]] const PrintOptions &options() const { return options_; }

    void begin_object();
    void end_object();

    /** "key value" */
    void number(const char *key, uint64_t value);
    void text(const char *key, const std::string &value, Color color = Color::none);
    /** Text: the value alone */
    void bare(const char *key, const std::string &value, Color color = Color::none);
    /** "key on" or "key off"; JSON: true or false */
    void on_off(const char *key, bool value);
    /** The key alone, when true; JSON: true or false */
    void flag(const char *key, bool value, Color color = Color::none);
    /** "key a,b,c" */
    void list(const char *key, const std::vector<std::string> &values);
    /** The set bits of a mask, counted from 1. "key 1-3,5" or "key -"; JSON: a list of numbers */
    void ports(const char *key, uint32_t mask);
    /** "key 0x...", with this number of digits; JSON: a number */
    void hex(const char *key, uint32_t value, int digits = 8);
    /** "key 1.2 ms"; JSON: "key-ns", a number */
    void duration(const char *key, uint64_t ns);
    /** "key value"; JSON: "key-bytes" */
    void bytes(const char *key, uint64_t value);
    /** "key 12us", exactly; JSON: "key-ns" */
    void time(const char *key, uint64_t ns);
    /** "key 400gbit", exactly; JSON: "key-bytes-per-second" */
    void rate(const char *key, uint64_t bytes);
    /** "key 0.8"; JSON: a number */
    void fraction(const char *key, uint64_t millionths);
    /** JSON only. */
    void hidden(const char *key, uint64_t value);
    void hidden(const char *key, const std::string &value);
    /** JSON only, rounded to thousandths. */
    void hidden_decimal(const char *key, double value);
    /** JSON only: copies the members of a JSON object. @return false: @p json is no object */
    bool members(const std::string &json);
    /** Text only. */
    void plain(const std::string &text, Color color = Color::none);

    /** Continue on an indented line. Text only. */
    void line();

    /** JSON: what follows goes into an object at @p key, until leave(). Text: a new line. */
    void enter(const char *key);
    void leave();

    /** JSON: the objects that follow go into a list at @p key. Text: nothing. */
    void begin_list(const char *key);
    void end_list();

    /** Ends the document. */
    void finish();

    /** Until finish(), prints each object at once on a line of its own (JSON lines). */
    void set_streaming() { streaming_ = true; }

private:
    /** The JSON under construction. */
    struct Document;

    void word(const std::string &text, Color color);

    std::ostream &out_;
    PrintOptions options_;
    std::unique_ptr<Document> document_;
    unsigned depth_ = 0;
    bool start_of_line_ = true;
    bool streaming_ = false;
};

} // namespace mrcctl
