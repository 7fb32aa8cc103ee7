# SPDX-License-Identifier: GPL-2.0-only
"""Makes the lines that ip's batch mode reads to build a fabric. Nothing is run here."""

import plan


class Commands:
    """outside: lines that make the links; inside: {namespace: lines}, which also bring back an
    interface after it was cut."""

    def __init__(self, shape):
        self.shape = shape
        self.outside = []
        self.inside = {}
        self._links = plan.Links()
        for n in shape.hosts:
            self._host(n)
        for plane in shape.all_planes:
            self._plane(plane)

    @property
    def links(self):
        return self._links.all

    def _add(self, ns, *lines):
        self.inside.setdefault(ns, []).extend(lines)

    def _plane(self, plane):
        shape = self.shape
        for rack in shape.all_racks:
            self._switch(plan.t0(plane, rack), plan.t0_usid(plane, rack))
        for spine in shape.all_spines:
            self._switch(plan.t1(plane, spine), plan.t1_usid(plane, spine))
        for n in shape.hosts:
            self._uplink(n, plane)
        for rack in shape.all_racks:
            for spine in shape.all_spines:
                self._trunk(plane, rack, spine)

    def _switch(self, ns, usid):
        """An always-up device for the local SID: its route must outlive every link."""
        self._add(ns, "link set lo up")
        if not self.shape.plain:
            self._add(
                ns, "link add sr0 type dummy", "link set sr0 up",
                f"route add {plan.BLOCK}:{usid}::/48 encap seg6local action End "
                "flavors next-csid lblen 32 nflen 16 dev sr0",
            )  # fmt: skip

    def _host(self, n):
        ns = plan.host(n)
        self._add(
            ns, "link set lo up", f"link add mrc mtu {self.shape.mtu} type dummy",
            "link set mrc up",
        )  # fmt: skip
        if not self.shape.bare:
            self._addresses(n)
        if self.shape.plain_too:
            # Not on the anchor, because each address there is a GID.
            self._add(ns, *(f"addr add {plan.plain(plane, n)}/128 dev lo nodad"
                            for plane in (plan.ALL_PLANES, *self.shape.all_planes)))  # fmt: skip
        if self.shape.management:
            self._management(n)

    def _addresses(self, n):
        ns = plan.host(n)
        self._add(ns, f"addr add {plan.gid(n)}/64 dev mrc nodad")
        if not self.shape.plain:
            self._add(
                ns, f"addr add {plan.sid(n)}/128 dev mrc nodad", f"sr tunsrc set {plan.sid(n)}"
            )

    def _management(self, n):
        """A bridge in h1, and a link to it from every other host. It is no part of the fabric: no fault
        affects it."""
        first, ns = plan.host(1), plan.host(n)
        if n == 1:
            self._add(first, "link add mgmt type bridge")
        else:
            self.outside.append(
                f"link add mgmt netns {ns} type veth peer name mgmt{n} netns {first}"
            )
            self._add(first, f"link set mgmt{n} master mgmt", f"link set mgmt{n} up")
        self._add(ns, "link set mgmt up", f"addr add {plan.management(n)}/16 dev mgmt")

    def _join(self, link):
        self.outside.append(
            f"link add {link.if_a} netns {link.ns_a} address {link.mac_a} mtu {self.shape.mtu} "
            f"type veth peer name {link.if_b} netns {link.ns_b} address {link.mac_b} "
            f"mtu {self.shape.mtu}"
        )
        self._add(
            link.ns_a, f"link set {link.if_a} up",
            f"neigh replace {link.address_b} lladdr {link.mac_b} dev {link.if_a} nud permanent",
        )  # fmt: skip
        self._add(
            link.ns_b, f"link set {link.if_b} up",
            f"neigh replace {link.address_a} lladdr {link.mac_a} dev {link.if_b} nud permanent",
        )  # fmt: skip

    def _uplink(self, n, plane):
        link = self._links.uplink(self.shape, plane, n)
        self._join(link)
        if self.shape.plain:
            self._plain_gids(link, n, plane)
            return
        t0_usid = plan.t0_usid(plane, self.shape.rack_of(n))
        self._add(link.ns_b, self._to_host(plan.sid(n) + "/48", link))
        self._add(link.ns_a, f"route replace {plan.BLOCK}:{t0_usid}::/48 via {link.address_b} "
                             f"dev {link.if_a}")  # fmt: skip
        if self.shape.plain_too:
            self._plain_uplink(link, n, plane, "replace")
            # The address of all planes: one more member of a multipath route.
            self._plain_uplink(link, n, plan.ALL_PLANES, "append")

    def _to_host(self, prefix, link):
        return f"route replace {prefix} via {link.address_a} dev {link.if_b}"

    def _plain_gids(self, link, n, plane):
        own = plan.gid(n)
        self._add(link.ns_b, self._to_host(own + "/128", link))
        self._add(link.ns_a, *(
            f"route replace {plan.gid(other)}/128 via {link.address_b} dev {link.if_a} "
            f"metric {100 + plane} src {own}" for other in self.shape.others(n)
        ))  # fmt: skip

    def _plain_uplink(self, link, n, plane, verb):
        own = plan.plain(plane, n)
        self._add(link.ns_b, self._to_host(own + "/128", link))
        self._add(link.ns_a, *(
            f"route {verb} {plan.plain(plane, other)}/128 via {link.address_b} "
            f"dev {link.if_a} src {own}" for other in self.shape.others(n)
        ))  # fmt: skip

    def _trunk(self, plane, rack, spine):
        link = self._links.trunk(plane, rack, spine)
        self._join(link)
        if not self.shape.plain:
            self._add(link.ns_a, f"route replace {plan.BLOCK}:{plan.t1_usid(plane, spine)}::/48 "
                                 f"via {link.address_b} dev {link.if_a}")  # fmt: skip
            self._add(link.ns_b, f"route replace {plan.BLOCK}:{plan.t0_usid(plane, rack)}::/48 "
                                 f"via {link.address_a} dev {link.if_b}")  # fmt: skip
        if self.shape.plain or self.shape.plain_too:
            self._plain_trunk(link, plane, rack)

    def _plain_trunk(self, link, plane, rack):
        for n in self.shape.hosts:
            for address in self._routed(plane, n):
                if self.shape.rack_of(n) == rack:
                    self._add(link.ns_b, self._to_host(address + "/128", link))
                else:
                    # One more member of the multipath route.
                    self._add(link.ns_a, f"route append {address}/128 via {link.address_b} "
                                         f"dev {link.if_a}")  # fmt: skip

    def _routed(self, plane, n):
        """The addresses of a host to which plain routes lead."""
        if self.shape.plain:
            return [plan.gid(n)]
        return [plan.plain(plane, n), plan.plain(plan.ALL_PLANES, n)]
