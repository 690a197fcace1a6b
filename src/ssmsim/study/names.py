"""Names of launches, workloads, configurations and the like become files and arguments: what they may be.

A name is letters, digits, `_`, `.` and `-`, and begins with a letter, a digit or `_`: no folder, no option and nothing
that a shell would read. What it names lies in the folder that it is looked up in, also after links.
"""

import re
from pathlib import Path

from ssmsim.errors import SsmsimError

PATTERN = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
ALLOWED = "letters, digits, _ . - and at most 128 of them, not . or - first"
SUFFIX = 32  # characters that a temporary file's name has more than the file's
LONGEST = 255  # bytes of a file's name


def check_name(name: str, kind: str, where: object = "") -> str:
    """`name` itself. Raises SsmsimError for one that is no name, saying what `kind` of name it is."""
    if not re.fullmatch(PATTERN, name):
        raise SsmsimError(f"{kind} {name!r} is not a name", where, f"rename it: {ALLOWED}")
    return name


def check_file_name(path: str, where: object = "") -> str:
    """`path` itself. Raises SsmsimError when its last part is longer than file systems take."""
    if len(Path(path).name.encode()) + SUFFIX > LONGEST:
        raise SsmsimError(f"the name {Path(path).name[:60]}... has {len(Path(path).name)} characters", where,
                          "shorten the names of axes, or sweep fewer of them together")  # fmt: skip
    return path


def check_inside(path: Path, folder: Path, what: str, where: object = "") -> None:
    """Raises SsmsimError when `path`, with its links followed, is not in `folder`."""
    if not path.resolve().is_relative_to(folder.resolve()):
        raise SsmsimError(f"{what} lies outside {folder}", where, "copy it there")


def check_script(name: str, folder: str) -> str:
    """`name` itself. Raises SsmsimError for a table or figure that Python cannot import by it."""
    if not (name.isidentifier() and name.isascii()):
        raise SsmsimError(f"script {name!r} is not a name", folder, "rename it: letters, digits and _, no digit first")
    return name
