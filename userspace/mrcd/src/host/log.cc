// SPDX-License-Identifier: GPL-2.0-only
#include "host/log.h"

#include <cstdlib>
#include <iostream>

#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

namespace mrcd
{

namespace
{

/**
 * Is standard error the journal? The variable alone does not prove it: a service passes the
 * variable on to programs that it starts.
 */
bool is_journal()
{
    const char *stream = getenv("JOURNAL_STREAM");
    struct stat now {
    };

    return stream && !fstat(STDERR_FILENO, &now) &&
           stream == std::to_string(now.st_dev) + ":" + std::to_string(now.st_ino);
}

} // namespace

StandardLog::StandardLog() : journal_(is_journal()) {}

/** Writes a line in one piece, even if other threads write at the same time. */
void StandardLog::write(Level level, const std::string &text)
{
    const std::string head =
        journal_ ? "<" + std::to_string(static_cast<int>(level)) + ">" : "mrcd: ";

    std::cerr << head + text + '\n' << std::flush;
}

void StandardLog::record(Level level, const std::string &text, const Fields &fields)
{
    std::vector<std::string> lines = {"MESSAGE=" + text,
                                      "PRIORITY=" + std::to_string(static_cast<int>(level)),
                                      "SYSLOG_IDENTIFIER=mrcd"};
    std::vector<iovec> all;

    for (const auto &[name, value] : fields)
        lines.push_back("MRC_" + name + "=" + value);
    for (std::string &line : lines)
        all.push_back({line.data(), line.size()});
    if (!journal_ || sd_journal_sendv(all.data(), static_cast<int>(all.size())))
        write(level, text);
}

} // namespace mrcd
