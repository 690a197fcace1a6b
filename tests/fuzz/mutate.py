"""Mutations of valid inputs, drawn by hypothesis: of bytes, of a tree of JSON or YAML, and of words in a text."""

import copy
import json
from typing import Any

import hypothesis.strategies as st

NASTY_TEXT = (
    "", "-1", "0", "010", "1:30", "on", "1e3", ".inf", ".nan", "NaN", "null", "~", "[red]x[/b]", "../../etc/passwd", "/proc/self/mem",
    "/dev/zero", "a\0b", "$(touch PWNED)", "'; touch PWNED; '", "a\nb", "\x1b[31m", "é", "\ud800", "a" * 5000, "9" * 5000, "!!int x",
    "!!python/object/apply:os.system [x]", "&a [*a]", "*x", "<<", "{value: 1, 2: 3}", "[" * 200, "0x10", "1_000", "１", "²", "%YAML 1.1",
)  # fmt: skip
NASTY_NUMBERS = (
    0, -1, 1, 31, 32, 33, 255, 256, 1024, 1025, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**63 - 1, 2**63, 2**64 - 1,
    2**64, 10**20, 10**300, -(2**31), -(2**63) - 1, 0.5, 1e-300, 1e300, -0.0, float("inf"), float("-inf"), float("nan"),
)  # fmt: skip
SCALARS = st.one_of(st.sampled_from(NASTY_NUMBERS), st.sampled_from(NASTY_TEXT), st.none(), st.booleans(),
                    st.integers(), st.floats(), st.text(max_size=20))  # fmt: skip
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
                      max_leaves=6)  # fmt: skip


@st.composite
def damaged_bytes(draw: st.DrawFn, data: bytes, most: int = 4) -> bytes:
    """`data` with bytes changed, cut, repeated or put in."""
    out = bytearray(data)
    for _ in range(draw(st.integers(1, most))):
        at = draw(st.integers(0, max(0, len(out) - 1)))
        kind = draw(st.sampled_from(("flip", "byte", "word", "cut", "drop", "insert", "repeat", "swap")))
        length = draw(st.integers(1, 64))
        if kind == "flip" and out:
            out[at] ^= 1 << draw(st.integers(0, 7))
        elif kind == "byte" and out:
            out[at] = draw(st.integers(0, 255))
        elif kind == "word":
            out[at : at + 4] = draw(st.sampled_from((b"\xff" * 4, bytes(4), b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f")))
        elif kind == "cut":
            del out[at:]
        elif kind == "drop":
            del out[at : at + length]
        elif kind == "insert":
            out[at:at] = draw(st.binary(max_size=16))
        elif kind == "repeat":
            out[at:at] = out[at : at + length] * draw(st.integers(1, 50))
        else:
            to = draw(st.integers(0, max(0, len(out) - 1)))
            out[at : at + length], out[to : to + length] = out[to : to + length], out[at : at + length]
    return bytes(out)


def places(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of every value in a tree of dicts and lists."""
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [path, *(place for key, value in inner for place in places(value, (*path, key)))]


@st.composite
def damaged_tree(draw: st.DrawFn, tree: Any, most: int = 2) -> Any:
    """A copy with values replaced, removed, added or moved."""
    root = {"": copy.deepcopy(tree)}
    for _ in range(draw(st.integers(1, most))):
        path = ("", *draw(st.sampled_from(places(root[""]))))
        parent: Any = root
        for key in path[:-1]:
            parent = parent[key]
        kind = draw(st.sampled_from(("replace", "replace", "replace", "remove", "add", "rename", "copy", "scale")))
        last = path[-1]
        if kind == "replace":
            parent[last] = draw(VALUES)
        elif kind == "remove" and len(path) > 1:
            del parent[last]
        elif kind == "rename" and isinstance(parent, dict) and len(path) > 1:
            parent[draw(st.sampled_from(NASTY_TEXT)) or f"{last}s"] = parent.pop(last)
        elif kind == "copy" and isinstance(parent, list):
            parent.append(copy.deepcopy(parent[last]))
        elif kind == "add" and isinstance(parent[last], dict):
            parent[last][draw(st.text(max_size=8))] = draw(VALUES)
        elif kind == "scale" and isinstance(parent[last], int | float) and not isinstance(parent[last], bool):
            parent[last] = draw(
                st.sampled_from((parent[last] * 10**6, -parent[last], parent[last] * 1000, parent[last] / 1000))
            )
    return root[""]


def json_text(tree: Any) -> bytes:
    """JSON with what Python adds to it (NaN, Infinity, lone surrogates)."""
    try:
        return json.dumps(tree).encode()
    except (TypeError, ValueError):
        return repr(tree).encode("utf-8", "surrogatepass")


@st.composite
def damaged_words(draw: st.DrawFn, text: str, most: int = 2) -> bytes:
    """A text of `key: value` or comma-separated lines with values replaced by nasty words, lines repeated or removed."""
    lines = text.splitlines()
    for _ in range(draw(st.integers(1, most))):
        at = draw(st.integers(0, len(lines) - 1))
        word = draw(
            st.one_of(st.sampled_from(NASTY_TEXT), st.sampled_from(NASTY_NUMBERS).map(str), st.text(max_size=10))
        )
        kind = draw(st.sampled_from(("value", "cell", "cell", "repeat", "remove", "line", "key")))
        if kind == "value" and ":" in lines[at]:
            lines[at] = lines[at].split(":", 1)[0] + ": " + word
        elif kind == "key" and ":" in lines[at]:
            lines[at] = f"{word}:" + lines[at].split(":", 1)[1]
        elif kind == "cell":
            mark = "," if "," in lines[at] else " "
            cells = lines[at].split(mark)
            cells[draw(st.integers(0, len(cells) - 1))] = word
            lines[at] = mark.join(cells)
        elif kind == "repeat":
            lines.insert(at, lines[at])
        elif kind == "remove" and len(lines) > 1:
            del lines[at]
        elif kind == "line":
            lines.insert(at, word)
    return "\n".join(lines).encode("utf-8", "surrogatepass")
