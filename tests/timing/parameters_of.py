"""Setting parameters of the compiled machine by the names of configurations in tests: group__field, or a derived one."""

from typing import Any


def put(m: Any, name: str, value: int) -> None:
    """m: PARAMETERS[1][0]."""
    group, _, field = name.rpartition("__")
    (m[group] if group else m)[field] = value


def get(m: Any, name: str) -> Any:
    group, _, field = name.rpartition("__")
    return (m[group] if group else m)[field]
