// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot.h"

#include <cerrno>

namespace mrcctl
{

namespace
{

/** Keeps a list that the kernel has given, or why it has not. */
class Keeper
{
public:
    template <typename T>
    void operator()(std::vector<T> &list, mrcnl::Result<std::vector<T>> answer)
    {
        if (answer)
            list = std::move(*answer);
        else if (answer.error().code != ENODEV && !error_)
            error_ = answer.error();
    }

    const std::optional<mrcnl::Error> &error() const { return error_; }

private:
    std::optional<mrcnl::Error> error_;
};

} // namespace

mrcnl::Result<Snapshot> take_snapshot(mrcnl::Kernel &kernel,
                                      const std::optional<std::string> &device, uint64_t time)
{
    Snapshot snapshot;
    Keeper keep;

    snapshot.time = time;
    keep(snapshot.planes, kernel.planes(device));
    keep(snapshot.peers, kernel.peers(device, std::nullopt));
    keep(snapshot.peer_evs, kernel.peer_evs(device, std::nullopt));
    keep(snapshot.qps, kernel.qps(device));
    if (keep.error())
        return *keep.error();
    return snapshot;
}

} // namespace mrcctl
