"""Sticky comments: one comment a key and account on a pull request, however often and however badly it is written.

Follows the section Plan comments of the GitHub page. With no pages to walk, a comment takes at most five reads and one
write.
"""

from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError
from nyl.github.answers import Asked, NoClearAnswer, NotFound
from nyl.github.client import GitHub
from nyl.github.comment_targets import CommentTarget
from nyl.github.marker import has_marker, marked_body, same_text

if TYPE_CHECKING:
    from github.Issue import Issue
    from github.IssueComment import IssueComment
    from github.NamedUser import NamedUser
    from github.Organization import Organization

_BOT = "[bot]"
_SETTLING = 2.0
"""Seconds that a comment which was stored without an answer may take to show up."""

_READ = Asked("read the comments of the pull request", "pull-requests: read")
_READ_HEAD = Asked("read the pull request", "pull-requests: read")
_WRITE = Asked("write the comment", "pull-requests: write")
_DELETE = Asked("delete the second comment of the same key", "pull-requests: write")


class CommentOutcome(StrEnum):
    """What became of a comment, or would become of it."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    STALE = "stale"
    """The pull request has a newer head, whose run comments."""
    SKIPPED = "skipped"
    """The run has nothing to comment on."""


@dataclass(frozen=True)
class Upserted:
    """What became of a comment; `url` is the page of the one that is there."""

    outcome: CommentOutcome
    url: str | None = None


def upsert(github: GitHub, target: CommentTarget, key: str, text: str) -> Upserted:
    """Writes `text` as the one comment of `key`: updates what is there, creates it else, and leaves an equal one alone.

    Raises NYL-COMMENT-INVALID, NYL-COMMENT-DUPLICATE and what the client raises.
    """
    body = marked_body(key, text)
    thread = _Thread(github, target, key)
    found = thread.decide(body)
    if found.outcome is CommentOutcome.UPDATED:
        assert found.existing is not None
        return thread.update(found.existing, body)
    if found.outcome is CommentOutcome.CREATED:
        return thread.create(body)
    return Upserted(found.outcome, found.existing.html_url if found.existing else None)


def preview(github: GitHub, target: CommentTarget, key: str, text: str) -> Upserted:
    """What `upsert` would do now. Writes nothing, and raises the same."""
    found = _Thread(github, target, key).decide(marked_body(key, text))
    return Upserted(found.outcome, found.existing.html_url if found.existing else None)


@dataclass(frozen=True)
class _Found:
    outcome: CommentOutcome
    existing: "IssueComment | None" = None


class _Thread:
    """The comments of one key on one pull request."""

    def __init__(self, github: GitHub, target: CommentTarget, key: str) -> None:
        self._github = github
        self._target = target
        self._key = key

    def decide(self, body: str) -> _Found:
        ours = self._ours()
        if len(ours) > 1:
            raise _duplicates(self._target, self._key, ours)
        existing = ours[0] if ours else None
        if existing is not None and same_text(existing.body, body):
            return _Found(CommentOutcome.UNCHANGED, existing)
        # The head is asked for last, so that as little time as can be passes between the answer and the write.
        if self._target.head_sha is not None and self._head() != self._target.head_sha:
            return _Found(CommentOutcome.STALE, existing)
        return _Found(CommentOutcome.UPDATED if existing else CommentOutcome.CREATED, existing)

    def update(self, comment: "IssueComment", body: str) -> Upserted:
        self._github.ask(_WRITE, lambda: comment.edit(body))
        return Upserted(CommentOutcome.UPDATED, comment.html_url)

    def create(self, body: str) -> Upserted:
        """Creates the comment, and once more where no clear answer came and a look shows that it is not there."""
        retried = False
        while True:
            try:
                made = self._github.send(_WRITE, lambda: self._issue.create_comment(body))
            except NoClearAnswer:
                self._github.wait(_SETTLING)
                settled = self._settle(body)
                if settled is not None:
                    return settled
                if retried:
                    raise
                retried = True
            else:
                return self._settle(body, made.id) or Upserted(CommentOutcome.CREATED, made.html_url)

    def _settle(self, body: str, made: int | None = None) -> Upserted | None:
        """What a create came to, by what is there now; None where no comment is. `made` is the id it was answered with.

        A second run may have created one as well: the oldest stays and says what this run says, and what else this
        run made is deleted. Each run does so, so that one comment is left.
        """
        ours = sorted(self._ours(), key=lambda each: each.id)
        if not ours:
            return None
        oldest, others = ours[0], ours[1:]
        surplus = [each for each in others if each.id == made or same_text(each.body, body)]
        if (surplus or made is None) and not same_text(oldest.body, body):
            self._github.ask(_WRITE, lambda: oldest.edit(body))
        for each in surplus:
            self._delete(each)
        return Upserted(CommentOutcome.CREATED, oldest.html_url)

    def _delete(self, comment: "IssueComment") -> None:
        # The other run may have been quicker to delete it.
        with suppress(NotFound):
            self._github.ask(_DELETE, comment.delete)

    def _ours(self) -> "list[IssueComment]":
        viewer = self._viewer  # asked for first: nothing is written before it is known whose comments count
        found = self._github.ask(_READ, lambda: list(self._issue.get_comments()))
        return [
            each for each in found if has_marker(each.body, self._key) and each.user and _is_account(each.user, viewer)
        ]

    def _head(self) -> str:
        repository = self._github.repository(self._target.repository)
        return self._github.ask(_READ_HEAD, lambda: repository.get_pull(self._target.number).head.sha)

    @cached_property
    def _viewer(self) -> str:
        return self._github.viewer()

    @cached_property
    def _issue(self) -> "Issue":
        return self._github.repository(self._target.repository).get_issue(self._target.number)


def _is_account(user: "NamedUser | Organization", login: str) -> bool:
    """Whether an account is the one of that login; GitHub tells an App's with and without its ending."""
    return user.login == login or (user.type == "Bot" and user.login == login + _BOT)


def _duplicates(target: CommentTarget, key: str, comments: "Sequence[IssueComment]") -> NylError:
    return NylError(
        Code.COMMENT_DUPLICATE,
        f"{target.repository}#{target.number} has {len(comments)} comments of the key {key}: "
        f"{', '.join(each.html_url for each in comments)}.",
        "delete all of them but one, then run it again",
    )
