// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * What the functions of mrc_ctl.h of a context have in common: the way to the module, which device
 * it is, what was left by other controllers, and being the only one.
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

/** Of one device. */
class Controller
{
public:
    /** @param device name */
    explicit Controller(std::string device) : name_(std::move(device)) {}

    /**
     * Begins a call.
     *
     * @param change it is to change something: nobody else may be the controller
     * @return 0 or an errno value: EBUSY; EPERM; EIO the device has gone
     */
    int begin(bool change);

    mrcnl::Kernel &kernel() { return *kernel_; }
    [[nodiscard]] mrcnl::DeviceId device() const { return *device_; }
    /** Is it the one that something belongs to? */
    [[nodiscard]] bool is(const mrcnl::DeviceRef &device) const
    {
        return device_->index == device.index;
    }
    [[nodiscard]] const Store &store() const { return *store_; }

    /** Changes something that stays whose it is. @return what @p change returns */
    template <typename Change>
    auto as_nobody(Change change)
    {
        const Nobody nobody(*this);

        return change(*kernel_);
    }

    /** Memory of this context that a query has given away, by CC profile. */
    std::unordered_map<uint64_t, std::unique_ptr<mrc_ctl_cc_nscc_cfg>> lent;

private:
    /** As long as there is one. */
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

    /** What is changed is ours, unless it is somebody else's. */
    void act();
    int find();

    std::string name_;
    std::shared_ptr<mrcnl::Kernel> kernel_;
    std::optional<mrcnl::DeviceRef> device_; ///< when it has been found
    std::optional<Store> store_;
    mrcnl::Descriptor lock_;
};

/**
 * A call of a function of mrc_ctl.h.
 *
 * @param change as of Controller::begin()
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
    // What is wrong with a file is no program's matter.
    return error == EBADMSG ? EIO : error;
}

/** @param change as it became of a request */
inline int error_of(const mrcnl::Result<void> &change)
{
    return change ? 0 : api_error(change.error());
}

constexpr std::initializer_list<mrc_ctl_profile_state> profile_states = {
    MRC_CTL_PROFILE_INIT, MRC_CTL_PROFILE_OFFLINE, MRC_CTL_PROFILE_ONLINE};

/** Are these states that the mask of a program names? */
template <typename Attr>
bool states_sound(const Attr &attr, int mask, int state, int cur_state)
{
    return (!(mask & state) || one_of(attr.profile_state, profile_states)) &&
           (!(mask & cur_state) || one_of(attr.cur_profile_state, profile_states));
}

/** May a profile go from one state to the other? To stay is no step. */
constexpr bool may_step(mrc_ctl_profile_state from, mrc_ctl_profile_state to)
{
    return from - to <= 1 && to - from <= 1;
}

/** What a vendor would add, which this library does not take. */
bool nothing_added(const uint8_t (&vendor_cfg)[MRC_CTL_MAX_VENDOR_CFG_SIZE]);

} // namespace mrc
