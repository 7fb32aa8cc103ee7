// SPDX-License-Identifier: GPL-2.0-only
#include "command.h"

#include <algorithm>
#include <cerrno>
#include <istream>
#include <sstream>

#include "alias.h"

namespace mrcctl
{

namespace
{

constexpr const Object *objects[] = {
    &device_object,  &plane_object,  &ev_profile_object, &ev_object,  &cc_profile_object,
    &route_object,   &peer_object,   &probe_object,      &qp_object,  &monitor_object,
    &feature_object, &health_object, &daemon_object,     &top_object,
};

constexpr const char usage[] =
    "Usage: mrcctl [ OPTIONS ] OBJECT { COMMAND | help }\n"
    "       mrcctl [ OPTIONS ] -b FILE\n"
    "OBJECT := { device | plane | ev-profile | ev | cc-profile | route | peer |\n"
    "            probe | qp | monitor | feature | health | daemon | top }\n"
    "OPTIONS := { -j[son] | -p[retty] | -s[tatistics] | -d[etails] | -o[neline] |\n"
    "             -t[imeless] | -N[umeric] | -c[olor][={always|auto|never}] |\n"
    "             -n[etns] NAME | -V[ersion] | -h[elp] }\n";

/** Takes the command of an object. */
const Command &take_command(const Object &object, Args &args)
{
    std::vector<const char *> names;

    if (args.empty() || !object.commands.front().name)
        return object.commands.front();
    for (const Command &command : object.commands)
        names.push_back(command.name);
    return object.commands[args.take_word(names, "command")];
}

const Object &take_object(Args &args)
{
    std::vector<const char *> names;

    for (const Object *object : objects)
        names.push_back(object->name);
    return *objects[args.take_word(names, "object")];
}

bool is_help(const Args &args)
{
    return !args.empty() && args.peek() == "help";
}

/** Runs a function, and puts @p where in front of its error messages. */
template <typename Run>
void at(const std::string &where, Run run)
{
    try {
        run();
    } catch (const UsageError &e) {
        throw UsageError(where + ": " + e.what());
    } catch (const Failure &e) {
        throw Failure(where + ": " + e.what());
    }
}

void run_object(Context &context, const Object &object, Args &args)
{
    const Command *command = nullptr;

    if (is_help(args)) {
        context.out << object.help;
        return;
    }
    at(object.name, [&] { command = &take_command(object, args); });
    if (is_help(args)) {
        context.out << object.help;
        return;
    }
    std::string where = object.name;
    if (command->name)
        where += std::string(" ") + command->name;
    at(where, [&] { command->run(context, args); });
    context.printer.finish();
}

} // namespace

const Told &Context::told(const std::string &device)
{
    constexpr uint64_t fresh = 10'000'000'000; // ns
    const uint64_t time = now();
    const auto [at, first] = told_.try_emplace(device);
    auto &[when, told] = at->second;

    if (!first && time - when < fresh)
        return told;
    const auto answer = daemon(device, "names");
    when = time;
    told = {answer || answer.error().code != ECONNREFUSED,
            answer ? Names::parse(*answer) : std::nullopt};
    return told;
}

const Names &Context::names(const std::string &device)
{
    static const Names none;

    if (printer.options().numeric)
        return none;
    const Told &said = told(device);
    return said.names ? *said.names : none;
}

mrcnl::Kernel &Context::kernel()
{
    if (!kernel_)
        kernel_ = value_of(open_());
    return *kernel_;
}

void run_words(Context &context, std::vector<std::string> words)
{
    Args args(std::move(words));

    if (args.empty() || is_help(args)) {
        context.out << usage;
        return;
    }
    run_object(context, take_object(args), args);
}

void run_batch(Context &context, std::istream &in, const std::string &name)
{
    std::string line;

    for (unsigned number = 1; !told_to_stop() && std::getline(in, line); number++) {
        std::istringstream parts(line.substr(0, line.find('#')));
        std::vector<std::string> words;

        for (std::string word; parts >> word;)
            words.push_back(word);
        if (!words.empty())
            at(name + ":" + std::to_string(number), [&] { run_words(context, words); });
    }
}

namespace
{

/** Asks each mrcd for a name, until one knows it. @param find looks it up in Names */
template <typename Find>
auto ask_for(Context &context, const std::optional<std::string> &device, Find find)
    -> decltype(find(Names()))
{
    std::vector<std::string> devices;

    if (device)
        devices.push_back(*device);
    else
        for (const mrcnl::Device &one : value_of(context.kernel().devices()))
            devices.push_back(one.device.name);
    for (const std::string &one : devices)
        if (const Told &told = context.told(one); told.names)
            if (const auto found = find(*told.names))
                return found;
    return std::nullopt;
}

} // namespace

void require(Context &context, uint32_t capability, const char *what)
{
    const mrcnl::Info module = value_of(context.kernel().info());

    if (!(module.capabilities & capability))
        throw Failure("the module, version " + module.version + ", does not support " + what);
}

uint64_t take_ev_profile(Context &context, const std::optional<std::string> &device, Args &args)
{
    if (args.empty() || starts_with_digit(args.peek()))
        return args.take_number("ev-profile", 0, UINT64_MAX);
    const std::string name = args.take("ev-profile");
    auto id = ev_profile_of_alias(context, device, name);
    if (!id)
        id =
            ask_for(context, device, [&](const Names &names) { return names.ev_profile_of(name); });
    if (!id)
        throw UsageError("ev-profile: '" + name +
                         "' is not a number, an alias, or a name that mrcd knows");
    return *id;
}

mrcnl::Address take_remote(Context &context, const std::optional<std::string> &device, Args &args)
{
    if (args.empty() || args.peek().find(':') != std::string::npos)
        return args.take_address("remote");
    const std::string name = args.take("remote");
    const auto gid =
        ask_for(context, device, [&](const Names &names) { return names.gid_of(name); });
    if (!gid)
        throw UsageError("remote: '" + name +
                         "' is neither an IPv6 address nor a host that mrcd knows");
    return *gid;
}

std::optional<std::string> optional_device(Args &args, std::span<const char *const> keywords)
{
    if (args.empty() || std::find(keywords.begin(), keywords.end(), args.peek()) != keywords.end())
        return std::nullopt;
    return args.take("device");
}

} // namespace mrcctl
