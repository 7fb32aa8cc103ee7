// SPDX-License-Identifier: GPL-2.0-only
#include "plan/plane_moves.h"

#include <algorithm>

namespace mrcd
{

namespace
{

class Mover
{
public:
    Mover(Planes &now, const Planes &wanted) : now_(now), wanted_(wanted) {}

    std::vector<PlaneMove> moves();

private:
    Planes::iterator holder(const Netdev &netdev);
    bool misplaced(uint8_t port, const Netdev &netdev) const;
    bool free(const Netdev &netdev);
    void remove(Planes::iterator at);
    void place(uint8_t port, const Netdev &netdev);

    Planes &now_;
    const Planes &wanted_;
    std::vector<PlaneMove> moves_;
};

Planes::iterator Mover::holder(const Netdev &netdev)
{
    return std::find_if(now_.begin(), now_.end(),
                        [&](const auto &plane) { return plane.second.ifindex == netdev.ifindex; });
}

bool Mover::misplaced(uint8_t port, const Netdev &netdev) const
{
    const auto at = now_.find(port);

    return at == now_.end() || at->second.ifindex != netdev.ifindex;
}

/** Is the netdev at no port, or at one that gets no other netdev later? */
bool Mover::free(const Netdev &netdev)
{
    const auto at = holder(netdev);

    return at == now_.end() || !wanted_.contains(at->first);
}

void Mover::remove(Planes::iterator at)
{
    if (at == now_.end())
        return;
    moves_.push_back({false, at->first, at->second});
    now_.erase(at);
}

void Mover::place(uint8_t port, const Netdev &netdev)
{
    remove(now_.find(port));
    remove(holder(netdev));
    moves_.push_back({true, port, netdev});
    now_[port] = netdev;
}

std::vector<PlaneMove> Mover::moves()
{
    Planes left;

    std::copy_if(wanted_.begin(), wanted_.end(), std::inserter(left, left.end()),
                 [&](const auto &plane) { return misplaced(plane.first, plane.second); });
    while (!left.empty()) {
        auto next = std::find_if(left.begin(), left.end(),
                                 [&](const auto &plane) { return free(plane.second); });
        if (next == left.end())
            next = left.begin(); // the moves form a circle: this one opens it
        place(next->first, next->second);
        left.erase(next);
    }
    return std::move(moves_);
}

} // namespace

std::vector<PlaneMove> plane_moves(Planes &now, const Planes &wanted)
{
    return Mover(now, wanted).moves();
}

} // namespace mrcd
