"""The rule graph as Mermaid text for README.md; scripts of one kind as one node.

snakemake --rulegraph mermaid-js all | python -m analysis.rulegraph
"""

import re
import sys

NODE, EDGE = re.compile(r"(id\d+)\[(\w+)\]"), re.compile(r"(id\d+) --> (id\d+)")


def collapse(mermaid: str) -> str:
    """Nodes and edges of Snakemake's graph, `tables_x` and `figures_y` drawn once each, sorted."""
    name = {node: re.sub(r"^(tables|figures)_.*", r"\1", rule) for node, rule in NODE.findall(mermaid)}
    edges = sorted({(name[a], name[b]) for a, b in EDGE.findall(mermaid)})
    shown = {"tables": "tables/*.py", "figures": "figures/*.py"}
    lines = [f'    {a}["{shown.get(a, a)}"] --> {b}["{shown.get(b, b)}"]' for a, b in edges]
    return "\n".join(["flowchart LR", *lines])


if __name__ == "__main__":
    print(collapse(sys.stdin.read()))
