// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <cerrno>
#include <system_error>

#include "command.h"
#include "ev_spec.h"

namespace mrcctl
{

namespace
{

constexpr const char probe_help[] =
    "Usage: mrcctl probe DEV remote GID [ local GID ] [ ev-profile ID ] [ ev INDEX ]...\n"
    "                    [ timeout MS ]\n"
    "Probes the EVs to a remote GID, all but denied ones unless some are named, and waits for\n"
    "the answers. The remote end answers its peers, and hosts to which it has a route. The\n"
    "default profile is that of the route, or of a peer in use. Fails if no probe was answered.\n"
    "       mrcctl probe DEV raw to GID[,GID]... port N PATH [ format { stev | udp } ]\n"
    "                    [ local GID ] [ count N ] [ dscp N ] [ size BYTES ] [ limit TIME ]\n"
    "PATH := { sid ADDRESS | via ADDRESS | segs ADDRESS[,ADDRESS]... [ reduced ] |\n"
    "          table TABLE | value VALUE }\n"
    "TIME := N{ns|us|ms|s}\n"
    "Raw probes take the given path, whatever EVs and peers there are, and change no EV's state.\n";

constexpr uint64_t max_timeout = 10000;
constexpr uint64_t max_count = 256;
constexpr uint64_t max_dscp = 63;
constexpr uint64_t max_limit = 10'000'000'000;

mrcnl::ProbeRequest take_request(Context &context, const std::string &device, Args &args)
{
    static constexpr const char *words[] = {"local", "ev-profile", "ev", "timeout"};
    mrcnl::ProbeRequest request;

    args.expect("remote");
    request.remote_gid = take_remote(context, device, args);
    while (!args.empty()) {
        switch (args.take_word(words, "keyword")) {
        case 0:
            request.local_gid = args.take_address("local");
            break;
        case 1:
            request.ev_profile = take_ev_profile(context, device, args);
            break;
        case 2:
            request.evs.push_back(static_cast<uint16_t>(args.take_number("ev", 0, UINT16_MAX)));
            break;
        default:
            request.timeout = static_cast<uint32_t>(args.take_number("timeout", 1, max_timeout));
        }
    }
    return request;
}

/** Takes destinations: each is an address, or the name of a host. */
std::vector<mrcnl::Address> take_destinations(Context &context, const std::string &device,
                                              Args &args)
{
    std::vector<mrcnl::Address> gids;

    for (const std::string &text : split(args.take("to"), ',')) {
        Args one({text});

        gids.push_back(take_remote(context, device, one));
    }
    return gids;
}

mrcnl::RawProbeRequest take_raw_request(Context &context, const std::string &device, Args &args)
{
    static constexpr const char *words[] = {"format", "local", "count", "dscp", "size", "limit"};
    std::optional<mrcnl::EvFormat> format;
    mrcnl::RawProbeRequest request;

    args.expect("to");
    request.to = take_destinations(context, device, args);
    args.expect("port");
    request.ev = take_ev_way(args);
    while (!args.empty()) {
        switch (args.take_word(words, "keyword")) {
        case 0:
            format = take_ev_format(args);
            break;
        case 1:
            request.local_gid = args.take_address("local");
            break;
        case 2:
            request.count = static_cast<uint16_t>(args.take_number("count", 1, max_count));
            break;
        case 3:
            request.dscp = static_cast<uint8_t>(args.take_number("dscp", 0, max_dscp));
            break;
        case 4:
            request.size = static_cast<uint16_t>(args.take_number("size", 1, UINT16_MAX));
            break;
        default:
            request.limit = args.take_time("limit", 1, max_limit);
        }
    }
    request.format = format.value_or(guess_ev_format(request.ev));
    return request;
}

/** The reason behind an error number of the module. */
std::string why_not_sent(int error)
{
    switch (error) {
    case ENETUNREACH:
        return "no route leads out of the plane's netdev";
    case ENETDOWN:
        return "the plane is down";
    case EACCES:
        return "an IPsec policy covers the path";
    case EBUSY:
        return "too many probes: the probe was not sent within a second";
    case EMSGSIZE:
        return "the probe is longer than the MTU of its route";
    default:
        return std::generic_category().message(error);
    }
}

/** @param names of the destinations of raw probes; nullptr: no raw probe */
void print_result(Printer &p, const mrcnl::ProbeResult &result, const Names *names)
{
    p.begin_object();
    if (names)
        print_remote(p, *names, result.remote_gid);
    p.number("index", result.index);
    p.number("port", result.port);
    if (result.error) {
        const std::string why = why_not_sent(static_cast<int>(result.error));

        p.hidden("error", why);
        p.plain("not sent: " + why, Color::bad);
    } else if (result.rtt) {
        p.duration("rtt", *result.rtt);
        if (result.rx_port)
            p.number("rx-port", result.rx_port);
    } else {
        p.plain("unanswered", Color::bad);
    }
    p.end_object();
}

/** Round-trip times of the answered probes, ascending. */
std::vector<uint64_t> answers(const mrcnl::Probe &probe)
{
    std::vector<uint64_t> rtts;

    for (const mrcnl::ProbeResult &result : probe.results)
        if (result.rtt)
            rtts.push_back(*result.rtt);
    std::sort(rtts.begin(), rtts.end());
    return rtts;
}

uint64_t median(const std::vector<uint64_t> &sorted)
{
    const size_t half = sorted.size() / 2;

    if (sorted.size() % 2)
        return sorted[half];
    return sorted[half - 1] + (sorted[half] - sorted[half - 1]) / 2;
}

/** Prints a summary. Text only: JSON has all its data. */
void print_summary(Printer &p, const std::vector<uint64_t> &rtts, size_t asked)
{
    p.line();
    p.plain("answered " + std::to_string(rtts.size()) + "/" + std::to_string(asked));
    if (!rtts.empty())
        p.plain("rtt min " + duration_text(rtts.front()) + " median " +
                duration_text(median(rtts)) + " max " + duration_text(rtts.back()));
}

/** @param raw the probes were raw probes, which have no common remote GID or profile */
void print_probe(Context &context, const mrcnl::Probe &probe, bool raw)
{
    const std::vector<uint64_t> rtts = answers(probe);
    Printer &p = context.printer;

    p.begin_object();
    p.hidden("dev-index", probe.device.index);
    p.bare("dev-name", probe.device.name, Color::name);
    const Names &names = context.names(probe.device.name);
    if (!raw)
        print_remote(p, names, probe.key.remote_gid);
    p.text("local-gid", probe.key.local_gid.text());
    if (!raw)
        print_ev_profile(p, names, probe.key.ev_profile);
    p.begin_list("result");
    for (const mrcnl::ProbeResult &result : probe.results)
        print_result(p, result, raw ? &names : nullptr);
    p.end_list();
    print_summary(p, rtts, probe.results.size());
    p.end_object();
    if (!rtts.empty())
        return;
    // The results are printed nevertheless.
    p.finish();
    throw Failure("no probe was answered");
}

void run_probe(Context &context, Args &args)
{
    const std::string device = args.take("device");

    // "r" is an abbreviation of "remote", as it was before "raw" existed.
    if (!args.empty() && args.peek().starts_with("ra") && args.accept("raw")) {
        const mrcnl::RawProbeRequest request = take_raw_request(context, device, args);

        print_probe(context, value_of(context.kernel().probe_raw(device, request)), true);
    } else {
        const mrcnl::ProbeRequest request = take_request(context, device, args);

        print_probe(context, value_of(context.kernel().probe(device, request)), false);
    }
}

constexpr Command probe_commands[] = {{nullptr, run_probe}};

} // namespace

const Object probe_object{"probe", probe_help, probe_commands};

} // namespace mrcctl
