"""Jinja as nyl uses it: compiling, running, and telling which line of a template something comes from."""

import re
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, UndefinedError, nodes
from jinja2.exceptions import SecurityError

from nyl.core.dataclass import dataclass
from nyl.core.suggestions import nearest
from nyl.project.template_costs import MAX_SIZE, LimitExceeded
from nyl.project.template_limits import MAX_STEPS, LimitedEnvironment
from nyl.project.template_pieces import Piece, pieces_of

_OPEN, _CLOSE = "\ue000", "\ue001"
_MARK = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
_FILE = "<spec>"
_FORBIDDEN = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends, nodes.Block)


class TemplateFailed(Exception):
    """A template that cannot be rendered: the line, from 1, the reason, and what to do."""

    def __init__(self, line: int, reason: str, fix: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason
        self.fix = fix


class _Undefined(StrictUndefined):
    """Says which name is missing in words of the project instead of Python's, and which one was probably meant."""

    __slots__ = ()

    @property
    def _undefined_message(self) -> str:
        known, name = self._undefined_obj, self._undefined_name
        if self._undefined_hint or not isinstance(known, Mapping) or not isinstance(name, str):
            return str(super()._undefined_message)
        close = nearest(name, (each for each in known if isinstance(each, str)))
        return f"'{name}' is undefined" + (f" (did you mean {close}?)" if close else "")


@dataclass(frozen=True)
class TemplateRules:
    """What templates of one sort see, in words for messages, and how much they may do."""

    values: str = "the Environment's `values`"
    """Where a missing name is to be defined."""
    names: str = "`values` and `environment`"
    text_limit: int = MAX_SIZE
    """Characters of the rendered text."""
    step_limit: int = MAX_STEPS


_OF_ENVIRONMENTS = TemplateRules()


class TemplateEngine:
    """Renders template texts; texts that come again are compiled once."""

    def __init__(self, rules: TemplateRules = _OF_ENVIRONMENTS) -> None:
        self._rules = rules
        self._environment = LimitedEnvironment(
            rules.text_limit, rules.step_limit, undefined=_Undefined, keep_trailing_newline=True, cache_size=0
        )
        self._compiled: dict[str, Template] = {}

    def at(self, context: Mapping[str, Any]) -> "TemplateContext":
        """Rendering with some names. What they stand for must not change."""
        return TemplateContext(self, context)

    def start(self) -> None:
        """Begins another text: its pieces together may take as many steps as one text may."""
        self._environment.steps = 0

    def evaluate(self, text: str, context: Mapping[str, Any]) -> str:
        """The rendering of a piece. Raises TemplateFailed."""
        template = self._compiled.get(text)
        if template is None:
            template = self._compiled[text] = self._compile(text, marked=False)
        return self._run(template, context)

    def template_lines(self, text: str, context: Mapping[str, Any]) -> list[int]:
        """The line of the text that each line of its rendering comes from; nothing when it cannot be rendered."""
        self.start()
        try:
            marked = self._run(self._compile(text, marked=True), context)
        except TemplateFailed:
            return []
        lines, last = [], 1
        for line in marked.split("\n"):
            found = _MARK.findall(line)
            before, last = last, int(found[-1]) if found else last
            lines.append(int(found[0]) if line.startswith(_OPEN) else last if found else before)
        return lines

    def check_size(self, size: int) -> None:
        """Raises TemplateFailed for a rendered text of more characters than there may be."""
        if size > self._rules.text_limit:
            raise TemplateFailed(1, f"it renders to more than {self._rules.text_limit:,} characters", "render less")

    def _compile(self, text: str, marked: bool) -> Template:
        try:
            tree = self._environment.parse(text, filename=_FILE)
            self._refuse_includes(tree)
            if marked:
                _mark_lines(tree)
            code = self._environment.compile(self._environment.limited(tree), filename=_FILE)
        except TemplateSyntaxError as error:
            raise TemplateFailed(error.lineno, str(error.message), "correct the template's syntax") from None
        except RecursionError:
            raise TemplateFailed(1, "it is nested too deeply", "simplify the template") from None
        return Template.from_code(self._environment, code, self._environment.globals)

    def _refuse_includes(self, tree: nodes.Template) -> None:
        for node in tree.find_all(_FORBIDDEN):
            raise TemplateFailed(
                node.lineno,
                f"`{type(node).__name__.lower()}` is not available, as a template is all in one place",
                "write the text out, or use a macro",
            )

    def _run(self, template: Template, context: Mapping[str, Any]) -> str:
        try:
            return self._environment.run(template, context)
        except LimitExceeded as error:
            raise TemplateFailed(_line(error.__traceback__), str(error), "render less") from None
        except UndefinedError as error:
            fix = f"define the name in {self._rules.values}, or use `| default(...)`"
            raise TemplateFailed(_line(error.__traceback__), str(error.message), fix) from None
        except SecurityError as error:
            fix = f"use {self._rules.names}, which are plain data"
            raise TemplateFailed(_line(error.__traceback__), f"the sandbox refuses it: {error.message}", fix) from None
        except TemplateError as error:
            raise TemplateFailed(_line(error.__traceback__), str(error.message), "correct the template") from None
        except RecursionError as error:
            raise TemplateFailed(_line(error.__traceback__), "it calls itself too deeply", "recurse less") from None
        except Exception as error:  # any Python error that an expression of the template raises
            reason = f"{type(error).__name__}: {error}"
            raise TemplateFailed(_line(error.__traceback__), reason, "correct the expression") from None


class TemplateContext:
    """Renders texts with the same names; pieces that come again are rendered once."""

    def __init__(self, engine: TemplateEngine, context: Mapping[str, Any]) -> None:
        self._engine = engine
        self._context = context
        self._rendered: dict[str, str] = {}
        # Many lines of one text are asked for, one after the other.
        self._traced: tuple[str, list[int]] = ("", [])

    def render(self, text: str) -> str:
        """The rendered text. Raises TemplateFailed."""
        self._engine.start()
        pieces = pieces_of(text)
        if pieces is None:
            return self._engine.evaluate(text, self._context)
        parts = [piece.text if piece.is_literal else self._piece(piece) for piece in pieces]
        self._engine.check_size(sum(map(len, parts)))
        return "".join(parts)

    def template_line(self, text: str, rendered_line: int) -> int:
        """The line of the text that a line of its rendering comes from, both from 1; 1 when it cannot be told."""
        if self._traced[0] != text:
            self._traced = (text, self._lines(text))
        lines = self._traced[1]
        return lines[min(rendered_line, len(lines)) - 1] if lines else 1

    def _lines(self, text: str) -> list[int]:
        """The same for each line. One that several pieces make comes from the first of them."""
        pieces = pieces_of(text)
        if pieces is None:
            return self._engine.template_lines(text, self._context)
        lines: list[int] = []
        line = 1
        for piece in pieces:
            rendered = piece.text if piece.is_literal else self._piece(piece)
            end = line + rendered.count("\n")
            begins_last = piece.is_literal or (rendered and not rendered.endswith("\n"))
            new = range(len(lines) + 1 - line, end + 1 - line if begins_last else end - line)
            if piece.is_literal:
                lines += [piece.line + each for each in new]
            elif new:
                inside = self._engine.template_lines(piece.text, self._context)
                lines += [piece.line + inside[each] - 1 if inside else piece.line for each in new]
            line = end
        return lines

    def _piece(self, piece: Piece) -> str:
        known = self._rendered.get(piece.text)
        if known is not None:
            return known
        try:
            rendered = self._engine.evaluate(piece.text, self._context)
        except TemplateFailed as failure:
            failure.line += piece.line - 1
            raise
        self._rendered[piece.text] = rendered
        return rendered


def _mark_lines(tree: nodes.Template) -> None:
    """Puts its line's number before every line of literal text, so that the rendered text tells where it comes from."""
    for node in tree.find_all(nodes.TemplateData):
        first, *rest = node.data.split("\n")
        numbered = (f"{_OPEN}{node.lineno + offset}{_CLOSE}{line}" for offset, line in enumerate(rest, start=1))
        node.data = "\n".join([f"{_OPEN}{node.lineno}{_CLOSE}{first}", *numbered])


def _line(traceback: TracebackType | None) -> int:
    line = 1
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == _FILE:
            template = traceback.tb_frame.f_globals.get("__jinja_template__")
            line = template.get_corresponding_lineno(traceback.tb_lineno) if template else traceback.tb_lineno
        traceback = traceback.tb_next
    return line
