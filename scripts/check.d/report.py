# SPDX-License-Identifier: GPL-2.0-only
"""Tells what a run does while it goes on, and leaves summary.json and index.html behind."""

import html
import json
import sys

# A run is slower than the one before if it takes this many times as long.
SLOWER = 1.2

_PAGE = """<!doctype html>
<meta charset="utf-8"><title>make check</title>
<style>
body {{ font: 14px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 60em; }}
table {{ border-collapse: collapse; width: 100%; }}
td, th {{ text-align: left; padding: .2em .8em; border-bottom: 1px solid #ddd; }}
td.number, th.number {{ text-align: right; font-variant-numeric: tabular-nums; }}
.bar {{ background: #9bc; height: .7em; }}
.failed td {{ background: #fdd; }} .again td {{ background: #ffd; }}
</style>
<h1>{passed} passed, {failed} failed, {skipped} skipped</h1>
<p>Commit {commit}, {minutes:.1f} minutes: {phases}.</p>
<table><tr><th>file<th>kernel<th>result
<th class="number">passed<th class="number">seconds<th width="30%">
{rows}
</table>
"""


def say(text):
    print(text, flush=True)


def warn(text):
    print(f"check: {text}", file=sys.stderr, flush=True)


def duration(seconds):
    """The duration in words that fit a line."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"


def result_word(entry):
    if entry["failed"]:
        return "FAILED"
    return "skipped" if not entry["passed"] else "ok"


def progress(number, total, entry):
    """One line for a file that has ended."""
    width = len(str(total))
    say(
        f"[{number:{width}}/{total}] {result_word(entry):7} {entry['kernel']:5} "
        f"{entry['file']:20} {entry['seconds']:4.0f} s, {entry['passed']:3} passed"
        + (f", {entry['failed']} failed" if entry["failed"] else "")
        + (f", {entry['skipped']} skipped" if entry["skipped"] else "")
        + (" (second try)" if entry["again"] else "")
    )


def slower_files(old, new, most=3):
    """Files that took longer than the last time, if all together did: [(name, before, now)]."""
    before = {(one["kernel"], one["file"]): one["seconds"] for one in old.get("files", [])}
    both = [one for one in new["files"] if (one["kernel"], one["file"]) in before]
    took = [(one, before[one["kernel"], one["file"]]) for one in both]
    if sum(one["seconds"] for one, _ in took) <= SLOWER * sum(was for _, was in took):
        return []
    took.sort(key=lambda pair: pair[1] - pair[0]["seconds"])
    return [(f"{one['file']} on {one['kernel']}", was, one["seconds"]) for one, was in took[:most]]


def _row(entry, longest):
    cells = "".join(f"<td>{html.escape(str(entry[key]))}" for key in ("file", "kernel"))
    kind = "failed" if entry["failed"] else "again" if entry["again"] else ""
    word = result_word(entry) + (", second try" if entry["again"] else "")
    return (
        f'<tr class="{kind}">{cells}<td>{word}'
        f'<td class="number">{entry["passed"]}<td class="number">{entry["seconds"]:.0f}'
        f'<td><div class="bar" style="width: {100 * entry["seconds"] / longest:.0f}%"></div>'
    )


def write(folder, summary):
    """summary.json, and index.html for people."""
    (folder / "summary.json").write_text(json.dumps(summary, indent=1) + "\n")
    entries = sorted(summary["files"], key=lambda entry: -entry["seconds"])
    longest = max((entry["seconds"] for entry in entries), default=0) or 1
    phases = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in summary["phases"].items())
    page = _PAGE.format(
        passed=summary["passed"],
        failed=summary["failed"],
        skipped=summary["skipped"],
        commit=html.escape(summary["commit"] or "unknown"),
        minutes=summary["seconds"] / 60,
        phases=phases,
        rows="\n".join(_row(entry, longest) for entry in entries),
    )
    (folder / "index.html").write_text(page)


def read(folder):
    """The last run's summary.json, or nothing."""
    try:
        return json.loads((folder / "summary.json").read_text())
    except (OSError, ValueError):
        return {}
