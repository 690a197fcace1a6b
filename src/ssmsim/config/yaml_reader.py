"""The one reader of YAML: the core schema of YAML 1.2, strictly, with the line of every value.

PyYAML parses, by the grammar of YAML 1.1, which differs in what plain words mean: `on`, `010`, `1:30`, `1_000` are a truth
value and numbers there. Values are therefore resolved here, from the parser's events (yaml.org/spec/1.2.2, section 10.3):
`on` and `1:30` are text; `010`, which the two versions read as 8 and 10, is an error. So are tags, keys given twice, keys
that are no plain text, several documents in a file, and anchors that lead in a circle or repeat without bound.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ssmsim.errors import SsmsimError
from ssmsim.files import read_text

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml where it is built in
DEEPEST, MOST_VALUES, MOST_DIGITS = 20, 200_000, 30
NULL = ("", "~", "null", "Null", "NULL")
TRUTH = {word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")}
INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
REAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
SPECIAL = re.compile(r"([-+]?)\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
CORE_TAGS = "tag:yaml.org,2002:"


@dataclass(frozen=True)
class Node:
    """A value and the line where it begins, from 1. value: dict of nodes by key, list of nodes, or a scalar."""

    value: Any
    line: int
    size: int = 1  # values in it, repeated ones each time

    def plain(self) -> Any:
        """The value in dicts, lists and scalars."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    def line_of(self, path: Sequence[object]) -> int:
        """The line of a value inside, or of the innermost there is on the way to it."""
        node = self
        for part in path:
            inner = node.value
            if isinstance(inner, dict) and str(part) in inner:
                node = inner[str(part)]
            elif isinstance(inner, list) and isinstance(part, int) and part < len(inner):
                node = inner[part]
            else:
                break
        return node.line


def read_yaml(path: Path | str, todo: str = "") -> Node:
    """A file's one document. Raises SsmsimError naming file, line and field."""
    return parse_yaml(read_text(path, todo), path)


def parse_yaml(text: str, file: Path | str) -> Node:
    """The same of a text; `file` is its name in messages."""
    try:
        return _Builder(file, yaml.parse(text, Loader=LOADER)).document()
    except yaml.YAMLError:
        pass
    try:  # names the line better
        return _Builder(file, yaml.parse(text, Loader=yaml.SafeLoader)).document()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else text.count("\n", 0, getattr(error, "position", 0)) + 1
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        raise SsmsimError(f"not YAML: {problem}", f"{file}:{line}", "mend the syntax") from None


class _Builder:
    """Nodes from the parser's events."""

    def __init__(self, file: Path | str, events: Iterator[yaml.Event]) -> None:
        self.file, self.events = file, events
        self.anchors: dict[str, Node | None] = {}  # None while its value is being read
        self.path: list[str] = []

    def document(self) -> Node:
        root: Node | None = None
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    raise self.wrong("a second document", event, "one file holds one")
                if (event.version or (1, 2)) != (1, 2) or event.tags:
                    raise self.wrong("directives are not supported", event, "remove the line that begins with %")
                root = self.node(next(self.events))
        return root if root is not None else Node(None, 1)

    def node(self, event: Any) -> Node:
        if isinstance(event, yaml.AliasEvent):
            known = self.anchors.get(str(event.anchor))
            if known is None:
                what = "leads in a circle" if event.anchor in self.anchors else "is not defined before"
                raise self.wrong(f"alias *{event.anchor} {what}", event, "write the value out")
            return known
        if event.tag is not None and not (event.tag == "!" and isinstance(event, yaml.ScalarEvent)):
            raise self.wrong(f"tag {event.tag.replace(CORE_TAGS, '!!')} is not supported", event, "remove it")
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        built = self.built(event)
        if built.size > MOST_VALUES:
            raise self.wrong(f"more than {MOST_VALUES} values", event, "shorten it")
        if event.anchor is not None:
            self.anchors[event.anchor] = built
        return built

    def built(self, event: Any) -> Node:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.ScalarEvent):
            plain = not event.style and event.tag is None and event.implicit[0]  # libyaml says "" for None
            return Node(self.scalar(event) if plain else event.value, line)
        if len(self.path) >= DEEPEST:
            raise self.wrong(f"nested more than {DEEPEST} deep", event, "flatten it")
        value = self.sequence() if isinstance(event, yaml.SequenceStartEvent) else self.mapping()
        inner = value if isinstance(value, list) else list(value.values())
        return Node(value, line, 1 + sum(node.size for node in inner))

    def sequence(self) -> list[Node]:
        found: list[Node] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            self.path.append(str(len(found)))
            found.append(self.node(event))
            self.path.pop()
        return found

    def mapping(self) -> dict[str, Node]:
        found: dict[str, Node] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent) or event.tag not in (None, "!") or event.anchor is not None:
                raise self.wrong("a key must be plain text", event, "write `name: value`")
            key = str(event.value)
            self.path.append(key)
            if key in found:
                raise self.wrong("given twice", event, "keep one")
            found[key] = self.node(next(self.events))
            self.path.pop()
        return found

    def scalar(self, event: yaml.ScalarEvent) -> Any:
        """A plain word by the core schema."""
        word = str(event.value)
        if word in NULL:
            return None
        if word in TRUTH:
            return TRUTH[word]
        if INTEGER.fullmatch(word):
            if re.fullmatch(r"[-+]?0[0-9]+", word):
                raise self.wrong(f"{word[:40]} could be octal", event, "leave out the leading 0, or quote it as text")
            if len(word) > MOST_DIGITS:
                raise self.wrong("a number of too many digits", event, "mend the value")
            return int(word, 0)
        if REAL.fullmatch(word):
            return float(word)
        if special := SPECIAL.fullmatch(word):
            return float("nan" if special[3] else f"{special[1]}inf")
        return word

    def wrong(self, what: str, event: Any, todo: str) -> SsmsimError:
        field = f"field {'.'.join(self.path)}: " if self.path else ""
        return SsmsimError(f"{field}{what}", f"{self.file}:{event.start_mark.line + 1}", todo)
