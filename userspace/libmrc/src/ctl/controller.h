// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * The state that all functions of mrc_ctl.h share in a context: the connection to the module, the
 * device, the files that controllers have left, and the lock that makes this controller the only
 * one.
 */
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "app/objects.h"
#include "base/enums.h"
#include "base/netlink.h"
#include "ctl/store.h"
#include "mrcnl/descriptor.h"

namespace mrc
{

/** @name Limits of this library */
/** @{ */
constexpr uint32_t profiles_most = 1024; ///< of each kind
/** @} */

/** The controller of one device. */
class Controller
{
public:
    /** @param device name */
    explicit Controller(std::string device) : name_(std::move(device)) {}

    /**
     * Begins a call.
     *
     * @param change the call changes something, so no other context may be the controller
     * @return 0 or an errno value: EBUSY; EPERM; EIO the device has gone
     */
    int begin(bool change);

    mrcnl::Kernel &kernel() { return *kernel_; }
    [[nodiscard]] mrcnl::DeviceId device() const { return *device_; }
    /** Check that something belongs to this controller's device. */
    [[nodiscard]] bool is(const mrcnl::DeviceRef &device) const
    {
        return device_->index == device.index;
    }
    [[nodiscard]] const Store &store() const { return *store_; }

    /** Make a change that keeps the object's owner. @return the result of @p change */
    template <typename Change>
    auto as_nobody(Change change)
    {
        const Nobody nobody(*this);

        return change(*kernel_);
    }

    /** Memory that queries of this context have returned, by CC profile. */
    std::unordered_map<uint64_t, std::unique_ptr<mrc_ctl_cc_nscc_cfg>> lent;

private:
    /** While it exists, requests name no owner. */
    class Nobody
    {
    public:
        explicit Nobody(Controller &controller) : controller_(controller)
        {
            controller.kernel_->act_as({}, false);
        }
        ~Nobody() { controller_.act(); }
        Nobody(const Nobody &) = delete;
        Nobody &operator=(const Nobody &) = delete;

    private:
        Controller &controller_;
    };

    /** From now on requests name us as the owner, and fail on an object of another owner. */
    void act();
    int find();

    std::string name_;
    std::shared_ptr<mrcnl::Kernel> kernel_;
    std::optional<mrcnl::DeviceRef> device_; ///< set once it has been found
    std::optional<Store> store_;
    mrcnl::Descriptor lock_;
};

/**
 * Run the body of a function of mrc_ctl.h.
 *
 * @param change as for Controller::begin()
 * @param body gets the controller, and returns 0 or an errno value
 */
template <typename Body>
int controlled(mrc_context *context, bool change, Body body)
{
    if (!is(context))
        return EINVAL;
    const std::lock_guard lock(context->controller_lock);
    if (!context->controller)
        context->controller = std::make_shared<Controller>(context->device->device->name);
    int error = context->controller->begin(change);
    if (!error)
        error = body(*context->controller);
    // A program cannot repair a broken file.
    return error == EBADMSG ? EIO : error;
}

/** @param change result of a request @return 0 or one of the API's errno values */
inline int error_of(const mrcnl::Result<void> &change)
{
    return change ? 0 : api_error(change.error());
}

constexpr std::initializer_list<mrc_ctl_profile_state> profile_states = {
    MRC_CTL_PROFILE_INIT, MRC_CTL_PROFILE_OFFLINE, MRC_CTL_PROFILE_ONLINE};

/** Check the states that a program's mask names. */
template <typename Attr>
bool states_sound(const Attr &attr, int mask, int state, int cur_state)
{
    return (!(mask & state) || one_of(attr.profile_state, profile_states)) &&
           (!(mask & cur_state) || one_of(attr.cur_profile_state, profile_states));
}

/** Check that a profile may go from one state to the other. It may also stay. */
constexpr bool may_step(mrc_ctl_profile_state from, mrc_ctl_profile_state to)
{
    return from - to <= 1 && to - from <= 1;
}

/** Check that a vendor's bytes are all zero: this library accepts no others. */
bool nothing_added(const uint8_t (&vendor_cfg)[MRC_CTL_MAX_VENDOR_CFG_SIZE]);

} // namespace mrc
