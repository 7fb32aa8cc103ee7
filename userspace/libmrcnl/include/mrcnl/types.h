// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * What the kernel's objects are in C++. Names, units and ranges are those of
 * Documentation/netlink/specs/mrc.yaml.
 */
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mrcnl/address.h"
#include "mrcnl/settings.h"

namespace mrcnl
{

/** The module. */
struct Info {
    std::string version;
    std::string icrc;
    bool seg6 = false;
    uint8_t port_max = 0;
    uint16_t ev_max = 0;
    uint8_t burst_max = 0;
    uint32_t capabilities{}; ///< MRC_NL_CAPABILITY_*
};

/**
 * Who looks after something: MRC_NL_OWNER_*, or the number of another controller; empty in what a
 * module tells that knows no owners.
 */
using Owner = std::optional<uint8_t>;

/** "mrcd"; of those that have no name the number. */
std::string owner_name(uint8_t owner);
/** Names of the first numbers. */
std::span<const char *const> owner_names();

/** Which device an object belongs to. */
struct DeviceRef {
    uint32_t index = 0;
    std::string name;
    bool operator==(const DeviceRef &) const = default;
};

/**
 * Which device a request is about: one by its name, or one that is known, by its index, whatever it
 * is called meanwhile.
 */
class DeviceId
{
public:
    DeviceId(std::string name) : name_(std::move(name)) {}
    DeviceId(const char *name) : name_(name) {}
    DeviceId(const DeviceRef &device) : index_(device.index) {}

    /** Empty: it is one by its name. */
    [[nodiscard]] std::optional<uint32_t> index() const { return index_; }
    [[nodiscard]] const std::string &name() const { return name_; }
    [[nodiscard]] bool is(const DeviceRef &device) const
    {
        return index_ ? *index_ == device.index : name_ == device.name;
    }
    /** For people: the name, or "device N". */
    [[nodiscard]] std::string text() const;

private:
    std::string name_;
    std::optional<uint32_t> index_;
};

struct Counter {
    std::string name;
    uint64_t value = 0;
};

struct Device {
    DeviceRef device;
    uint32_t ifindex = 0;
    std::string ifname;
    DeviceSettings settings; ///< all that the module knows
    uint32_t ports_up = 0;
    uint32_t qps = 0;
    std::vector<Counter> counters;
};

struct PlaneStats {
    uint64_t tx_packets = 0;
    uint64_t tx_bytes = 0;
    uint64_t tx_errors = 0;
    uint64_t rx_packets = 0;
    uint64_t rx_bytes = 0;
    uint64_t rx_ce = 0;
};

struct Plane {
    DeviceRef device;
    uint8_t port = 0;
    uint32_t ifindex = 0;
    std::string ifname;
    bool admin_up = false;
    bool oper_up = false;
    PlaneStats stats;
    Owner owner{};
};

enum class EvFormat : uint8_t { stev = 0, srv6 = 1, udp = 2 };
enum class EvMode : uint8_t { automatic = 0, explicit_list = 1 };
enum class EvState : uint8_t { good = 1, assumed_bad = 2, denied = 4, skip = 8, held = 16 };
enum class QpState : uint8_t { reset, init, rtr, rts, sqd, sqe, err };

/** Names of the specification; "unknown" for numbers it does not have. */
const char *to_string(EvFormat format);
const char *to_string(EvMode mode);
const char *to_string(EvState state);
const char *to_string(QpState state);
std::optional<EvFormat> parse_ev_format(std::string_view name);

struct EvProfile {
    DeviceRef device;
    uint64_t id = 0;
    EvFormat format = EvFormat::stev;
    EvMode mode = EvMode::automatic;
    uint16_t min_active = 0;
    uint16_t count = 0;
    uint32_t version = 0;
    uint16_t denied = 0;
    uint16_t active = 0; ///< EVs of a peer in rotation at a time; 0: all
    Owner owner{};
    std::string alias{}; ///< what people call it by, or empty
};

/** How packets on an EV go. */
struct EvValue {
    uint32_t value = 0; ///< STEV: source port << 16 | flow label; UDP: source port
    bool operator==(const EvValue &) const = default;
};
struct EvSid {
    Address sid;
    bool operator==(const EvSid &) const = default;
};
/** A SID as far as the last switch. It goes on to the uSID of the route to the peer. */
struct EvVia {
    Address via;
    bool operator==(const EvVia &) const = default;
};
struct EvSegments {
    std::vector<Address> segments; ///< in travel order, 1..127
    bool reduced = false;          ///< mode encap.red: no SRH when there is one segment only
    bool operator==(const EvSegments &) const = default;
};
struct EvTable {
    uint32_t table = 0;
    bool operator==(const EvTable &) const = default;
};
/** The last one: a value that only CAP_NET_ADMIN sees. */
using EvPath = std::variant<EvValue, EvSid, EvVia, EvSegments, EvTable, std::monostate>;

constexpr size_t max_segments = 127;

/** An EV as it is asked for. */
struct EvSpec {
    uint8_t port = 0;
    EvPath path;
    bool denied = false;
    bool operator==(const EvSpec &) const = default;
};

/** An EV of a profile. */
struct Ev {
    DeviceRef device;
    uint64_t ev_profile = 0;
    uint16_t index = 0;
    EvSpec spec;
    std::optional<uint32_t> version{}; ///< of the profile; older modules do not say
};

/** Which EV of a profile a change is about. */
struct EvPlace {
    uint64_t ev_profile = 0;
    uint16_t index = 0;
    std::optional<uint32_t> version{}; ///< of the profile: ESTALE where it is another
};

/** An EV profile as it is asked for. */
struct EvProfileSpec {
    uint64_t id = 0;
    EvFormat format = EvFormat::srv6;
    EvMode mode = EvMode::explicit_list;
    std::optional<uint16_t> min_active;
    std::optional<uint16_t> active; ///< as in EvProfile
    std::optional<uint16_t> count;  ///< mode auto only
    std::vector<EvSpec> evs;        ///< mode explicit only
    std::string alias;              ///< at most 64 bytes, no control characters; empty: none
};

struct CcProfile {
    DeviceRef device;
    uint64_t id = 0;
    std::string algorithm;
    std::optional<uint32_t> window; ///< of algorithm none
    Owner owner{};                  ///< in a request nothing: see Kernel::act_as()
    std::string alias{};            ///< what people call it by, or empty
    CcSettings settings{};          ///< of algorithm nscc
    CcDerived derived{};            ///< in an answer
};

struct Route {
    DeviceRef device;
    Prefix prefix;
    uint64_t ev_profile = 0;
    uint64_t cc_profile = 0;
    uint16_t usid = 0; ///< of the host, where EVs with via go on to; 0: none
    Owner owner{};     ///< in a request nothing: see Kernel::act_as()
};

/** Answer to a look-up. */
struct RouteMatch {
    DeviceRef device;
    Address gid;
    std::optional<Prefix> prefix; ///< empty: no route, the built-in profiles hold
    uint64_t ev_profile = 0;
    uint64_t cc_profile = 0;
    uint16_t usid = 0; ///< as in Route
    Owner owner{};     ///< of the route
};

/** What tells peers of a device apart. */
struct PeerKey {
    Address remote_gid;
    Address local_gid;
    uint64_t ev_profile = 0;
    auto operator<=>(const PeerKey &) const = default;
};

/** EVs that leave by a port, by what they are. */
struct PortEvs {
    uint8_t port = 0;
    uint16_t evs = 0;
    uint16_t good = 0;
    uint16_t spare = 0; ///< of the good ones
    uint16_t skip = 0;
    uint16_t held = 0;
    uint16_t assumed_bad = 0;
    uint16_t denied = 0;
};

/** What became of the EVs that leave by a port. */
struct PortHistory {
    uint8_t port = 0;
    std::string reason;   ///< of the last change; empty: there was none
    uint64_t changed = 0; ///< last change of one that is not denied, ns of CLOCK_MONOTONIC; 0: none
    uint64_t heard = 0; ///< when the newest packet was sent that arrived by one, likewise; 0: none
    uint64_t tx_packets = 0;
    uint64_t lost = 0;
    uint64_t acked = 0;
    uint64_t probed = 0;
};

/** What congestion contexts count. */
struct CongestionCounts {
    uint64_t fast = 0; ///< SACKs by what they made of the window ...
    uint64_t proportional = 0;
    uint64_t fair = 0;
    uint64_t hold = 0;
    uint64_t decrease = 0;
    uint64_t cuts = 0;         ///< ... and times that it became smaller by these
    uint64_t quick_adapts = 0; ///< times that it became what had arrived
    uint64_t trims = 0;        ///< packets
    uint64_t penalties = 0;    ///< SACKs
    bool operator==(const CongestionCounts &) const = default;
};

/** A window that QPs to one peer share, or that one has for itself. Bytes are nominal ones. */
struct Congestion {
    uint32_t cwnd = 0;
    uint32_t max_cwnd = 0; ///< with the planes that are up
    uint64_t inflight = 0;
    uint32_t qps = 0;          ///< that share it
    uint32_t base_rtt = 0;     ///< ns; 0: not known, or of no use to the algorithm
    uint32_t delay = 0;        ///< ns beyond it, over the last round trip or so
    uint32_t target_delay = 0; ///< ns
    CongestionCounts counts{};
    bool operator==(const Congestion &) const = default;
};

/** What the windows of a peer that algorithm nscc steers add up to. Bytes are nominal ones. */
struct PeerCongestion {
    uint32_t contexts = 0; ///< 0: all have ended
    uint32_t qps = 0;      ///< that share them
    uint64_t cwnd = 0;     ///< of all together
    uint32_t cwnd_lowest = 0;
    uint32_t cwnd_highest = 0;
    uint64_t max_cwnd = 0; ///< of all together, with the planes that are up
    uint64_t inflight = 0;
    uint32_t base_rtt = 0;     ///< ns, the lowest; 0: not known
    uint32_t delay = 0;        ///< ns beyond it, over the last round trip or so: mean
    uint32_t target_delay = 0; ///< ns, mean
    CongestionCounts counts{}; ///< of those that have ended, too
    bool operator==(const PeerCongestion &) const = default;
};

struct Peer {
    DeviceRef device;
    PeerKey key;
    bool loopback = false;
    uint16_t evs = 0;
    uint16_t evs_good = 0;
    uint16_t evs_spare = 0; ///< of the good ones
    uint16_t evs_held = 0;
    uint16_t evs_skip = 0;
    uint16_t evs_assumed_bad = 0;
    uint16_t evs_denied = 0;
    uint16_t min_active = 0;
    uint16_t usid = 0; ///< where EVs with via go on to; 0: there are none
    uint32_t local_ports = 0;
    uint32_t remote_ports = 0;
    uint64_t tx_packets = 0;
    uint64_t lost = 0;
    uint64_t marked = 0;
    uint64_t acked = 0;
    uint64_t probed = 0;
    std::vector<PortEvs> port_evs{};            ///< older modules do not say
    std::optional<PeerCongestion> congestion{}; ///< empty: NSCC steers nothing that goes there
    std::vector<PortHistory> port_history{};    ///< older modules do not say
};

struct PeerEv {
    DeviceRef device;
    PeerKey key;
    uint16_t index = 0;
    uint8_t port = 0;
    EvState state = EvState::good;
    bool spare = false;            ///< good, but not in rotation
    std::optional<uint32_t> value; ///< with CAP_NET_ADMIN
    uint64_t tx_packets = 0;
    uint64_t lost = 0;
    uint64_t marked = 0;
    uint64_t acked = 0;
    uint32_t probed = 0;
    uint64_t changed = 0; ///< last change of the state, ns of CLOCK_MONOTONIC; 0: none yet
};

/**
 * What stands for an EV where many stand side by side, the same for all who show them: G good,
 * R good but in reserve, S skip, H held, B assumed bad, D denied; ? what a newer kernel has.
 *
 * @param spare good, but not in rotation
 */
char letter_of(EvState state, bool spare);

/** EV probes as they are asked for. */
struct ProbeRequest {
    Address remote_gid;
    std::optional<Address> local_gid;   ///< of a peer in use, or the source towards it
    std::optional<uint64_t> ev_profile; ///< as the route to the remote GID says, or a peer in use
    std::vector<uint16_t> evs;          ///< indexes in the profile; none: all
    std::optional<uint32_t> timeout;    ///< ms, 1..10000; 100
};

/** Raw probes as they are asked for. */
struct RawProbeRequest {
    std::vector<Address> to;            ///< GIDs, 1..64
    std::optional<Address> local_gid{}; ///< the source towards the first of them
    EvFormat format = EvFormat::stev;   ///< of ev
    EvSpec ev{};                        ///< which way they go; not denied
    std::optional<uint16_t> count{};    ///< to each GID: 1; 256 to all together
    std::optional<uint8_t> dscp{};      ///< dscp-control of the device
    std::optional<uint16_t> size{}; ///< bytes with all headers, a multiple of 4; as small as may be
    std::optional<uint64_t> limit{}; ///< ns to the answer, 1..10 s; 100 ms
    /** They are no EV probes but Port Status Updates: our ports that can receive, bit 0 is port 1
     */
    std::optional<uint32_t> port_status{};
};

/** What became of one EV probe. */
struct ProbeResult {
    uint16_t index = 0; ///< of the EV; of a raw probe among those to its GID
    uint8_t port = 0;
    std::optional<uint64_t> rtt; ///< ns; empty: no answer
    uint8_t rx_port = 0;         ///< the answer came by this port, 0: by none of the device's
    Address remote_gid{};        ///< where a raw probe went
    int error = 0;               ///< errno of a raw probe that was not sent
};

struct Probe {
    DeviceRef device;
    PeerKey key;                      ///< of raw probes only the local GID
    std::vector<ProbeResult> results; ///< one per EV that is not denied, or raw probe
    uint32_t id = 0;                  ///< of the request; 0: an older module's, which numbers none
};

/** Packets of a unit of mpr: the PSN window of a QP in packets is so many times its mpr. */
constexpr unsigned mpr_unit = 128;

/** Where a QP stands in the PSN space. */
struct QpPsns {
    uint32_t una = 0;
    uint32_t nxt = 0;
    uint32_t cack = 0;
};

/** The far end of a QP. */
struct QpConnection {
    uint32_t dest_qpn = 0;
    Address local_gid;
    Address remote_gid;
    uint32_t mtu = 0;
};

struct Qp {
    DeviceRef device;
    uint32_t qpn = 0;
    QpState state = QpState::reset;
    std::optional<QpConnection> connection; ///< from RTR on
    std::optional<QpPsns> psns;             ///< with CAP_NET_ADMIN
    uint64_t ev_profile = 0;
    uint64_t cc_profile = 0;
    uint32_t inflight = 0;
    uint32_t lost = 0;
    uint8_t mpr_tx = 0;
    uint8_t mpr_rx = 0;
    uint16_t wimm_tx = 0;
    uint16_t wimm_rx = 0;
    uint64_t srtt = 0;
    uint64_t min_rtt = 0;
    uint64_t tx_packets = 0;
    uint64_t rx_packets = 0;
    uint64_t rtx_packets = 0;
    uint8_t timeout = 0;
    uint8_t linear_retries = 0;
    uint8_t exp_retries = 0;
    uint64_t memory = 0;
    uint32_t pid = 0;                     ///< creator; 0: in no pid namespace that we know
    std::optional<Congestion> congestion; ///< in RTS
};

/** Who asked for a change. */
struct By {
    std::string name;            ///< of the program, as it calls itself; empty: nobody asked
    std::optional<uint32_t> pid; ///< where the kernel tells it
    bool operator==(const By &) const = default;
};

/** Events were lost; what is known must be read anew. */
struct Overrun {
};

struct DeviceEvent {
    DeviceRef device;
    bool added = false; ///< or deleted
    uint64_t time = 0;  ///< ns of CLOCK_MONOTONIC, as in the others
    By by;              ///< the program that made, renamed or deleted it
};

struct PlaneEvent {
    Plane plane;
    bool gone = false;
    uint64_t time = 0;
    By by{};
};

struct PeerEvEvent {
    DeviceRef device;
    PeerKey key;
    uint16_t index = 0;
    uint8_t port = 0;
    EvState state = EvState::good;
    EvState old_state = EvState::good;
    uint64_t acked = 0;
    uint32_t probed = 0;
    uint64_t changed = 0; ///< when what caused it was known, ns of CLOCK_MONOTONIC
    std::string reason;
    uint64_t time = 0;
};

/** A peer said which of its ports work. */
struct PeerPortsEvent {
    DeviceRef device;
    PeerKey key;
    uint32_t remote_ports = 0; ///< bit per port that can receive, bit 0 is port 1
    uint32_t old_remote_ports = 0;
    uint64_t time = 0;
};

struct QpEvent {
    DeviceRef device;
    uint32_t qpn = 0;
    QpState state = QpState::err;
    QpState old_state = QpState::err;
    QpConnection connection; ///< without MTU
    uint32_t pid = 0;        ///< creator; 0: in no pid namespace that we know
    std::string reason;
    uint64_t time = 0;
};

/** Settings of a device were changed. */
struct SettingsEvent {
    DeviceRef device;
    DeviceSettings settings;
    By by;
    uint64_t time = 0;
};

/**
 * Something that is configured was made, replaced or deleted.
 *
 * @tparam T EvProfile, CcProfile or Route; of one that was deleted the id or the prefix alone
 */
template <typename T>
struct ConfigEvent {
    T is;
    bool gone = false;
    By by;
    uint64_t time = 0;
};

/** An EV of a profile was denied or readmitted. */
struct EvEvent {
    Ev ev;
    By by;
    uint64_t time = 0;
};

using Event = std::variant<Overrun, DeviceEvent, PlaneEvent, PeerEvEvent, PeerPortsEvent, QpEvent,
                           SettingsEvent, ConfigEvent<EvProfile>, EvEvent, ConfigEvent<CcProfile>,
                           ConfigEvent<Route>>;

/** Whose event it is; null: everybody's (Overrun). */
const DeviceRef *device_of(const Event &event);

} // namespace mrcnl
