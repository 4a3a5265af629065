"""How a diagnostic prints on stderr."""

from collections.abc import Iterable

from nyl.core.diagnostics import Diagnostic
from nyl.report.plaintext import inert_lines, one_line


def diagnostic_text(diagnostic: Diagnostic, *, qualified: bool = False) -> str:
    """Severity, code and subject, then message and fix, indented; ended by a newline.

    `qualified` names the environment too, for an invocation that is about several.
    """
    subject = _qualified_subject(diagnostic) if qualified else diagnostic.subject
    head = f"{diagnostic.severity} {diagnostic.code.value}"
    fix = inert_lines(f"fix: {diagnostic.fix}" if diagnostic.fix else "")
    body = [*inert_lines(_placed_message(diagnostic, subject)), *fix]
    return "\n".join([f"{head} ({one_line(subject)})" if subject else head, *(f"  {line}" for line in body), ""])


def diagnostics_text(diagnostics: Iterable[Diagnostic], *, qualified: bool = False) -> str:
    """All of some diagnostics, a blank line between them; each is printed once however often it is named."""
    return "\n".join(diagnostic_text(each, qualified=qualified) for each in dict.fromkeys(diagnostics))


def _placed_message(diagnostic: Diagnostic, subject: str | None) -> str:
    """The message, behind its file and line unless it names them, or the subject that is printed does.

    The name of a file stays on its line, whatever it holds: it could pass for a line of nyl's own otherwise.
    """
    location = diagnostic.location
    if location is None:
        return diagnostic.message
    message = diagnostic.message.replace(location.file, one_line(location.file))
    if subject == str(location) or location.file in diagnostic.message:
        return message
    return f"{one_line(str(location))}: {message}"


def _qualified_subject(diagnostic: Diagnostic) -> str | None:
    if diagnostic.environment is None:
        return diagnostic.subject
    return f"{diagnostic.environment}/{diagnostic.unit}" if diagnostic.unit else diagnostic.environment
