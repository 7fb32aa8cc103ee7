# SPDX-License-Identifier: GPL-2.0-only
"""Checks JSON of mrcctl against the schemas in Documentation/json.

Usage: schema_test.py SCHEMAS GOLDEN     the golden files; and each schema must refuse wrong documents
       schema_test.py SCHEMAS -          lines "COMMAND FILE": saved output of that command
"""

import copy
import json
import sys
import warnings
from pathlib import Path

# This class works both in Debian's jsonschema and in the newest one.
warnings.filterwarnings("ignore", category=DeprecationWarning)
import jsonschema  # noqa: E402


def read_schemas(folder):
    """A validator for each command, by name."""
    schemas = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    store = {f"{name}.json": schema for name, schema in schemas.items()}
    found = {}
    for name, schema in schemas.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        resolver = jsonschema.RefResolver(f"{name}.json", schema, store)
        found[name] = jsonschema.Draft202012Validator(schema, resolver=resolver)
    return found


def documents(text):
    """The documents of a text: one array, or one object per line."""
    decoder = json.JSONDecoder()
    text = text.lstrip()
    while text:
        document, end = decoder.raw_decode(text)
        yield document
        text = text[end:].lstrip()


def complaints(validator, text):
    return [
        f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
        for document in documents(text)
        for error in validator.iter_errors(document)
    ]


def schema_of(golden, schemas):
    """The schema of a golden file: peer for peer-remote.json, route-get for route-get-none.json."""
    name = golden
    while name not in schemas:
        name = name.rpartition("-")[0]
        if not name:
            sys.exit(f"{golden}: no schema")
    return name


def wrong_ones(document):
    """Copies of a document, each with one mistake: an unknown key, or a value of another type."""
    objects = document if isinstance(document, list) else [document]
    for number, one in enumerate(objects):
        for key in [None, *one]:
            changed = copy.deepcopy(objects)
            if key is None:
                changed[number]["nobody-knows"] = 1
            else:
                changed[number][key] = {"of": "another type"}
            yield key, changed if isinstance(document, list) else changed[0]


def check_golden(folder, schemas):
    seen, bad = set(), []
    for path in sorted(folder.glob("*.json")):
        name = schema_of(path.stem, schemas)
        seen.add(name)
        bad += [f"{path.name}: {text}" for text in complaints(schemas[name], path.read_text())]
        for document in documents(path.read_text()):
            bad += [f"{name}.json takes {path.name} with another {key or 'key'}"
                    for key, wrong in wrong_ones(document)
                    if not list(schemas[name].iter_errors(wrong))]  # fmt: skip
    return bad + [f"{name}.json: no golden file" for name in set(schemas) - seen - {"common"}]


def check_output(schemas):
    bad = []
    for number, line in enumerate(sys.stdin):
        command, file = line.split()
        bad += [f"{command}, output {number}: {text}"
                for text in complaints(schemas[command], Path(file).read_text())]  # fmt: skip
    return bad


def main():
    schemas = read_schemas(Path(sys.argv[1]))
    bad = check_output(schemas) if sys.argv[2] == "-" else check_golden(Path(sys.argv[2]), schemas)
    if bad:
        print("\n".join(bad))
    return 1 if bad else 0


sys.exit(main())
