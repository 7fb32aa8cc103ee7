// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <cerrno>
#include <iterator>
#include <sstream>

#include "activity.h"
#include "command.h"
#include "snapshot.h"
#include "terminal.h"
#include "top_view.h"

namespace mrcctl
{

namespace
{

constexpr const char top_help[] =
    "Usage: mrcctl top [ DEV ] [ interval SECONDS ] [ count N ] [ sort KEY ]\n"
    "KEY := { traffic | lost | name }\n"
    "Shows what planes, peers and QPs do per second, most traffic first: every second, or every\n"
    "interval, until interrupted, or N times. A terminal shows what fits into its window, in\n"
    "place; with -j, each time is a JSON object in a line of its own. EVs: good/all.\n";

constexpr const char *keywords[] = {"interval", "count", "sort"};
constexpr double min_interval = 0.1;
constexpr double max_interval = 86400;

struct Request {
    std::optional<std::string> device;
    uint64_t interval = 1'000'000'000; ///< ns
    std::optional<uint64_t> count;
    Sort sort = Sort::traffic;
};

Sort take_sort(Args &args)
{
    static constexpr const char *names[] = {"traffic", "lost", "name"};
    static constexpr Sort keys[] = {Sort::traffic, Sort::lost, Sort::name};

    return keys[args.take_word(names, "sort key")];
}

Request take_request(Args &args)
{
    Request request;

    request.device = optional_device(args, keywords);
    while (!args.empty()) {
        switch (args.take_word(keywords, "keyword")) {
        case 0:
            request.interval = args.take_seconds("interval", min_interval, max_interval);
            break;
        case 1:
            request.count = args.take_number("count", 1, UINT32_MAX);
            break;
        default:
            request.sort = take_sort(args);
        }
    }
    return request;
}

/** Replaces what is on the terminal. */
void draw(Context &context, const Activity &activity)
{
    const auto window = context.window();
    std::ostringstream text;
    Printer p(text, context.printer.options());

    print_activity_text(p, activity, static_cast<int64_t>(context.wall()), window,
                        context.names_of());
    context.out << (window ? redraw(text.str(), *window) : text.str());
}

void show_top(Context &context, const Snapshot &before, const Snapshot &now, Sort key)
{
    Activity activity = activity_between(before, now);

    sort(activity, key);
    if (context.printer.options().json)
        print_activity_json(context.printer, activity, context.wall(), context.names_of());
    else
        draw(context, activity);
    if (!context.out.flush())
        throw Failure("cannot write");
}

/** @return false: the kernel cannot list the objects just now */
bool renew(Context &context, const Request &request, Snapshot &snapshot)
{
    auto now = take_snapshot(context.kernel(), request.device, context.now());

    if (!now && now.error().code == EAGAIN)
        return false;
    snapshot = value_of(std::move(now));
    return true;
}

Snapshot nothing_at(uint64_t time)
{
    Snapshot nothing;

    nothing.time = time;
    return nothing;
}

void run_top(Context &context, Args &args)
{
    const Request request = take_request(args);
    const StopSignals signals;
    uint64_t shown = 0;
    Snapshot before = nothing_at(context.now());
    Snapshot now;

    if (request.device)
        value_of(context.kernel().device(*request.device));
    renew(context, request, before);
    context.printer.set_streaming();
    // Shows something until there are rates.
    if (context.window() && !context.printer.options().json)
        show_top(context, nothing_at(before.time), before, request.sort);
    while (shown != request.count && context.wait(request.interval)) {
        if (!renew(context, request, now))
            continue;
        show_top(context, before, now, request.sort);
        std::swap(before, now);
        shown++;
    }
}

constexpr Command top_commands[] = {{nullptr, run_top}};

} // namespace

const Object top_object{"top", top_help, top_commands};

} // namespace mrcctl
