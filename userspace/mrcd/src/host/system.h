// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The objects of this host that do not belong to the module: netdevs, addresses, the RDMA link. An
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
    uint8_t length = 0; ///< prefix length
    bool ours = false;  ///< mrcd added it, according to its protocol (IFA_PROTO)
    bool operator==(const HeldAddress &) const = default;
};

/** IFA_PROTO of the addresses that mrcd adds: a number that no other program is known to use. */
constexpr uint8_t address_protocol = 109;

/**
 * This host, in the network namespace of the process. Functions that ask or change something may
 * wait seconds for a program that is configuring netdevs.
 */
class System
{
public:
    virtual ~System() = default;

    /** Index of a netdev by its name; 0: there is none. */
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
     * Does the same as "rdma link add DEVICE type mrc netdev ANCHOR", but does not load the module.
     * Needs CAP_NET_ADMIN.
     *
     * @return ENOENT: the module is not loaded, or is being removed
     */
    virtual mrcnl::Result<void> add_device(const std::string &device,
                                           const std::string &anchor) = 0;

    /**
     * Become the controller of a device, see mrcnl::lock_controller().
     *
     * @param device its index
     */
    virtual mrcnl::Result<mrcnl::Descriptor> lock(uint32_t device) = 0;

    /** Descriptor that is readable when a netdev or an address may have changed. */
    [[nodiscard]] virtual int fd() const = 0;
    /**
     * Takes the changes from the descriptor. Never waits for other programs, and may be called
     * while another thread waits in a function that asks or changes something.
     *
     * @return false: some changes were lost, and read_netdevs() must be called
     */
    virtual bool drain(NetdevTable &netdevs) = 0;

    /** All netdevs. */
    virtual mrcnl::Result<NetdevTable> read_netdevs() = 0;
};

/** The objects that steps change. */
struct Target {
    mrcnl::Kernel &kernel;
    System &system;
};

/** Makes a System for the real host. */
mrcnl::Result<std::unique_ptr<System>> open_system();

} // namespace mrcd
