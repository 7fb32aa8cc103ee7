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

/** What commands work with. */
class Context
{
public:
    using OpenKernel = std::function<mrcnl::Result<std::unique_ptr<mrcnl::Kernel>>()>;

    Context(std::ostream &out, PrintOptions options, OpenKernel open)
        : out(out), printer(out, options), open_(std::move(open))
    {
    }

    /** The kernel, connected to at the first call. @throw Failure */
    mrcnl::Kernel &kernel();

    std::ostream &out;
    Printer printer;
    /** Asks the mrcd of a device, see mrcnl::ask_daemon(). */
    std::function<mrcnl::Result<std::string>(const std::string &device, const std::string &request)>
        daemon = mrcnl::ask_daemon;
    /** The devices that some mrcd looks after, see mrcnl::watched_devices(). */
    std::function<std::vector<std::string>()> watched = [] { return mrcnl::watched_devices(); };
    /** Of the program, when no command fails. */
    int exit_status = 0;
    /** ns of CLOCK_MONOTONIC */
    std::function<uint64_t()> now = [] { return clock_ns(CLOCK_MONOTONIC); };
    /** ns of CLOCK_REALTIME */
    std::function<uint64_t()> wall = [] { return clock_ns(CLOCK_REALTIME); };
    /** What the mrcd of a device says; asked for again when it is some seconds old. */
    const Told &told(const std::string &device);
    /** Its names for what people would see as numbers; none where numbers are wanted. */
    const Names &names(const std::string &device);
    /** names(), for who prints. */
    NamesOf names_of()
    {
        return [this](const std::string &device) -> const Names & { return names(device); };
    }
    /** Tells what the operator should know about a command that was done. */
    std::function<void(const std::string &)> warn = [](const std::string &text) {
        std::cerr << "mrcctl: " + text + '\n';
    };

    /** Now, by both clocks. */
    [[nodiscard]] Moment moment() const { return {now(), wall()}; }
    /** Waits for so many ns; false: told to end. */
    std::function<bool(uint64_t)> wait = wait_for;
    /** Waits until a descriptor can be read from; false: told to end. */
    std::function<bool(int)> readable = wait_readable;
    /** Where features are looked for. */
    std::function<FeatureHost()> host = this_host;
    /** The terminal that out goes to, if it is one. */
    std::function<std::optional<Window>()> window = [] { return std::optional<Window>(); };

private:
    OpenKernel open_;
    /** By device; when: ns of CLOCK_MONOTONIC. */
    std::map<std::string, std::pair<uint64_t, Told>> told_;
    std::unique_ptr<mrcnl::Kernel> kernel_;
};

struct Command {
    const char *name; ///< nullptr: the object's only one, its arguments follow at once
    void (*run)(Context &context, Args &args);
};

/** A noun. Its first command is meant when none is given. */
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
 * @throw UsageError, Failure with the object and command in front of the message
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
 * Ask before something is sent that older modules do not know.
 *
 * @param capability MRC_NL_CAPABILITY_*
 * @param what the module knows none of
 * @throw Failure it does not
 */
void require(Context &context, uint32_t capability, const char *what);

/**
 * An EV profile: its number, its alias, or the name that mrcd has for it.
 *
 * @param device where, and whose mrcd is asked; none: those of all devices
 */
uint64_t take_ev_profile(Context &context, const std::optional<std::string> &device, Args &args);

/** A remote GID: an address, or the name of a host, as take_ev_profile(). */
mrcnl::Address take_remote(Context &context, const std::optional<std::string> &device, Args &args);

/** The name of a device, if there is one more word and it is none of @p keywords. */
std::optional<std::string> optional_device(Args &args, std::span<const char *const> keywords = {});

} // namespace mrcctl
