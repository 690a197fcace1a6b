"""The command line. Each command parses, calls one function and writes one file or folder.

A command lives in the package that does its work, in a module `command.py` holding `register(app)`, found by listing.
"""

import functools
import importlib
import pkgutil
import sys
from typing import Annotated

import typer

import ssmsim
from ssmsim.errors import told

# The base of typer's errors about the command line; typer does not export it.
UsageFault: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if issubclass(kind, Exception) and kind.__name__ == "ClickException"
)
EPILOG = "SSMSIM_DEBUG=1 shows the traceback of a failure, SSMSIM_CACHE says where compiled code is kept."


@functools.cache
def build_app() -> typer.Typer:
    # without rich's panels, which cut names of options in a narrow terminal or a pipe
    app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
                      help=ssmsim.__doc__, epilog=EPILOG)  # fmt: skip

    @app.callback()
    def options(
        version: Annotated[
            bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
        ] = False,
    ) -> None:
        pass

    for module in pkgutil.walk_packages(ssmsim.__path__, "ssmsim."):
        if module.name.endswith(".command"):
            importlib.import_module(module.name).register(app)
    for command in app.registered_commands:  # whole in the list of commands, where typer would cut it
        command.short_help = " ".join(((command.callback and command.callback.__doc__) or "").split())
    return app


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ssmsim {ssmsim.__version__}")
        raise typer.Exit


def run(arguments: list[str]) -> int:
    """One command; the exit code. Raises SsmsimError, and whatever was not foreseen."""
    command = typer.main.get_command(build_app())
    try:
        done = command.main(arguments, prog_name="ssmsim", standalone_mode=False)
    except UsageFault as fault:
        return _usage(fault)
    except typer.Abort:
        raise KeyboardInterrupt from None
    return done if isinstance(done, int) else 0


def _usage(fault: BaseException) -> int:
    """An error about the command line itself, in one line; its exit code."""
    from ssmsim.errors import one_line

    if type(fault).__name__ == "NoArgsIsHelpError":
        fault.show()  # type: ignore[attr-defined]  # the help
    else:
        context = getattr(fault, "ctx", None)
        path = context.command_path if context is not None else "ssmsim"
        message = fault.format_message().rstrip(".")  # type: ignore[attr-defined]
        print(one_line(f"{path}: {message}; see `{path} --help`"), file=sys.stderr)
    return int(getattr(fault, "exit_code", 2))


def main() -> None:
    sys.exit(told(lambda: run(sys.argv[1:])))


if __name__ == "__main__":
    main()
