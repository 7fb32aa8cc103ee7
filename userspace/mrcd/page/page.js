// SPDX-License-Identifier: GPL-2.0-only
"use strict";

const every = 1000; // ms
const at = (id) => document.getElementById(id);
let before = null; // the status that was shown last, with the time of its arrival

function element(tag, className, ...children) {
	const made = document.createElement(tag);

	made.className = className;
	made.append(...children);
	return made;
}

function seconds(ns) {
	if (ns < 1e6)
		return `${(ns / 1e3).toFixed(0)} µs`;
	if (ns < 1e9)
		return `${(ns / 1e6).toFixed(ns < 1e7 ? 2 : 1)} ms`;
	return `${(ns / 1e9).toFixed(1)} s`;
}

// The two largest units that there are.
function duration(ns) {
	const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
	let rest = Math.max(0, Math.floor(ns / 1e9));
	const parts = [];

	for (const [unit, size] of units) {
		if (rest >= size || (unit === "s" && !parts.length))
			parts.push(`${Math.floor(rest / size)} ${unit}`);
		rest %= size;
	}
	return parts.slice(0, 2).join(" ");
}

function timeOf(ns) {
	return new Date(ns / 1e6).toLocaleString("sv");
}

function heat(loop) {
	const part = loop.recent ? loop["recent-lost"] / loop.recent : 0;

	if (loop.verdict !== "alive")
		return loop.verdict;
	if (part >= 0.25)
		return "heat-3";
	if (part >= 0.1)
		return "heat-2";
	return part > 0 ? "heat-1" : "heat-0";
}

function cell(name, loop) {
	const made = element("span", `cell ${heat(loop)}`, name);
	const lost = `${loop["recent-lost"]} of the last ${loop.recent} probes lost`;

	if (loop.verdict !== "alive")
		made.append(loop.verdict === "dead" ? " ✕" : " ?");
	else if (loop["recent-lost"])
		made.append(` ${Math.round((100 * loop["recent-lost"]) / loop.recent)}%`);
	made.title = `${name}: ${loop.verdict}, ${lost}, ${seconds(loop.rtt)}`;
	return made;
}

// Gb/s and packets/s of a direction since the status before.
function rate(now, port, direction) {
	const same = (status) => status?.plane?.find((plane) => plane.port === port);
	const a = same(before);
	const b = same(now);
	const time = before ? (now.arrived - before.arrived) / 1000 : 0;
	const bytes = a && b ? b[`${direction}-bytes`] - a[`${direction}-bytes`] : -1;

	if (bytes < 0 || time <= 0)
		return "–";
	return `${((8 * bytes) / time / 1e9).toFixed(2)} Gb/s`;
}

function planeCard(status, plane) {
	const kernel = status.plane?.find((other) => other.port === plane.port);
	const up = kernel ? (kernel.up ? "up" : "down") : "not there";
	const cells = element("div", "cells", cell(plane.t0, plane));

	cells.append(...plane.t1.map((t1) => cell(t1.name, t1)));
	return element(
		"div", "plane",
		element("h3", "", `Plane ${plane.port}`),
		element("p", "faint", `${plane.ifname}${plane.carrier ? "" : ", no carrier"}, ${up}; ` +
			`sent ${rate(status, plane.port, "tx")}, ` +
			`received ${rate(status, plane.port, "rx")}`),
		cells);
}

function peerCard(peer) {
	const card = element("div", "peer", element("h3", "", peer["remote-gid"]));

	card.append(element("p", "faint", `EV profile ${peer["ev-profile"]}, ` +
		`${peer["tx-packets"]} packets sent, ${peer.lost} lost`));
	for (const [port, letters] of Object.entries(peer.ev)) {
		const strip = element("div", "strip", element("b", "", port));
		const good = [...letters].filter((letter) => letter === "g" || letter === "s").length;

		strip.append(...[...letters].map((letter) => element("i", `ev ${letter}`)));
		strip.title = `Plane ${port}: ${good} of ${letters.length} EVs in use`;
		card.append(strip);
	}
	return card;
}

function faultLine(fault, now) {
	const denied = fault.denied ? "its EVs are denied" : "not denied: too little would be left";

	return element("li", "", element("strong", "", fault.element),
		` (${fault.kind}) for ${duration(now - fault.since)}: ${fault.evidence}; ${denied}`);
}

function decisionLine(decision) {
	const time = element("time", "", timeOf(decision.time));

	time.dateTime = new Date(decision.time / 1e6).toISOString();
	return element("li", "", time, ` ${decision.text}`);
}

function fill(id, children, otherwise) {
	at(id).replaceChildren(...(children.length ? children : [otherwise]));
}

function show(status) {
	const health = status.health;
	const faults = health.fault.map((fault) => faultLine(fault, health.time));
	const hidden = (status.peers ?? 0) - (status.peer ?? []).length;
	const peers = (status.peer ?? []).map(peerCard);
	const qps = Object.entries(status.qp ?? {}).map(([state, count]) => `${count} ${state}`);

	at("title").textContent = `${health["dev-name"]} on ${health.host}`;
	document.title = `${faults.length ? `(${faults.length}) ` : ""}${at("title").textContent}`;
	at("status").textContent = status.error ? `${health.status}; ${status.error}` : health.status;
	at("counts").textContent = status.error ? "" :
		`· ${status.peers} peers · QPs: ${qps.join(", ") || "none"}`;
	fill("faults", faults, element("li", "none", "Nothing is broken."));
	fill("planes", health.plane.map((plane) => planeCard(status, plane)),
		element("p", "faint", "Links are not watched."));
	if (hidden > 0)
		peers.push(element("p", "faint", `and ${hidden} more`));
	fill("peers", peers, element("p", "faint", "None is in use."));
	fill("decisions", health.decision.slice(-50).reverse().map(decisionLine),
		element("li", "faint", "None so far."));
	before = status;
}

function setStale(text) {
	at("stale").hidden = !text;
	at("stale").textContent = text;
	document.body.className = text ? "old" : "";
}

async function refresh() {
	try {
		const answer = await fetch("status.json", {signal: AbortSignal.timeout(5000)});

		if (!answer.ok)
			throw new Error(`mrcd says ${answer.status}`);
		const status = await answer.json();
		status.arrived = Date.now();
		show(status);
		setStale("");
	} catch (error) {
		const since = before ? `; this is from ${timeOf(before.arrived * 1e6)}` : "";
		setStale(`No news: ${error.message}${since}`);
	}
	setTimeout(refresh, every);
}

refresh();
