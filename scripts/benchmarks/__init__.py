"""Measuring nyl against yardsticks and against other tools."""
