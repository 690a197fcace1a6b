"""Timings never decide a test: a busy machine must not fail a property that holds."""

from hypothesis import settings

settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
