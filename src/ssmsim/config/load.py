"""Read a configuration: a chain of YAML files, the last a baseline whose every value names its source.

A baseline:      sm: {alu_latency_cycles: {value: 4, source: "UPC, table 3", kind: paper}}
A modification:  base: h100
                 sm: {fp32_lanes_per_subcore: 64}
`base` is a file in the same folder, named without .yaml.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ssmsim.config.fields import WITHOUT_EFFECT, Group, Provenance, range_of
from ssmsim.config.schema import SimConfig
from ssmsim.config.yaml_reader import Node, parse_yaml
from ssmsim.errors import SsmsimError
from ssmsim.files import read_text

GROUPS = {name: field.annotation for name, field in SimConfig.model_fields.items()
          if isinstance(field.annotation, type) and issubclass(field.annotation, Group)}  # fmt: skip


@dataclass(frozen=True)
class Leaf:
    """One value with the place that set it."""

    value: Any
    where: str
    provenance: Provenance | None


def chain(path: Path | str) -> list[Path]:
    """The files that make up a configuration, from `path` itself to its baseline. Raises SsmsimError."""
    files: list[Path] = []
    following: Path | None = Path(path)
    while following is not None:
        if following in files:
            raise SsmsimError("base: leads in a circle", following, "end the chain at a baseline without base:")
        files.append(following)
        _, base = _read(following)
        following = following.parent / f"{base}.yaml" if base is not None else None
    return files


def load(path: Path | str) -> SimConfig:
    """The validated configuration of a file and its bases.

    Raises SsmsimError naming file:line:field for an unknown, missing, negative or contradicting field.
    """
    files = chain(path)
    leaves: dict[str, Leaf] = {}
    for file in reversed(files):
        leaves |= _read(file)[0]
    provenance = {field: leaf.provenance for field, leaf in leaves.items() if leaf.provenance}
    nested: dict[str, Any] = {group: {} for group in GROUPS}
    for field, leaf in leaves.items():
        group, name = field.split(".")
        nested[group][name] = leaf.value
    try:
        return SimConfig(name=Path(path).stem, files=tuple(str(f) for f in files), provenance=provenance, **nested)
    except ValidationError as error:
        raise _located(error, leaves, files) from None


def without_effect(config: SimConfig) -> list[str]:
    """A line for every field that a modification sets and that changes nothing in the embedded engine, with the reason."""
    told = []
    for field, provenance in config.provenance.items():
        group, name = field.split(".")
        why = GROUPS[group].model_fields[name].description or ""
        if provenance.kind == "modification" and any(words in why for words in WITHOUT_EFFECT):
            told.append(f"{field} changes nothing here: {why}")
    return told


def digest(config: SimConfig) -> str:
    """Hash of every value; names, files and sources do not count."""
    text = config.model_dump_json(exclude={"name": True, "files": True, "provenance": True, "gpu": {"name"}})
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _located(error: ValidationError, leaves: dict[str, Leaf], files: list[Path]) -> SsmsimError:
    first = error.errors()[0]
    field, message = ".".join(str(part) for part in first["loc"][:2]), first["msg"]
    if not field:  # a contradiction, "field|why" from the schema
        field, _, message = message.removeprefix("Value error, ").partition("|")
    if first["type"] == "missing":
        return SsmsimError(f"field {field}: missing", files[-1], "give it a value, a source and a kind")
    where = leaves[field].where if field in leaves else str(files[0])
    group, _, name = field.partition(".")
    allowed = range_of(name, GROUPS[group].model_fields[name]) if field in leaves and len(first["loc"]) else ""
    given = f" ({leaves[field].value!r:.60} is given{', must be ' if allowed else ''}{allowed})" if allowed else ""
    return SsmsimError(f"field {field}: {message}{given}", where, "mend the value")


def _read(file: Path) -> tuple[dict[str, Leaf], str | None]:
    """Leaves of one file by "group.field", and the name of its base."""
    try:
        return _parsed(file, read_text(file, "name a file of simconfigs/"))
    except SsmsimError as error:
        if error.what == "no such file":
            raise SsmsimError("no such configuration", file, error.todo) from None
        raise


@lru_cache(maxsize=64)  # a study reads a baseline once for each of its modifications
def _parsed(file: Path, text: str) -> tuple[dict[str, Leaf], str | None]:
    root = parse_yaml(text, file)
    if not isinstance(root.value, dict):
        raise SsmsimError("expected groups of fields", f"{file}:1", "see the other files of the folder")
    entries = dict(root.value)
    base = _base(entries.pop("base"), file) if "base" in entries else None
    leaves: dict[str, Leaf] = {}
    for group, node in entries.items():
        where = f"{file}:{node.line}"
        if group not in GROUPS:
            raise SsmsimError(f"field {group}: unknown", where, f"choose one of {', '.join(GROUPS)}")
        if not isinstance(node.value, dict):
            raise SsmsimError(
                f"field {group}: expected fields, not a value", where, f"write `{group}: {{field: value}}`"
            )
        for name, value in node.value.items():
            field, where = f"{group}.{name}", f"{file}:{value.line}"
            if name not in GROUPS[group].model_fields:
                raise SsmsimError(
                    f"field {field}: unknown", where, f"choose one of {', '.join(GROUPS[group].model_fields)}"
                )
            leaves[field] = _leaf(field, value, where, baseline=base is None)
    return leaves, base


def _base(node: Node, file: Path) -> str:
    """The name of a file beside this one, without .yaml."""
    where = f"{file}:{node.line}"
    if not isinstance(node.value, str):
        raise SsmsimError("field base: expected a name", where, "write `base: h100`")
    if not re.fullmatch(r"[A-Za-z0-9_.@+-]+", node.value):
        raise SsmsimError(f"field base: {node.value!r} is not the name of a file in the same folder", where,
                          "write `base: h100`")  # fmt: skip
    return node.value


def _leaf(field: str, node: Node, where: str, baseline: bool) -> Leaf:
    if not isinstance(node.value, dict):
        if baseline:
            raise SsmsimError(f"field {field}: a baseline value needs its source", where,
                              "write {value: ..., source: ..., kind: ...}")  # fmt: skip
        return Leaf(_fixed(node.plain()), where, Provenance(source=where, kind="modification"))
    given = node.plain()
    if "value" not in given:
        raise SsmsimError(f"field {field}: no value", where, "write {value: ..., source: ..., kind: ...}")
    try:
        return Leaf(_fixed(given.pop("value")), where, Provenance(**given))
    except ValidationError as error:
        first = error.errors()[0]
        part = ".".join(str(p) for p in first["loc"])
        raise SsmsimError(f"field {field}.{part}: {first['msg']}", where, "name source and kind") from None


def _fixed(value: Any) -> Any:
    """Sequences as the schema has them."""
    return tuple(_fixed(one) for one in value) if isinstance(value, list) else value
