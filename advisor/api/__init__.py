"""The REST API: make_plan and the library over HTTP, with no opinions of its own."""
