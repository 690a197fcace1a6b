"""YAML 1.2 as people write it by hand: a key comes once, no tags, and only `true`, `false`, decimal numbers are no text.

YAML 1.1, PyYAML's default, reads `on` as true, `010` as 8 and `1:30` as 90.
"""

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from ssmsim.errors import SsmsimError

LARGEST_FILE = 1 << 20  # bytes; ours have some ten thousand


class Loader(yaml.SafeLoader):
    """PyYAML's safe loader with the scalars of YAML 1.2's JSON schema and without a key twice."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 (PyYAML's own name)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "a key is not a name", key.start_mark)
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"{key.value!r} is there twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


for tag, pattern, first in (
    ("null", r"^(?:null|~|)$", ["n", "~", ""]),
    ("bool", r"^(?:true|false)$", ["t", "f"]),
    ("int", r"^-?(?:0|[1-9][0-9]{0,18})$", list("-0123456789")),
    ("float", r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$", list("-0123456789")),
):
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), first)


def read_yaml(path: Path | str) -> Any:
    """The file's one document. Raises SsmsimError naming file and line; OSError when it cannot be read."""
    path = Path(path)
    size = path.stat().st_size
    if size > LARGEST_FILE:
        raise SsmsimError(f"too large: {size:,} bytes", path, f"{LARGEST_FILE:,} are the most that is read")
    try:
        text = path.read_text(encoding="utf-8-sig")
        for token in yaml.scan(text, Loader=Loader):
            if isinstance(token, yaml.TagToken):
                raise SsmsimError("a tag (!)", f"{path}:{token.start_mark.line + 1}", "leave it out, or quote the text")
        return yaml.load(text, Loader=Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else path
        raise SsmsimError(f"not YAML: {getattr(error, 'problem', None) or error}", where, "mend the syntax") from None
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise SsmsimError(f"not YAML: {error}", path, "mend the syntax") from None
