# SPDX-License-Identifier: GPL-2.0-only
"""Compares MRC's goodput with what the planes still carried, and what mrcd named with what was broken.

What the machine withheld from a plane (carried.py) does not count as carried: no flow could have had
it.

A decision is one of
  ELEMENT is denied: EVIDENCE (EVS)
  ELEMENT is not denied, because too few planes or T1s would be left: EVIDENCE
  ELEMENT is allowed again: EVIDENCE (EVS)
  ELEMENT is no longer a fault: EVIDENCE
"""
from parts import NAMES, capacity

NEAR = "h1"
# MRC's goodput must be at least and at most these parts of what the remaining planes carry.
SHARE = 0.85, 1.10
# If the machine withholds more than this in total, nothing can be said about MRC.
WITHHELD = 0.5
# Probes that were lost before a repair may count for this many seconds after it.
ECHO = 1.0


def parts(decision):
    """The element of a decision, and what became of it."""
    element, _, what = decision["text"].partition(" is ")
    return element, what


def names(decision):
    return parts(decision)[1].startswith(("denied: ", "not denied, "))


def lasted(fault, t):
    """Whether the element was broken then, as far as probes can tell."""
    return fault["from"] <= t and (fault["to"] is None or t <= fault["to"] + ECHO)


def naming_of(fault, decisions):
    """The first decision of h1 that names the fault; None if there is none."""
    for decision in decisions:
        if decision["host"] == NEAR and names(decision) and \
                parts(decision)[0] == fault["element"] and lasted(fault, decision["t"]):
            return decision
    return None


def outcome(fault, decisions):
    """When h1 named a fault, whether it denied it, and when it allowed it again."""
    naming = naming_of(fault, decisions)
    again = [d["t"] - fault["to"] for d in decisions
             if d["host"] == NEAR and parts(d)[0] == fault["element"] and not names(d)
             and fault["to"] is not None and d["t"] >= fault["to"]]
    return {
        "element": fault["element"], "what": fault["what"], "how": fault["how"],
        "named_after": naming["t"] - fault["from"] if naming else None,
        "denied": bool(naming) and parts(naming)[1].startswith("denied"),
        "allowed_after": again[0] if again else None,
    }


def mistaken(faults, decisions):
    """Decisions that name something that was not broken."""
    return [d for d in decisions if names(d) and not any(
        fault["element"] == parts(d)[0] and lasted(fault, d["t"]) for fault in faults)]


def left(decisions):
    """(host, element) of all that is still named at the end."""
    last = {(d["host"], parts(d)[0]): names(d) for d in decisions}
    return [key for key, named in last.items() if named]


def withheld(planes):
    """What the machine withheld from these planes, as a part of what they could have carried."""
    return sum(plane.withheld for plane in planes) / len(planes) if planes else 0.0


def plane_text(plane):
    """How much the plane carried, and why not more."""
    why = [f"{share:.0%} {what}" for share, what in
           ((plane.idle, "left idle"), (plane.withheld, "withheld by the machine")) if share >= 0.01]
    return f"plane {plane.plane} carried {plane.had:.0%}" + (f" ({', '.join(why)})" if why else "")


def goodput_complaints(name, parts, rate, planes):
    """What is wrong with MRC's goodput, a sentence each. @planes: for each part a Carried of each plane
    that is left; empty if not known"""
    found = []
    for part, of_part in zip(parts, planes):
        share = part["mbps"] / capacity(rate, part["left"])
        kept = withheld(of_part)
        told = "".join(f"; {plane_text(plane)}" for plane in of_part)
        if kept > WITHHELD:
            found.append(f"this machine was too busy: it withheld {kept:.0%} of what "
                         f"{part['left']} planes carry while {part['name']}{told}")
        elif not SHARE[0] * (1 - kept) <= share <= SHARE[1]:
            found.append(f"{name} has {share:.0%} of what {part['left']} planes carry "
                         f"while {part['name']}{told}")
    return found


def peer_complaints(name, parts):
    """Another protocol may lose anything, but not before something breaks."""
    idle = [part for part in parts if part["name"] == NAMES[0] and not part["mbps"]]
    return [f"{name} sends nothing while {NAMES[0]}"] if idle else []


def complaints(faults, decisions):
    """What mrcd did wrong, a sentence each."""
    found = []
    for result in (outcome(fault, decisions) for fault in faults):
        if result["named_after"] is None:
            found.append(f"mrcd of {NEAR} did not name {result['element']}")
        elif not result["denied"]:
            found.append(f"mrcd of {NEAR} named {result['element']}, but did not deny it")
    found += [f"mrcd of {d['host']} was wrong at {d['t']:.1f} s: {d['text']}"
              for d in mistaken(faults, decisions)]
    return found + [f"mrcd of {host} takes {element} for broken in the end"
                    for host, element in left(decisions)]
