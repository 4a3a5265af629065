import pytest

from nyl.github.reviews import Review, Reviewers, parse_review, reviewers

PRODUCTION = frozenset({"production"})


def review(user: str | None, state: str = "approved", *environments: str) -> Review:
    return Review(state, user, frozenset(environments) or PRODUCTION)


_WHICH = "GitHub does not tell which of several users approved attempt 2 of the run"
_DELETED = "the account that approved was deleted, so that it has no name"


@pytest.mark.parametrize(
    ("history", "attempt", "expected"),
    [
        ([], 1, Reviewers()),
        ([review("alice")], 1, Reviewers(("alice",))),
        ([review("alice", "approved", "Production")], 1, Reviewers(("alice",))),
        ([review("alice", "approved", "staging", "production")], 1, Reviewers(("alice",))),
        ([review("alice", "approved", "staging")], 1, Reviewers()),
        ([review("alice", "approved", "production-eu")], 1, Reviewers()),
        ([review("alice"), review("bob")], 1, Reviewers(("alice", "bob"))),
        ([review("alice"), review("alice")], 1, Reviewers(("alice",))),
        ([review("alice", "pending")], 1, Reviewers()),
        ([review("alice", "rejected")], 1, Reviewers()),
        ([review("alice", "rejected"), review("alice")], 1, Reviewers(("alice",))),
        ([review("alice"), review("bob", "rejected")], 1, Reviewers(("alice",))),
        ([review("alice", "skipped")], 1, Reviewers()),
        ([review(None)], 1, Reviewers(doubt=_DELETED)),
        ([review(None), review("bob")], 1, Reviewers(("bob",))),
        ([review("alice")], 2, Reviewers(("alice",))),
        ([review("alice"), review("alice")], 2, Reviewers(("alice",))),
        ([review("alice"), review("bob")], 2, Reviewers(doubt=_WHICH)),
        ([review("alice"), review(None)], 2, Reviewers(doubt=_WHICH)),
        ([review("alice"), review("bob", "approved", "staging")], 2, Reviewers(("alice",))),
    ],
)
def test_the_decision_table(history: list[Review], attempt: int, expected: Reviewers) -> None:
    assert reviewers(history, "production", attempt) == expected


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"state": "approved", "user": {"login": "alice"}, "environments": [{"name": "production"}]}, review("alice")),
        ({"state": "approved", "user": None, "environments": [{"name": "production"}]}, review(None)),
        ({"state": "approved", "user": {}, "environments": [{"id": 1}, 5]}, Review("approved", None, frozenset())),
        ({"state": "approved", "user": {"login": "a"}, "environments": None}, Review("approved", "a", frozenset())),
        ({"user": {"login": "alice"}}, None),
        ("approved", None),
        (None, None),
    ],
)
def test_what_an_entry_tells(told: object, expected: Review | None) -> None:
    assert parse_review(told) == expected
