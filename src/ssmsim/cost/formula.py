"""Formulas of the cost data: sums and products of named numbers, such as `sms * sm.subcores * sm.fp32_lanes_per_subcore`."""

import ast
from collections.abc import Mapping
from functools import cache

OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def names(formula: str) -> list[str]:
    """The dotted names in a formula, each once, in its order. Raises ValueError when it is not one."""
    found: list[str] = []
    _walk(_tree(formula), found)
    return list(dict.fromkeys(found))


def evaluate(formula: str, values: Mapping[str, float]) -> float:
    """Its value. Raises KeyError for a name without one, ZeroDivisionError."""
    return _value(_tree(formula), values)


@cache
def _tree(formula: str) -> ast.expr:
    try:
        return ast.parse(formula, mode="eval").body
    except (SyntaxError, ValueError):
        raise ValueError(f"{formula!r} is not a formula") from None


def _name(node: ast.expr) -> str | None:
    """`a.b.c`, however Python splits it."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (of := _name(node.value)):
        return f"{of}.{node.attr}"
    return None


def _walk(node: ast.expr, found: list[str]) -> None:
    if (name := _name(node)) is not None:
        found.append(name)
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        _walk(node.left, found)
        _walk(node.right, found)
    elif not (isinstance(node, ast.Constant) and type(node.value) in (int, float)):
        raise ValueError(f"{ast.unparse(node)!r}: a formula has names, numbers, + - * / and brackets")


def _value(node: ast.expr, values: Mapping[str, float]) -> float:
    if (name := _name(node)) is not None:
        return float(values[name])
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    assert isinstance(node, ast.BinOp)  # names() has refused the rest
    left, right = _value(node.left, values), _value(node.right, values)
    if isinstance(node.op, ast.Add):
        return left + right
    if isinstance(node.op, ast.Sub):
        return left - right
    return left * right if isinstance(node.op, ast.Mult) else left / right
