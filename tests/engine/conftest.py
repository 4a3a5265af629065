"""How many cases the property tests of the engine try: few enough for a busy machine, the same ones every time."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "engine",
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("engine")
