"""The study: which launches run under which configurations, checked before anything runs; its rows gathered after."""
