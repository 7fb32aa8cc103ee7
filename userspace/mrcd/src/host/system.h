// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What of this host is no object of the module's: netdevs, addresses, the RDMA link. An
 * interface, so that the daemon can be tested without a kernel.
 */
#pragma once

#include <map>
#include <memory>
#include <string>

#include "host/netdev_table.h"
#include "mrcnl/descriptor.h"
#include "mrcnl/kernel.h"

namespace mrcd
{

/** An address that a netdev has. */
struct HeldAddress {
    uint8_t length = 0; ///< of its prefix
    bool ours = false;  ///< mrcd has added it, as its protocol says (IFA_PROTO)
    bool operator==(const HeldAddress &) const = default;
};

/** IFA_PROTO of what mrcd adds: a number that no other program is known to use. */
constexpr uint8_t address_protocol = 109;

/**
 * This host, in the network namespace of the process. What asks or changes may have to wait for
 * seconds, for whoever configures netdevs at that moment.
 */
class System
{
public:
    virtual ~System() = default;

    /** Index of a netdev by its name, 0: there is none. */
    virtual uint32_t netdev(const std::string &name) = 0;

    /** IPv6 addresses of a netdev; none when there is no such netdev. */
    virtual mrcnl::Result<std::map<mrcnl::Address, HeldAddress>>
    addresses(const std::string &netdev) = 0;

    /** Adds an address, and with it the route to its prefix. Needs CAP_NET_ADMIN. */
    virtual mrcnl::Result<void> add_address(const std::string &netdev,
                                            const mrcnl::Prefix &address) = 0;
    /** Needs CAP_NET_ADMIN. */
    virtual mrcnl::Result<void> delete_address(const std::string &netdev,
                                               const mrcnl::Prefix &address) = 0;

    /**
     * As "rdma link add DEVICE type mrc netdev ANCHOR" does, but it does not load the module.
     * Needs CAP_NET_ADMIN.
     *
     * @return ENOENT: the module is not loaded, or on its way out
     */
    virtual mrcnl::Result<void> add_device(const std::string &device,
                                           const std::string &anchor) = 0;

    /**
     * Become the one that configures a device, as mrcnl::lock_controller() does.
     *
     * @param device its index
     */
    virtual mrcnl::Result<mrcnl::Descriptor> lock(uint32_t device) = 0;

    /** Descriptor that is readable when a netdev or an address may have changed. */
    [[nodiscard]] virtual int fd() const = 0;
    /**
     * Takes what has changed from the descriptor. Waits for nobody, unlike all that asks or
     * changes, and may be called while that waits in another thread.
     *
     * @return false: some of it was lost. read_netdevs() says what there is
     */
    virtual bool drain(NetdevTable &netdevs) = 0;

    /** All netdevs. */
    virtual mrcnl::Result<NetdevTable> read_netdevs() = 0;
};

/** What there is to configure. */
struct Target {
    mrcnl::Kernel &kernel;
    System &system;
};

/** The real one. */
mrcnl::Result<std::unique_ptr<System>> open_system();

} // namespace mrcd
