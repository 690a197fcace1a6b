"""What MkDocs calls while it builds the site: generated blocks made anew, and files outside docs/ that pages link to added.

A link to a source file leads to a page that shows it, a link to an image or a result to a copy, to a folder to its list.
So the site needs nothing but itself, and a link to a file that is not there fails the build.
"""

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))
import generate

LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
LANGUAGES = {
    ".py": "python",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".toml": "toml",
    ".cu": "cuda",
    ".cuh": "cuda",
    ".sh": "sh",
}
SHOWN = {**LANGUAGES, "": "text", ".txt": "text", ".rst": "text", ".csv": "text", ".cff": "yaml"}
OUTSIDE = "repository"  # folder of the site for what lies outside docs/


def _local(target: str) -> bool:
    return "://" not in target and not target.startswith(("mailto:", "/"))


def _is_page(path: str) -> bool:
    """Whether a file of the repository is a source of the site as it is; scripts of docs/ are not."""
    return path.startswith("docs/") and not path.endswith(".py")


def _in_site(path: str) -> str:
    """A file of the repository to its place among the site's sources."""
    if _is_page(path):
        return path.removeprefix("docs/")
    file = generate.ROOT / path
    if file.is_dir() or file.suffix in SHOWN:
        return f"{OUTSIDE}/{path.rstrip('/')}.md"
    return f"{OUTSIDE}/{path}"


def _in_repository(src_uri: str) -> str:
    """The reverse, for pages."""
    if not src_uri.startswith(OUTSIDE + "/"):
        return f"docs/{src_uri}"
    path = src_uri.removeprefix(OUTSIDE + "/")
    return path if (generate.ROOT / path).exists() else path.removesuffix(".md")


def _targets(text: str, path: str) -> list[str]:
    """Files of the repository that a page at `path` links to."""
    folder = posixpath.dirname(path)
    return [posixpath.normpath(posixpath.join(folder, found[2])) for found in LINK.finditer(text) if _local(found[2])]


def _content(path: str) -> str:
    file = generate.ROOT / path
    if file.is_dir():
        names = sorted(
            f"- {one.name}{'/' * one.is_dir()}" for one in file.iterdir() if not one.name.startswith((".", "__"))
        )
        return f"# {path}\n\n" + "\n".join(names) + "\n"
    text = file.read_text()
    if file.suffix == ".md":
        return text
    return f'# {path}\n\n````{SHOWN[file.suffix]} linenums="1"\n{text.rstrip()}\n````\n'


def on_files(files: Files, config: Any, **_: Any) -> Files:
    """Add what the pages link to outside docs/, and what that links to."""
    waiting = [(f"docs/{page.src_uri}", page.content_string) for page in files.documentation_pages()]
    seen: set[str] = set()
    while waiting:
        path, text = waiting.pop()
        for target in _targets(generate.render(text, generate.ROOT / path) if _is_page(path) else text, path):
            if target in seen or _is_page(target):
                continue
            seen.add(target)
            file = generate.ROOT / target
            if not file.exists():
                raise PluginError(f"{path} links to {target}, which is not there")
            if file.is_dir() or file.suffix in SHOWN or file.suffix == ".md":
                content = _content(target)
                files.append(File.generated(config, _in_site(target), content=content))
                if file.suffix == ".md":
                    waiting.append((target, content))
            else:
                files.append(File.generated(config, _in_site(target), abs_src_path=str(file)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Generated blocks, then links as the site has them."""
    path = _in_repository(page.file.src_uri)
    if _is_page(path):
        markdown = generate.render(markdown, generate.ROOT / path)
    elif Path(path).suffix != ".md":
        return markdown
    folder, here = posixpath.dirname(path), posixpath.dirname(page.file.src_uri)

    def moved(found: re.Match[str]) -> str:
        if not _local(found[2]):
            return found[0]
        target = _in_site(posixpath.normpath(posixpath.join(folder, found[2])))
        return f"{found[1]}{posixpath.relpath(target, here or '.')}{found[3] or ''}{found[4]}"

    return LINK.sub(moved, markdown)
