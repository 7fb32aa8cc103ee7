// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The daemon's log.
 */
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace mrcd
{

/** Priorities of syslog(3). */
enum class Level { error = 3, warning = 4, notice = 5, info = 6 };

class Log
{
public:
    using Fields = std::vector<std::pair<std::string, std::string>>;

    virtual ~Log() = default;
    virtual void write(Level level, const std::string &text) = 0;

    /** Also adds fields by which the entry can be found: "ELEMENT", "p1t1s1". */
    virtual void record(Level level, const std::string &text, const Fields &)
    {
        write(level, text);
    }
};

/** Logs to standard error, with the level in front if the journal reads it (sd-daemon(3)). */
class StandardLog : public Log
{
public:
    StandardLog();
    void write(Level level, const std::string &text) override;
    /** In the journal, the fields are called MRC_ELEMENT and so on. */
    void record(Level level, const std::string &text, const Fields &fields) override;

private:
    bool journal_;
};

} // namespace mrcd
