"""The data of a page that `bristle report` has written, as its form reads it (web/README.md)."""
import base64
import json
import re

import numpy as np

TYPES = {"f32": "<f4", "f64": "<f8", "u32": "<u4", "u8": "u1"}


def is_reference(told):
    return isinstance(told, dict) and told.keys() == {"at", "chars", "type", "count"}


def resolve(told, letters):
    if is_reference(told):
        data = base64.b64decode(letters[told["at"]:told["at"] + told["chars"]], validate=True)
        values = np.frombuffer(data, TYPES[told["type"]])
        assert len(values) == told["count"]
        return values
    if isinstance(told, dict):
        return {key: resolve(value, letters) for key, value in told.items()}
    return [resolve(value, letters) for value in told] if isinstance(told, list) else told


def read_page(path, raw=False):
    """With arrays in place of their references; raw: the JSON, and the letters."""
    text = path.read_text(encoding="utf-8")
    letters, = re.findall(r'<script type="text/plain" id="bristle-numbers">([^<]*)</script>', text)
    told, = re.findall(r'<script type="application/json" id="bristle-page">([^<]*)</script>', text)
    page = json.loads(told, parse_constant=lambda word: 1 / 0)  # NaN and Infinity are no JSON
    return (page, letters) if raw else resolve(page, letters)
