// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * C++ types for the kernel's objects. Names, units and ranges are those of
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
 * The controller that an object belongs to: MRC_NL_OWNER_*, or the number of another controller.
 * Empty: the module knows no owners.
 */
using Owner = std::optional<uint8_t>;

/** The name of an owner, like "mrcd", or else its number. */
std::string owner_name(uint8_t owner);
/** The names of owners, by number from 0. */
std::span<const char *const> owner_names();

/** The device that an object belongs to. */
struct DeviceRef {
    uint32_t index = 0;
    std::string name;
    bool operator==(const DeviceRef &) const = default;
};

/**
 * The device that a request is about: by its name, or by its index, which stays when the name
 * changes.
 */
class DeviceId
{
public:
    DeviceId(std::string name) : name_(std::move(name)) {}
    DeviceId(const char *name) : name_(name) {}
    DeviceId(const DeviceRef &device) : index_(device.index) {}

    /** Empty: the device is given by name. */
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
    DeviceSettings settings; ///< all settings that the module knows
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

/** Names as in the specification; "unknown" for other numbers. */
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
    std::string alias{}; ///< a name that people gave it, or empty
};

/** The path of the packets of an EV. */
struct EvValue {
    uint32_t value = 0; ///< STEV: source port << 16 | flow label; UDP: source port
    bool operator==(const EvValue &) const = default;
};
struct EvSid {
    Address sid;
    bool operator==(const EvSid &) const = default;
};
/** A SID that leads to the last switch. The uSID of the route to the peer leads on from there. */
struct EvVia {
    Address via;
    bool operator==(const EvVia &) const = default;
};
struct EvSegments {
    std::vector<Address> segments; ///< in travel order, 1..127
    bool reduced = false;          ///< mode encap.red: a single segment needs no SRH
    bool operator==(const EvSegments &) const = default;
};
struct EvTable {
    uint32_t table = 0;
    bool operator==(const EvTable &) const = default;
};
/** std::monostate: a value that only programs with CAP_NET_ADMIN see. */
using EvPath = std::variant<EvValue, EvSid, EvVia, EvSegments, EvTable, std::monostate>;

constexpr size_t max_segments = 127;

/** An EV in a request. */
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
    std::optional<uint32_t> version{}; ///< of the profile; empty: an older module
};

/** Names the EV that a change is about. */
struct EvPlace {
    uint64_t ev_profile = 0;
    uint16_t index = 0;
    std::optional<uint32_t> version{}; ///< of the profile: ESTALE if it has another one
};

/** An EV profile in a request. */
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
    std::optional<uint32_t> window; ///< only with algorithm none
    Owner owner{};                  ///< not used in requests: see Kernel::act_as()
    std::string alias{};            ///< a name that people gave it, or empty
    CcSettings settings{};          ///< only with algorithm nscc
    CcDerived derived{};            ///< only in answers
};

struct Route {
    DeviceRef device;
    Prefix prefix;
    uint64_t ev_profile = 0;
    uint64_t cc_profile = 0;
    uint16_t usid = 0; ///< of the host, to which EVs with via lead; 0: none
    Owner owner{};     ///< not used in requests: see Kernel::act_as()
};

/** The answer to a route look-up. */
struct RouteMatch {
    DeviceRef device;
    Address gid;
    std::optional<Prefix> prefix; ///< empty: no route, so the built-in profiles are used
    uint64_t ev_profile = 0;
    uint64_t cc_profile = 0;
    uint16_t usid = 0; ///< as in Route
    Owner owner{};     ///< of the route
};

/** The key that identifies a peer of a device. */
struct PeerKey {
    Address remote_gid;
    Address local_gid;
    uint64_t ev_profile = 0;
    auto operator<=>(const PeerKey &) const = default;
};

/** The number of a peer's EVs that leave by a port, by state. */
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

/** The history of a peer's EVs that leave by a port. */
struct PortHistory {
    uint8_t port = 0;
    std::string reason;   ///< of the last change; empty: none yet
    uint64_t changed = 0; ///< ns of CLOCK_MONOTONIC, of an EV that is not denied; 0: never
    uint64_t heard = 0;   ///< when the newest packet that arrived was sent, same clock; 0: none
    uint64_t tx_packets = 0;
    uint64_t lost = 0;
    uint64_t acked = 0;
    uint64_t probed = 0;
};

/** Counters of a congestion context. */
struct CongestionCounts {
    uint64_t fast = 0; ///< SACKs, by their effect on the window: this and the next four
    uint64_t proportional = 0;
    uint64_t fair = 0;
    uint64_t hold = 0;
    uint64_t decrease = 0;
    uint64_t cuts = 0;         ///< times that a decrease, or losses of a full queue, cut the window
    uint64_t quick_adapts = 0; ///< times that the window became the amount that had arrived
    uint64_t trims = 0;        ///< packets
    uint64_t penalties = 0;    ///< SACKs
    bool operator==(const CongestionCounts &) const = default;
};

/** A congestion window, of one QP or shared by several QPs to one peer. Bytes are nominal bytes. */
struct Congestion {
    uint32_t cwnd = 0;
    uint32_t max_cwnd = 0; ///< limit with the planes that are up
    uint64_t inflight = 0;
    uint32_t qps = 0;          ///< that share the window
    uint32_t base_rtt = 0;     ///< ns; 0: not known, or not used by the algorithm
    uint32_t delay = 0;        ///< ns beyond base_rtt, over about the last round trip
    uint32_t target_delay = 0; ///< ns
    CongestionCounts counts{};
    bool operator==(const Congestion &) const = default;
};

/** Sums over a peer's congestion windows of algorithm nscc. Bytes are nominal bytes. */
struct PeerCongestion {
    uint32_t contexts = 0; ///< 0: all of them have ended
    uint32_t qps = 0;      ///< that share the windows
    uint64_t cwnd = 0;     ///< sum
    uint32_t cwnd_lowest = 0;
    uint32_t cwnd_highest = 0;
    uint64_t max_cwnd = 0; ///< sum, with the planes that are up
    uint64_t inflight = 0;
    uint32_t base_rtt = 0;     ///< ns, the lowest; 0: not known
    uint32_t delay = 0;        ///< mean of ns beyond base_rtt, over about the last round trip
    uint32_t target_delay = 0; ///< ns, mean
    CongestionCounts counts{}; ///< includes contexts that have ended
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
    uint16_t usid = 0; ///< to which EVs with via lead; 0: there are no such EVs
    uint32_t local_ports = 0;
    uint32_t remote_ports = 0;
    uint64_t tx_packets = 0;
    uint64_t lost = 0;
    uint64_t marked = 0;
    uint64_t acked = 0;
    uint64_t probed = 0;
    std::vector<PortEvs> port_evs{};            ///< empty: an older module
    std::optional<PeerCongestion> congestion{}; ///< empty: no nscc window to this peer
    std::vector<PortHistory> port_history{};    ///< empty: an older module
};

struct PeerEv {
    DeviceRef device;
    PeerKey key;
    uint16_t index = 0;
    uint8_t port = 0;
    EvState state = EvState::good;
    bool spare = false;            ///< good, but not in rotation
    std::optional<uint32_t> value; ///< only with CAP_NET_ADMIN
    uint64_t tx_packets = 0;
    uint64_t lost = 0;
    uint64_t marked = 0;
    uint64_t acked = 0;
    uint32_t probed = 0;
    uint64_t changed = 0; ///< last change of the state, ns of CLOCK_MONOTONIC; 0: none yet
};

/**
 * The letter for an EV where many EVs are shown side by side: G good, R good but in reserve, S
 * skip, H held, B assumed bad, D denied, ? a state that only newer kernels know. All programs show
 * the same.
 *
 * @param spare good, but not in rotation
 */
char letter_of(EvState state, bool spare);

/** A request for EV probes. */
struct ProbeRequest {
    Address remote_gid;
    std::optional<Address> local_gid;   ///< empty: from a peer in use, or by the route
    std::optional<uint64_t> ev_profile; ///< empty: of the route, or of a peer in use
    std::vector<uint16_t> evs;          ///< indices in the profile; empty: all
    std::optional<uint32_t> timeout;    ///< ms, 1..10000; empty: 100
};

/** A request for raw probes. */
struct RawProbeRequest {
    std::vector<Address> to;            ///< GIDs, 1..64
    std::optional<Address> local_gid{}; ///< empty: the source address towards the first GID
    EvFormat format = EvFormat::stev;   ///< of ev
    EvSpec ev{};                        ///< the path of the probes; not denied
    std::optional<uint16_t> count{};    ///< probes to each GID, 256 to all together; empty: 1
    std::optional<uint8_t> dscp{};      ///< empty: dscp-control of the device
    std::optional<uint16_t> size{};  ///< bytes with all headers, a multiple of 4; empty: the least
    std::optional<uint64_t> limit{}; ///< ns to wait for answers, 1..10 s; empty: 100 ms
    /**
     * Set: the packets are Port Status Updates instead of EV probes. The mask has our ports that
     * can receive; bit 0 is port 1.
     */
    std::optional<uint32_t> port_status{};
};

/** The result of one probe. */
struct ProbeResult {
    uint16_t index = 0; ///< of the EV; of a raw probe: among the probes to its GID
    uint8_t port = 0;
    std::optional<uint64_t> rtt; ///< ns; empty: no answer
    uint8_t rx_port = 0;         ///< port by which the answer came; 0: none of the device's
    Address remote_gid{};        ///< destination of a raw probe
    int error = 0;               ///< errno of a raw probe that was not sent
};

struct Probe {
    DeviceRef device;
    PeerKey key;                      ///< raw probes have only the local GID
    std::vector<ProbeResult> results; ///< one per raw probe, or per EV that is not denied
    uint32_t id = 0;                  ///< of the request; 0: an older module, without such numbers
};

/**
 * Packets that one unit of mpr stands for: the PSN window of a QP holds mpr times as many packets.
 */
constexpr unsigned mpr_unit = 128;

/** The position of a QP in the PSN space. */
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
    std::optional<QpConnection> connection; ///< set from RTR on
    std::optional<QpPsns> psns;             ///< only with CAP_NET_ADMIN
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
    uint32_t pid = 0;                     ///< creating process; 0: in no pid namespace that we see
    std::optional<Congestion> congestion; ///< only in RTS
};

/** The program that asked for a change. */
struct By {
    std::string name;            ///< of the program, as it calls itself; empty: no program asked
    std::optional<uint32_t> pid; ///< empty: the kernel does not report it
    bool operator==(const By &) const = default;
};

/** Events were lost: all objects must be read anew. */
struct Overrun {
};

struct DeviceEvent {
    DeviceRef device;
    bool added = false; ///< false: deleted
    uint64_t time = 0;  ///< ns of CLOCK_MONOTONIC, here and in the other events
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
    uint64_t changed = 0; ///< when the cause was known, ns of CLOCK_MONOTONIC
    std::string reason;
    uint64_t time = 0;
};

/** A peer reported which of its ports work. */
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
    QpConnection connection; ///< mtu is not set
    uint32_t pid = 0;        ///< creating process; 0: in no pid namespace that we see
    std::string reason;
    uint64_t time = 0;
};

struct SettingsEvent {
    DeviceRef device;
    DeviceSettings settings;
    By by;
    uint64_t time = 0;
};

/**
 * A configured object was made, replaced or deleted.
 *
 * @tparam T EvProfile, CcProfile or Route. A deleted object has only its id or prefix
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

/** The device that an event is about; null: all devices (Overrun). */
const DeviceRef *device_of(const Event &event);

} // namespace mrcnl
