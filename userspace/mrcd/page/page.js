// SPDX-License-Identifier: GPL-2.0-only
"use strict";

const every = 1000; // ms
const at = (id) => document.getElementById(id);
let latest = null; // the status that is shown
let before = null; // the status before, of an earlier time
const shown = {}; // data that each part was made from

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

// A duration in its two largest units.
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
	return new Date(ns / 1e6).toLocaleString("sv", {timeZoneName: "short"});
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

function shape(tag, attributes) {
	const made = document.createElementNS("http://www.w3.org/2000/svg", tag);

	for (const [name, value] of Object.entries(attributes))
		made.setAttribute(name, value);
	return made;
}

// A graph of the last probes, oldest to the left: a line for their RTTs, a bar for each lost probe.
function spark(loop) {
	const height = 16;
	const made = shape("svg", {class: "spark", viewBox: `0 0 100 ${height}`,
		preserveAspectRatio: "none", "aria-hidden": "true"});
	const scale = (height - 2) / (loop["rtt-max-ns"] / 1e3 || 1);
	let bars = "";
	let line = "";
	let pen = "M";

	loop["history-us"].forEach((rtt, index) => {
		const x = 100 - loop["history-us"].length + index + 0.5;
		if (rtt === 0)
			bars += `M${x} 0V${height}`;
		else
			line += `${pen}${x} ${(height - 1 - rtt * scale).toFixed(1)}`;
		pen = rtt === 0 ? "M" : "L";
	});
	made.append(shape("path", {class: "bars", d: bars}), shape("path", {class: "line", d: line}));
	return made;
}

function cell(name, loop) {
	const made = element("span", `cell ${heat(loop)}`, name);
	const lost = `${loop["recent-lost"]} of the last ${loop.recent} probes lost`;
	const rtts = ["rtt-min-ns", "rtt-median-ns", "rtt-max-ns"].map((key) => seconds(loop[key])).join(" / ");

	if (loop.verdict !== "alive")
		made.append(loop.verdict === "dead" ? " ✕" : " ?");
	else if (loop["recent-lost"])
		made.append(` −${Math.round((100 * loop["recent-lost"]) / loop.recent)} %`);
	else
		made.append(` ${seconds(loop["rtt-ns"])}`);
	made.title = `${name}: ${loop.verdict}, ${lost}` +
		(loop["rtt-max-ns"] ? `, RTT shortest / median / longest ${rtts}` : "");
	made.append(spark(loop));
	return made;
}

// Gb/s in a direction since the previous status.
function rate(now, port, direction) {
	const same = (status) => status?.plane?.find((plane) => plane.port === port);
	const a = same(before);
	const b = same(now);
	const time = before ? (now.health["time-ns"] - before.health["time-ns"]) / 1e9 : 0;
	const bytes = a && b ? b[`${direction}-bytes`] - a[`${direction}-bytes`] : -1;

	if (bytes < 0 || time <= 0)
		return "–";
	return `${((8 * bytes) / time / 1e9).toFixed(2)} Gb/s`;
}

// The state that the kernel reports of a plane, if it does.
function planeState(status, port) {
	const plane = status.plane?.find((other) => other.port === port);

	if (!status.plane)
		return "state not known";
	return plane ? (plane.up ? "up" : "down") : "not there";
}

// The card of a plane. Shows links if they are watched.
function planeCard(status, plane) {
	const up = planeState(status, plane.port);
	const cells = element("div", "cells");

	if (plane.t0)
		cells.append(cell(plane.t0, plane), ...plane.t1.map((t1) => cell(t1.name, t1)));
	return element(
		"div", "plane",
		element("h3", "", `Plane ${plane.port}`),
		element("p", "faint", `${plane.ifname}${plane.carrier === false ? ", no carrier" : ""}, ${up}; ` +
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
		const good = [...letters].filter((letter) => "GRSH".includes(letter)).length;

		strip.append(...[...letters].map((letter) => element("i", `ev ${letter}`)));
		strip.title = `Plane ${port}: ${good} of ${letters.length} EVs usable`;
		card.append(strip);
	}
	return card;
}

function problemLine(problem, now) {
	const line = element("li", "", element("strong", "", problem.what),
		` for ${duration(now - problem["since-ns"])}: ${problem.seen}`);

	if (problem.mend)
		line.append(element("code", "mend", problem.mend));
	return line;
}

// The line to show when no problem is known.
function healthLine(state) {
	return element("li", state === "well" ? "none" : "unwatched",
		state === "well" ? "All is well." : "Not known: the kernel does not say, or it is too early to tell.");
}

function faultLine(fault, now) {
	const denied = fault.denied ? "its EVs are denied" :
		"not denied, because too few planes or T1s would be left";
	const lost = fault.lost ? ` (named after ${fault.lost} lost probes)` : "";

	return element("li", "", element("strong", "", fault.element),
		` (${fault.kind}) for ${duration(now - fault["since-ns"])}: ${fault.evidence}${lost}; ${denied}`);
}

// A line for a decision, or for an event that may have happened several times.
function timedLine(told) {
	const time = element("time", "", timeOf(told["time-ns"]));
	const more = told.count > 1 ? ` (and ${told.count - 1} more like it)` : "";

	time.dateTime = new Date(told["time-ns"] / 1e6).toISOString();
	return element("li", "", time, ` ${told.text}${more}`);
}

function showTimed(id, list) {
	fill(id, list, () => list.slice(-50).reverse().map(timedLine),
		element("li", "faint", "None so far."));
}

// Replaces a part only if its data has changed, so that nobody who reads or selects is disturbed.
function fill(id, source, make, otherwise) {
	const text = JSON.stringify(source);

	if (shown[id] === text)
		return;
	shown[id] = text;
	const children = make();
	at(id).replaceChildren(...(children.length ? children : [otherwise]));
}

function showPeers(status) {
	const hidden = (status.peers ?? 0) - (status.peer ?? []).length;
	const none = status.peer ? "None is in use." : "Not known.";

	fill("peers", [status.peer, hidden], () => {
		const cards = (status.peer ?? []).map(peerCard);
		if (hidden > 0)
			cards.push(element("p", "faint", `and ${hidden} more`));
		return cards;
	}, element("p", "faint", none));
}

function showCounts(status) {
	const qps = Object.entries(status.qp ?? {}).map(([state, count]) => `${count} ${state}`);
	const parts = [];

	if (status.peers !== undefined)
		parts.push(`· ${status.peers} peers`);
	if (status.qp)
		parts.push(`· QPs: ${qps.join(", ") || "none"}`);
	at("counts").textContent = parts.join(" ");
}

function show(status) {
	const health = status.health;
	const watched = health.plane.length > 0;
	const planes = watched ? health.plane : status.plane ?? [];
	const count = health.problem.length;

	if (latest && latest.health["time-ns"] !== health["time-ns"])
		before = latest;
	latest = status;
	at("title").textContent = `${health["dev-name"]} on ${health.host}`;
	document.title = `${count ? `(${count}) ` : ""}${at("title").textContent}`;
	at("status").textContent = status.error ? `${health.status}; ${status.error}` : health.status;
	showCounts(status);
	fill("problems", [health.problem, health.state, health["time-ns"]],
		() => health.problem.map((problem) => problemLine(problem, health["time-ns"])),
		healthLine(health.state));
	fill("faults", watched ? [health.fault, health["time-ns"]] : "unwatched",
		() => health.fault.map((fault) => faultLine(fault, health["time-ns"])),
		element("li", watched ? "none" : "unwatched",
			watched ? "Nothing is broken." : "Links are not watched."));
	fill("planes", [planes, status.plane], () => planes.map((plane) => planeCard(status, plane)),
		element("p", "faint", "Not known."));
	showPeers(status);
	showTimed("decisions", health.decision);
	showTimed("events", status.event);
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
		show(await answer.json());
		setStale("");
	} catch (error) {
		const since = latest ? `; this is from ${timeOf(latest.health["time-ns"])}` : "";
		setStale(`No news: ${error.message}${since}`);
	}
	setTimeout(refresh, every);
}

refresh();
