// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Objects and their commands.
 */
#pragma once

#include <functional>
#include <iostream>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "mrcnl/daemon.h"
#include "mrcnl/kernel.h"

#include "args.h"
#include "clock.h"
#include "feature.h"
#include "names.h"
#include "printer.h"
#include "stop.h"
#include "terminal.h"

namespace mrcctl
{

/** All that commands need. */
class Context
{
public:
    using OpenKernel = std::function<mrcnl::Result<std::unique_ptr<mrcnl::Kernel>>()>;

    Context(std::ostream &out, PrintOptions options, OpenKernel open)
        : out(out), printer(out, options), open_(std::move(open))
    {
    }

    /** The kernel. The first call connects to it. @throw Failure */
    mrcnl::Kernel &kernel();

    std::ostream &out;
    Printer printer;
    /** Asks the mrcd of a device, see mrcnl::ask_daemon(). */
    std::function<mrcnl::Result<std::string>(const std::string &device, const std::string &request)>
        daemon = mrcnl::ask_daemon;
    /** The devices that have an mrcd, see mrcnl::watched_devices(). */
    std::function<std::vector<std::string>()> watched = [] { return mrcnl::watched_devices(); };
    /** Exit status of the program if no command fails. */
    int exit_status = 0;
    /** ns of CLOCK_MONOTONIC */
    std::function<uint64_t()> now = [] { return clock_ns(CLOCK_MONOTONIC); };
    /** ns of CLOCK_REALTIME */
    std::function<uint64_t()> wall = [] { return clock_ns(CLOCK_REALTIME); };
    /** What the mrcd of a device says; asked for again after some seconds. */
    const Told &told(const std::string &device);
    /**
     * The names that mrcd has for numbers and addresses of a device; none if numbers are wanted.
     */
    const Names &names(const std::string &device);
    /** names() as a function, for printing. */
    NamesOf names_of()
    {
        return [this](const std::string &device) -> const Names & { return names(device); };
    }
    /** Warns the operator about a command that was done. */
    std::function<void(const std::string &)> warn = [](const std::string &text) {
        std::cerr << "mrcctl: " + text + '\n';
    };

    /** Now, by both clocks. */
    [[nodiscard]] Moment moment() const { return {now(), wall()}; }
    /** Waits for a number of ns. @return false: mrcctl must end */
    std::function<bool(uint64_t)> wait = wait_for;
    /** Waits until a descriptor can be read from. @return false: mrcctl must end */
    std::function<bool(int)> readable = wait_readable;
    /** The host whose features are shown. */
    std::function<FeatureHost()> host = this_host;
    /** The window of the terminal, if out is one. */
    std::function<std::optional<Window>()> window = [] { return std::optional<Window>(); };

private:
    OpenKernel open_;
    /** By device, with the time of the answer, ns of CLOCK_MONOTONIC. */
    std::map<std::string, std::pair<uint64_t, Told>> told_;
    std::unique_ptr<mrcnl::Kernel> kernel_;
};

struct Command {
    const char *name; ///< nullptr: the only command of its object, without a name
    void (*run)(Context &context, Args &args);
};

/** An object on the command line. Without a command, its first one is run. */
struct Object {
    const char *name;
    const char *help;
    std::span<const Command> commands;
};

extern const Object device_object;
extern const Object plane_object;
extern const Object ev_profile_object;
extern const Object ev_object;
extern const Object cc_profile_object;
extern const Object route_object;
extern const Object peer_object;
extern const Object probe_object;
extern const Object qp_object;
extern const Object monitor_object;
extern const Object feature_object;
extern const Object health_object;
extern const Object daemon_object;
extern const Object top_object;

/**
 * Run one command line.
 *
 * @param words object, command, arguments
 * @throw UsageError, Failure the message begins with the object and command
 */
void run_words(Context &context, std::vector<std::string> words);

/**
 * Run the lines of a batch file; the first error ends it.
 *
 * @param name of the file, for messages
 */
void run_batch(Context &context, std::istream &in, const std::string &name);

/** The value of a result. @throw Failure with the kernel's reason */
template <typename T>
T value_of(mrcnl::Result<T> result)
{
    if (!result)
        throw Failure(result.error().message());
    return std::move(*result);
}

inline void value_of(const mrcnl::Result<void> &result)
{
    if (!result)
        throw Failure(result.error().message());
}

/**
 * Check that the module supports something that older modules do not.
 *
 * @param capability MRC_NL_CAPABILITY_*
 * @param what name of it in the error
 * @throw Failure the module does not support it
 */
void require(Context &context, uint32_t capability, const char *what);

/**
 * Takes an EV profile: its number, its alias, or the name that mrcd has for it.
 *
 * @param device where to look, and whose mrcd is asked; empty: all devices
 */
uint64_t take_ev_profile(Context &context, const std::optional<std::string> &device, Args &args);

/** Takes a remote GID: an address, or the name of a host. @param device as in take_ev_profile() */
mrcnl::Address take_remote(Context &context, const std::optional<std::string> &device, Args &args);

/** Takes the name of a device, if there is another word and it is none of @p keywords. */
std::optional<std::string> optional_device(Args &args, std::span<const char *const> keywords = {});

} // namespace mrcctl
