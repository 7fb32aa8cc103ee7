# SPDX-License-Identifier: GPL-2.0-only
"""The error that ends a command: one line that names the thing, and the exit status."""


class Refused(Exception):
    """The command cannot be done."""

    status = 1


class Usage(Refused):
    """The command line makes no sense."""

    status = 2


def number(name, text, low, high):
    """The number that an argument stands for."""
    if text.isascii() and text.isdigit() and len(text) <= 5 and low <= int(text) <= high:
        return int(text)
    raise Usage(f"{name} wants a number from {low} to {high}, not '{text}'")
