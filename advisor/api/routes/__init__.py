"""One noun a file. A module here with a `router` is served; with `examples`, its answers are shown in the OpenAPI document."""
