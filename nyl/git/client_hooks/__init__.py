"""The pre-push hook: where Git runs one, and putting nyl's there beside what was there before."""
