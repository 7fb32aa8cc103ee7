# SPDX-License-Identifier: GPL-2.0-only
"""Drives a browser over its pipe (Chrome DevTools Protocol). Called by page.sh."""

import base64
import json
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import yaml

TOP, SERVER, BROWSER, FOLDER = sys.argv[1:5]
PICTURES = os.path.join(TOP, "build/page")
DEADLINE = 120  # seconds for whatever is waited for: ends a hung test, measures nothing
failed = False


def check(name, right, found=""):
    global failed
    if not right:
        failed = True
        print(f"{name}: {found}")


class Browser:
    """One page of the browser."""

    def __init__(self):
        to_browser, self.requests = os.pipe()
        self.answers, from_browser = os.pipe()
        self.number = 0
        self.rest = b""

        def take_pipes():
            # The browser expects the pipes as 3 and 4; any of the four descriptors may have these
            # numbers.
            requests = os.dup(to_browser)
            answers = os.dup(from_browser)
            safe = [os.dup2(requests, 60), os.dup2(answers, 61)]
            os.dup2(safe[0], 3)
            os.dup2(safe[1], 4)

        self.process = subprocess.Popen(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             f"--user-data-dir={FOLDER}/browser", "--disable-dev-shm-usage"],
            close_fds=False, preexec_fn=take_pipes,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    session = None

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.requests, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def read(self):
        while b"\0" not in self.rest:
            if not select.select([self.answers], [], [], DEADLINE)[0]:
                raise RuntimeError("the browser says nothing")
            part = os.read(self.answers, 1 << 16)
            if not part:
                raise RuntimeError("the browser has ended")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def evaluate(self, expression):
        return self.call("Runtime.evaluate", expression=expression,
                         returnByValue=True)["result"].get("value")

    def wait_for(self, expression):
        end = time.monotonic() + DEADLINE
        while not self.evaluate(expression):
            if time.monotonic() > end:
                return False
            time.sleep(0.2)
        return True

    def window(self, width, scheme):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setScrollbarsHidden", hidden=True)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        check(f"a window of {width} pixels", self.wait_for(
            f"innerWidth === {width} && matchMedia('(prefers-color-scheme: {scheme})').matches"))

    def screenshot(self, name):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        with open(os.path.join(PICTURES, name), "wb") as file:
            file.write(base64.b64decode(data))

    def end(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def brightness(browser, what):
    color = browser.evaluate(f"getComputedStyle(document.body).{what}")
    return sum(int(part) for part in color[color.index("(") + 1:-1].split(",")[:3])


def check_content(browser):
    text = browser.evaluate("document.body.innerText")
    for wanted in ("mrc0 on h1", "as planned", "h1-p2t0r1 (host-link)", "no carrier",
                   "for 1 min 37 s", "Plane 1", "Plane 2", "eth2", "p1t1s1 ✕", "2 peers", "2 rts, 1 err",
                   "fd00:6d72:63::1", "h1-p2t0r1 is denied: <no carrier>", "plane 2 (eth2): down",
                   "assumed-bad, was good (<loss>) (and 2 more like it)",
                   "plane 1 (eth1) is set down for 1 min: by <hand>", "mrcctl plane set mrc0 port 1 up",
                   "h1-p2t0r1 is broken"):
        check("the page's text", wanted in text, f"no '{wanted}' in:\n{text}")
    count = "document.querySelectorAll('{}').length"
    for selector, wanted in (("#problems li", 2), ("#problems code", 1), ("#faults li", 2), (".plane", 2), (".peer", 2), (".ev.B", 1 + 3),
                             (".plane .cell.dead", 4), ("#decisions li", 1), ("#events li", 2)):
        check(selector, browser.evaluate(count.format(selector)) == wanted,
              browser.evaluate(count.format(selector)))
    check_sparks(browser)
    check("title", browser.evaluate("document.title") == "(2) mrc0 on h1")
    check("nothing but our own is loaded", browser.evaluate(
        "performance.getEntriesByType('resource').every(e => e.name.startsWith(location.origin))"))


def check_sparks(browser):
    """A line where all probes come back, bars where none does."""
    shape = ("(() => {{ const cell = [...document.querySelectorAll('.plane .cell')]"
             ".find(c => c.textContent.startsWith('{}'));"
             " const d = (part) => cell.querySelector('.spark .' + part).getAttribute('d');"
             " const box = cell.querySelector('.spark').getBoundingClientRect();"
             " return [d('line').split('L').length, d('bars').split('V').length - 1,"
             " box.width > 50 && box.height > 8, cell.title] }})()")
    recent = browser.evaluate("latest.health.plane[0].recent")
    line, bars, seen, title = browser.evaluate(shape.format("p1t0r1"))
    check("spark of a link that works", recent > 10 and line == recent and bars == 0 and seen,
          (recent, line, bars, seen))
    check("its RTTs", "RTT shortest / median / longest 1.00 ms / 1.00 ms / 1.00 ms" in title, title)
    recent = browser.evaluate("latest.health.plane[0].t1[0].recent")
    line, bars, seen, title = browser.evaluate(shape.format("p1t1s1"))
    check("spark of a dead one", recent > 10 and line == 1 and bars == recent and seen,
          (recent, line, bars, seen))
    check("it has no RTTs", "RTT" not in title, title)


def check_states(browser):
    """The page with less data: nothing is watched, the module is not loaded."""
    show = ('show({...full, health: {...full.health, '
            '"time-ns": latest.health["time-ns"] + 1, %s}, %s})')
    text = "document.getElementById('%s').innerText"
    browser.evaluate("var full = latest")
    for health, rest, part, wanted in (
            ("plane: [], fault: []", "", "faults", "Links are not watched."),
            ("plane: [], fault: []", "", "planes", "Plane 2"),
            ("fault: []", "", "faults", "Nothing is broken."),
            ("problem: [], state: 'well'", "", "problems", "All is well."),
            ("problem: [], state: 'unknown'", "", "problems", "Not known"),
            ("", "peer: [], peers: 0", "peers", "None is in use."),
            ("", "peer: undefined, peers: undefined, error: 'away'", "peers", "Not known."),
            ("", "plane: undefined, error: 'away'", "planes", "state not known"),
            ("", "error: 'away'", "status", "away"),
            ("", "event: []", "events", "None so far."),
            ("host: 'h'.repeat(300)", "", "title", "hhh")):
        browser.evaluate(show % (health, rest))
        found = browser.evaluate(text % part)
        check(f"{health} {rest}", wanted in found, found)
    browser.window(400, "light")
    over = browser.evaluate("document.documentElement.scrollWidth - innerWidth")
    check("a long name", over <= 0, f"{over} pixels too wide")


def check_windows(browser):
    for scheme in ("light", "dark"):
        for width in (400, 1280, 4000):
            browser.window(width, scheme)
            over = browser.evaluate("document.documentElement.scrollWidth - innerWidth")
            check(f"{width} pixels, {scheme}", over <= 0, f"{over} pixels too wide")
            browser.screenshot(f"{scheme}-{width}.png")
        ground = brightness(browser, "backgroundColor")
        ink = brightness(browser, "color")
        check(scheme, (ground > ink + 300) if scheme == "light" else (ink > ground + 300),
              f"ground {ground}, ink {ink}")
    columns = "getComputedStyle(document.getElementById('planes')).gridTemplateColumns.split(' ').length"
    browser.window(400, "light")
    check("one column where it is narrow", browser.evaluate(columns) == 1, browser.evaluate(columns))
    browser.window(4000, "light")
    check("more where it is wide", browser.evaluate(columns) > 1, browser.evaluate(columns))


def names_in(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return set(re.findall(r"\bmrc_[a-z0-9_]+", file.read()))


def check_documents(families):
    """Each metric is explained, and each used metric exists."""
    with open(os.path.join(TOP, "kernel/transport/device/counters.h"), encoding="utf-8") as file:
        counters = {f"mrc_{name}_total" for name in re.findall(r'X\([A-Z_]+,\s*"(\w+)"\)', file.read())}
    there = {f.name + ("_total" if f.type == "counter" else "") for f in families}
    explained = names_in("Documentation/metrics.md")
    check("metrics.md", there - counters <= explained, there - counters - explained)
    for path in ("Documentation/metrics.md", "Documentation/monitoring/alerts.yml",
                 "Documentation/monitoring/dashboard.json"):
        check(path, names_in(path) <= there | counters, names_in(path) - there - counters)
    with open(os.path.join(TOP, "Documentation/monitoring/alerts.yml"), encoding="utf-8") as file:
        rules = yaml.safe_load(file)["groups"][0]["rules"]
    check("alerts.yml", all(rule["expr"] and rule["annotations"]["summary"] for rule in rules))
    with open(os.path.join(TOP, "Documentation/monitoring/dashboard.json"), encoding="utf-8") as file:
        check("dashboard.json", len(json.load(file)["panels"]) > 5)


def check_with_promtool(text):
    """Checks with Prometheus's own tool, if it is installed."""
    promtool = shutil.which("promtool")
    if not promtool:
        return
    rules = os.path.join(TOP, "Documentation/monitoring/alerts.yml")
    for arguments, given in ((["check", "metrics"], text), (["check", "rules", rules], "")):
        done = subprocess.run([promtool] + arguments, input=given, text=True, capture_output=True)
        check(f"promtool {arguments[1]}", done.returncode == 0, done.stdout + done.stderr)


def check_metrics(port):
    try:
        from prometheus_client.parser import text_string_to_metric_families
    except ImportError:
        print("no python3-prometheus-client: metrics not parsed")
        sys.exit(1 if failed else 4)
    straight = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with straight.open(f"http://127.0.0.1:{port}/metrics", timeout=DEADLINE) as answer:
        text = answer.read().decode()
    families = list(text_string_to_metric_families(text))
    names = [family.name for family in families]
    check("metrics: families", len(families) > 20 and len(set(names)) == len(names), names)
    for family in families:
        samples = [(s.name, tuple(sorted(s.labels.items()))) for s in family.samples]
        check(family.name, family.documentation and samples, "no help, or no sample")
        check(family.name, len(set(samples)) == len(samples), "the same sample twice")
        check(family.name, family.type in ("counter", "gauge"), family.type)
        check(family.name, (family.type == "counter") == samples[0][0].endswith("_total"), samples[0])
    check_documents(families)
    check_with_promtool(text)


def main():
    port = free_port()
    server = subprocess.Popen([SERVER, str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    check("server", server.stdout.readline() == b"ready\n")
    browser = Browser()
    try:
        browser.window(1280, "light")
        browser.call("Page.navigate", url=f"http://127.0.0.1:{port}/")
        check("the page fills", browser.wait_for("document.querySelectorAll('.peer').length"))
        check_content(browser)
        check_windows(browser)
        check_metrics(port)
        server.stdin.close()
        server.wait()
        check("it says that there is no news", browser.wait_for(
            "document.getElementById('stale').innerText.includes('No news')"))
        check_states(browser)
    finally:
        browser.end()
        server.kill()
    sys.exit(1 if failed else 0)


main()
