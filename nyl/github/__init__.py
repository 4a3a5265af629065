"""GitHub as nyl uses it: what a run of Actions tells, sticky comments, who approved. No engine imports it."""
