// SPDX-License-Identifier: GPL-2.0-only
/** @file A daemon on the model kernel, whose file is a string. */
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "daemon.h"
#include "fabrics.h"
#include "model_kernel.h"

namespace mrcd::test
{

class LogLines : public Log
{
public:
    std::vector<std::string> lines;
    std::map<std::string, std::string> fields; ///< of the last line with fields

    void write(Level, const std::string &text) override
    {
        const std::lock_guard guard(mutex_);
        lines.push_back(text);
    }
    void record(Level, const std::string &text, const Fields &found) override
    {
        const std::lock_guard guard(mutex_);
        lines.push_back(text);
        fields = {found.begin(), found.end()};
        EXPECT_EQ(fields.size(), found.size()) << "each once";
    }
    /** The lines since the last call. */
    std::vector<std::string> take() { return std::exchange(lines, {}); }

private:
    std::mutex mutex_; ///< passes write in another thread
};

struct DaemonRig {
    Model model;
    LogLines log;
    std::string text = small_file;
    int read_error = 0;
    std::atomic<int> reads = 0;
    int opens = 0;
    Daemon daemon{[this] { return open(); }, model.system, "f",
                  [this] { return read(); }, "nobody",     log};

    Result<std::shared_ptr<Kernel>> open()
    {
        opens++;
        if (!model.kernel.loaded)
            return Error{ENOENT, "", ""};
        return std::shared_ptr<Kernel>(std::shared_ptr<Kernel>(), &model.kernel);
    }

    Result<std::string> read()
    {
        reads++;
        if (read_error)
            return Error{read_error, "", ""};
        return text;
    }

    /** Loads the file, and runs passes until nothing is left to do. */
    void settle()
    {
        daemon.load();
        for (int i = 0; i < 3; i++)
            daemon.work();
        log.take();
    }
};

} // namespace mrcd::test
