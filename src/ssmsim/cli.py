"""The command line. Each command parses, calls one function and writes one file or folder.

A command lives in the package that does its work, in a module `command.py` holding `register(app)`, found by listing.
"""

import importlib
import pkgutil
import sys

import typer

import ssmsim
from ssmsim.errors import SsmsimError


def build_app() -> typer.Typer:
    app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=ssmsim.__doc__)
    for module in pkgutil.walk_packages(ssmsim.__path__, "ssmsim."):
        if module.name.endswith(".command"):
            importlib.import_module(module.name).register(app)
    return app


def main() -> None:
    try:
        build_app()()
    except SsmsimError as error:
        print(f"ssmsim: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
