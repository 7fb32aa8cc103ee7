// SPDX-License-Identifier: GPL-2.0-only
#include "options.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <getopt.h>
#include <infiniband/verbs.h>
#include <map>
#include <stdexcept>
#include <string_view>

namespace traffic
{

namespace
{

constexpr uint64_t max_message = 64u << 20;

constexpr std::string_view usage_text =
    R"(Usage: mrc_traffic server --socket PATH --device DEV [--gid GID] [--stall SECONDS]
       mrc_traffic client --socket PATH --device DEV [--gid GID] [--stall SECONDS] [OPTION]...

Writes between two RDMA devices, and verifies every byte, every immediate and
the memory around them. Prints one line of JSON; exit status 0 only when
everything was right.

  --socket PATH        unix socket over which both ends arrange the run
  --gid GID            auto (first global RoCEv2 IPv6 GID), an index or an address
  --stall SECONDS      fail when nothing moves for so long (60)

The rest is given to the client and obeyed by both ends:
  --qps N              queue pairs (1)
  --iterations N       messages per QP and direction (100); 0: until SIGTERM
  --seconds N          run for so long instead
  --sizes LIST         message sizes in turns, e.g. 0,1,64K,64M (4096)
  --random-sizes A-B   sizes drawn between A and B, all magnitudes alike
  --seed N             of everything that is drawn (1)
  --random-offsets     targets at any address, not aligned
  --sges N             1 to N gather elements, drawn (1; up to 16)
  --imm-every N        each Nth message is a WriteImm, the others are writes (1)
  --sends-every N      one in N of these is a SEND with an immediate instead; 0: none (0)
  --reads-every N      one in N plain writes is read back, and adds to a counter by an
                       atomic; 0: none (0)
  --both               both directions at once
  --inline N           messages up to N bytes are sent inline
  --signal-every N     signalled requests (1)
  --mtu N              256, 512, 1024, 2048 or 4096 (4096)
  --psn N              first PSN (random)
  --timeout N          local ACK timeout as in verbs (14)
  --retry-cnt N        0 to 7 (7)
  --depth N            requests outstanding per QP (64)
  --batch N            requests per post (8)
  --rate N             messages per second and QP
  --window BYTES       target memory per QP (4M)
  --expect-error A,B   each QP must end with one of these statuses, e.g. retry-exceeded,
                       remote-access-error, or a number of enum ibv_wc_status
)";

[[noreturn]] void usage_error(const std::string &why)
{
    std::fprintf(stderr, "mrc_traffic: %s\n%s", why.c_str(), usage_text.data());
    std::exit(2);
}

/** A number with an optional K or M behind it. */
uint64_t parse_number(std::string_view text, uint64_t low, uint64_t high)
{
    uint64_t value = 0;
    const char *end = text.data() + text.size();
    const int base = text.starts_with("0x") ? 16 : 10;
    const size_t skip = base == 16 ? 2 : 0;
    auto [rest, error] = std::from_chars(text.data() + skip, end, value, base);

    if (error == std::errc() && rest + 1 == end && (*rest == 'K' || *rest == 'M')) {
        const int shift = *rest == 'K' ? 10 : 20;
        if (value >> (63 - shift)) {
            throw std::invalid_argument("too large");
        }
        value <<= shift;
        rest++;
    }
    if (error != std::errc() || rest != end || value < low || value > high) {
        throw std::invalid_argument("wants a number from " + std::to_string(low) + " to " +
                                    std::to_string(high) + ", not '" + std::string(text) + "'");
    }
    return value;
}

/** The items between commas, each parsed. */
template <typename Parse>
auto parse_list(std::string_view text, Parse parse)
{
    std::vector<decltype(parse(text))> list;

    while (true) {
        const size_t comma = text.find(',');
        list.push_back(parse(text.substr(0, comma)));
        if (comma == std::string_view::npos) {
            return list;
        }
        text.remove_prefix(comma + 1);
    }
}

uint32_t parse_size(std::string_view text)
{
    return static_cast<uint32_t>(parse_number(text, 0, max_message));
}

void parse_range(std::string_view text, Plan &plan)
{
    const size_t dash = text.find('-');

    if (dash == std::string_view::npos) {
        throw std::invalid_argument("wants LOW-HIGH");
    }
    plan.random_sizes = true;
    plan.size_min = static_cast<uint32_t>(parse_number(text.substr(0, dash), 0, max_message));
    plan.size_max =
        static_cast<uint32_t>(parse_number(text.substr(dash + 1), plan.size_min, max_message));
}

int parse_status(std::string_view text)
{
    static const std::map<std::string_view, int> names = {
        {"local-length-error", IBV_WC_LOC_LEN_ERR},
        {"local-protection-error", IBV_WC_LOC_PROT_ERR},
        {"flushed", IBV_WC_WR_FLUSH_ERR},
        {"remote-invalid-request", IBV_WC_REM_INV_REQ_ERR},
        {"remote-access-error", IBV_WC_REM_ACCESS_ERR},
        {"remote-operation-error", IBV_WC_REM_OP_ERR},
        {"retry-exceeded", IBV_WC_RETRY_EXC_ERR},
    };
    const auto found = names.find(text);

    return found != names.end() ? found->second : static_cast<int>(parse_number(text, 1, 32));
}

uint32_t parse_mtu(std::string_view text)
{
    const auto mtu = static_cast<uint32_t>(parse_number(text, 256, 4096));

    if (mtu & (mtu - 1)) {
        throw std::invalid_argument("wants 256, 512, 1024, 2048 or 4096");
    }
    return mtu;
}

/** A long option, and what it does with its argument. */
struct Handler {
    bool argument;
    std::function<void(const char *)> apply;
};

template <typename T>
Handler number_into(T &field, uint64_t low, uint64_t high)
{
    return {true, [&field, low, high](const char *text) {
                field = static_cast<T>(parse_number(text, low, high));
            }};
}

Handler flag_into(bool &field)
{
    return {false, [&field](const char *) { field = true; }};
}

Handler text_into(std::string &field)
{
    return {true, [&field](const char *text) { field = text; }};
}

std::map<std::string, Handler> end_handlers(Options &o)
{
    return {
        {"socket", text_into(o.socket)},
        {"device", text_into(o.device)},
        {"gid", text_into(o.gid)},
        {"stall", number_into(o.stall, 1, 3600)},
    };
}

std::map<std::string, Handler> plan_handlers(Plan &p)
{
    return {
        {"qps", number_into(p.qps, 1, 1024)},
        {"iterations", number_into(p.iterations, 0, 1u << 30)},
        {"seconds", number_into(p.seconds, 1, 3600)},
        {"sizes", {true, [&p](const char *text) { p.sizes = parse_list(text, parse_size); }}},
        {"random-sizes", {true, [&p](const char *text) { parse_range(text, p); }}},
        {"seed", number_into(p.seed, 0, UINT64_MAX)},
        {"random-offsets", flag_into(p.random_offsets)},
        {"sges", number_into(p.sges, 1, 16)},
        {"imm-every", number_into(p.imm_every, 1, 1u << 20)},
        {"sends-every", number_into(p.sends_every, 0, 1u << 20)},
        {"reads-every", number_into(p.reads_every, 0, 1u << 20)},
        {"both", flag_into(p.both_directions)},
        {"inline", number_into(p.inline_max, 0, 4096)},
        {"signal-every", number_into(p.signal_every, 1, 16384)},
        {"mtu", {true, [&p](const char *text) { p.mtu = parse_mtu(text); }}},
        {"psn", number_into(p.psn, 0, 0xffffff)},
        {"timeout", number_into(p.timeout, 0, 31)},
        {"retry-cnt", number_into(p.retry_cnt, 0, 7)},
        {"depth", number_into(p.depth, 1, 16384)},
        {"batch", number_into(p.batch, 1, 1024)},
        {"rate", number_into(p.rate, 1, 1000000)},
        {"window", number_into(p.window, 4096, 1u << 30)},
        {"expect-error",
         {true, [&p](const char *text) { p.expect_error = parse_list(text, parse_status); }}},
    };
}

void apply_options(int argc, char **argv, const std::map<std::string, Handler> &handlers)
{
    std::vector<option> table;

    for (const auto &[name, handler] : handlers) {
        table.push_back({name.c_str(), handler.argument ? 1 : 0, nullptr, 1});
    }
    table.push_back({});
    int index = 0;
    int c = 0;
    while ((c = getopt_long(argc, argv, "", table.data(), &index)) != -1) {
        if (c != 1) {
            usage_error("see above");
        }
        const std::string name = table[static_cast<size_t>(index)].name;
        try {
            handlers.at(name).apply(optarg);
        } catch (const std::exception &e) {
            usage_error("--" + name + " " + e.what());
        }
    }
    if (optind != argc) {
        usage_error(std::string("unexpected argument '") + argv[optind] + "'");
    }
}

} // namespace

uint32_t Plan::largest() const
{
    return random_sizes ? size_max : *std::max_element(sizes.begin(), sizes.end());
}

bool Plan::expects(int status) const
{
    return expect_error.empty()
               ? status == 0
               : std::find(expect_error.begin(), expect_error.end(), status) != expect_error.end();
}

Options parse_options(int argc, char **argv)
{
    Options o;
    const std::string_view role = argc > 1 ? argv[1] : "";

    if (role == "--help") {
        std::fputs(usage_text.data(), stdout);
        std::exit(0);
    }
    if (role != "server" && role != "client") {
        usage_error("server or client?");
    }
    o.role = role == "server" ? Role::Server : Role::Client;
    auto handlers = end_handlers(o);
    if (o.role == Role::Client) {
        handlers.merge(plan_handlers(o.plan));
    }
    apply_options(argc - 1, argv + 1, handlers);
    if (o.socket.empty() || o.device.empty()) {
        usage_error("--socket and --device are needed");
    }
    if (o.plan.qps * o.plan.depth > completions_max) {
        usage_error("--qps times --depth is more than " + std::to_string(completions_max));
    }
    if (o.plan.reads_every && o.plan.depth < 4) {
        usage_error("--reads-every needs a --depth of 4 at least");
    }
    o.plan.signal_every = std::min(o.plan.signal_every, std::max(1u, o.plan.depth / 2));
    return o;
}

} // namespace traffic
