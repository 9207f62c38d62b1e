"""The project around the file under check: which module an import means, and its index, cached by content."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from flake8_tensorbranch.cousins import Cousins
from flake8_tensorbranch.disk import Change
from flake8_tensorbranch.modules import LOOK_AGAIN, Finder
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.syntax.names import ModuleIndex
from flake8_tensorbranch.syntax.tree import TreeError, build_module
from flake8_tensorbranch.syntax.walk import index_module

if TYPE_CHECKING:
    import ast

MAX_MODULES: Final = 600  # parsed modules kept from file to file
KEPT_MODULES: Final = 400  # of more than that, those read last
DECODED: Final = 300  # texts of neighbours kept beside their bytes
RECENT: Final = 150  # files checked last, kept for those after them that import them


class Project:
    """Resolves imports inside the project root and keeps parsed modules.

    What is read here is a function of the files' content alone: the same answers whichever file is checked first. Of
    the file under check that is the text given, for it and for all that import it, until the next check begins; other
    files are read once, and again when `look_again` finds them changed.
    """

    def __init__(self, finder: Finder | None = None) -> None:
        self.finder = Finder() if finder is None else finder
        self.finder.listeners.append(self._changed)
        self.cousins = Cousins(self.finder)
        self._modules: OrderedDict[str, ModuleIndex | None] = OrderedDict()
        self._recent: OrderedDict[str, ModuleIndex] = OrderedDict()
        self._mentioned: dict[tuple[str, tuple[str, ...]], bool] = {}
        self._texts: dict[str, int] = {}  # the hash of what others have seen of a file
        self._nearby: dict[tuple[str, tuple[str, ...]], str] = {}  # the text of a neighbour; "" where it has no word
        self._decoded: OrderedDict[str, tuple[bytes, str | None]] = OrderedDict()  # by path: the bytes, their text
        self._checked: tuple[str, ModuleIndex] | None = None
        self._unsaved = False  # whether others have seen a text of the file under check that is not the disk's
        self._dropped = 0

    def refresh(self) -> None:
        """Forget every file read so far."""
        self.finder.forget()
        self._forget()

    def _forget(self) -> None:
        self.cousins.forget()
        self._dropped += sum(len(index.text) for index in self._modules.values() if index is not None)
        self._modules.clear()
        self._recent.clear()
        self._mentioned.clear()
        self._nearby.clear()
        self._texts.clear()
        self._decoded.clear()
        self._checked = None
        self._unsaved = False

    def look_again(self) -> None:
        """Forget what the disk no longer holds; a host that lives on calls this before each of its runs."""
        self.finder.look_again()

    def _changed(self, changes: list[Change] | None) -> None:
        if changes is None:
            self._forget()
        for _, path in changes or ():
            self._drop(path)

    def take_dropped(self) -> int:
        """How many characters of source text were forgotten since the last call: their trees can be collected."""
        dropped, self._dropped = self._dropped, 0
        return dropped

    def _drop(self, path: str) -> None:
        """Forget one file, and what others have concluded from it."""
        index = self._modules.pop(path, None) or self._recent.pop(path, None)
        self._dropped += 0 if index is None else len(index.text)
        self._texts.pop(path, None)
        self._mentioned = {key: value for key, value in self._mentioned.items() if key[0] != path}
        self._nearby = {key: value for key, value in self._nearby.items() if key[0] != path}
        self._conclude_anew()

    def index(self, path: str, text: str, tree: ast.Module | None = None) -> ModuleIndex:
        """The index of the file under check, from the text and tree given, not from disk.

        Raises `TreeError` when no tree can be built.
        """
        self.finder.look_again(LOOK_AGAIN)
        if len(self._modules) > MAX_MODULES:
            self._thin()
        if self._checked is not None:
            self._checked[1].path = self._checked[0]  # as the files after it find it
            if self._unsaved:
                self._drop(self._checked[0])
        self._checked, self._unsaved = None, False
        full = os.path.abspath(path)
        known = self._modules.get(full)
        if known is not None and known.text == text:
            known.path = path
            self._checked = full, known
            return known
        if self._texts.get(full, hash(text)) != hash(text):
            self._drop(full)
        place = self.finder.place(path)
        index = index_module(build_module(text, path, tree, place.name), path, place.name, place.is_package, text)
        self._checked = full, index
        self._recent.pop(full, None)
        self._recent[full] = index
        if len(self._recent) > RECENT:
            self._recent.popitem(last=False)
        return index

    def load(self, importer: ModuleIndex, name: str) -> ModuleIndex | None:
        """The index of the first-party module `name` (absolute, dotted) as `importer` sees it; None if it is none."""
        path = self.find(importer, name)
        return None if path is None else self.read(path)

    def find(self, importer: ModuleIndex, name: str) -> str | None:
        """The file of the first-party module `name`, without reading it."""
        return self.finder.find(importer.path, name)

    def mentions(self, path: str, words: tuple[str, ...]) -> bool:
        """Whether the file of a first-party module, which need not have been read yet, holds any of the words."""
        full = os.path.abspath(path)
        if (full, words) not in self._mentioned:
            text = self._text(full) or ""
            self._mentioned[full, words] = any(word in text for word in words)
        return self._mentioned[full, words]

    def neighbours(self, path: str, words: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """The other files of the package beside, above and below a file that hold one of the words, with their text."""
        for file in self.finder.beside(path):
            text = self._nearby.get((file, words))
            if text is None:
                text = self._text(file) or ""
                text = self._nearby[file, words] = text if any(word in text for word in words) else ""
            if text:
                yield file, text

    def text(self, full: str) -> str:
        """What others see of a file; empty where it cannot be read."""
        return self._text(full) or ""

    def _text(self, full: str) -> str | None:
        """What others see of a file: of the file under check the text given, else the disk's; None if unreadable."""
        data = self.finder.read(full)
        text = None if data is None else self._decode(full, data)
        if self._checked is not None and self._checked[0] == full:
            self._unsaved = self._unsaved or text != self._checked[1].text
            text = self._checked[1].text
        self._texts[full] = hash(text)
        return text

    def _decode(self, full: str, data: bytes) -> str | None:
        """The text of a file's bytes, decoded once for as long as the finder gives the same bytes; None where they are
        no text.
        """
        known = self._decoded.get(full)
        if known is None or known[0] is not data:
            try:
                known = data, SourceFile.from_bytes(full, data).text
            except (SyntaxError, ValueError):
                known = data, None
            self._decoded[full] = known
            if len(self._decoded) > DECODED:
                self._decoded.popitem(last=False)
        return known[1]

    def read(self, path: str) -> ModuleIndex | None:
        """The index of a first-party file; None if it has none."""
        full = os.path.abspath(path)
        if full in self._modules:
            self._modules.move_to_end(full)
            return self._modules[full]
        text = self._text(full)
        index = self._recent.pop(full, None)
        if self._checked is not None and self._checked[0] == full:
            index = self._checked[1]
        elif index is None or index.text != text:  # else what was checked is what the disk holds
            index = None
            place = self.finder.place(full)
            try:
                if text is not None:
                    tree = build_module(text, full, None, place.name)
                    index = index_module(tree, full, place.name, place.is_package, text)
            except (SyntaxError, ValueError, TreeError, RecursionError):
                pass  # another file's fault is that file's to report
        self._modules[full] = index
        return index

    def _thin(self) -> None:
        """Forget the modules read least recently, and what others have concluded from them: read again, their
        functions and classes are others than those that the conclusions speak of.
        """
        while len(self._modules) > KEPT_MODULES:
            _, index = self._modules.popitem(last=False)
            self._dropped += 0 if index is None else len(index.text)
        self._conclude_anew()

    def _conclude_anew(self) -> None:
        for index in (*self._modules.values(), *self._recent.values()):
            if index is not None:
                index.memo.clear()
