# The advisor's REST API. gcc is needed only to build durable-rules, so it stays in the build stage.
FROM python:3.11-slim AS build
# The compiler leaves nothing in the image that runs, so its version is Debian's to choose.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY advisor advisor
COPY tui tui
COPY rules rules
COPY knowledge knowledge
# Further optional parts, such as chat with its embeddings: --build-arg EXTRAS=api,chat
ARG EXTRAS=api
RUN python -m venv /opt/advisor \
    && CC="gcc -DPyEval_CallObject=PyObject_CallObject" \
    /opt/advisor/bin/pip install --no-cache-dir -c constraints.txt ".[${EXTRAS}]" \
    && /opt/advisor/bin/python -m compileall -q /opt/advisor/lib

FROM python:3.11-slim
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin advisor \
    && install --directory --owner=10001 --group=10001 --mode=700 /data
COPY --from=build /opt/advisor /opt/advisor
# Only /data and /tmp are written, so the rest may be mounted read-only.
ENV PATH=/opt/advisor/bin:$PATH \
    ADVISOR_CACHE=/tmp/advisor-cache \
    ADVISOR_API_DATABASE=/data/api.sqlite \
    PYTHONDONTWRITEBYTECODE=1
USER 10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=3s --start-period=20s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
# It does not start before there is a key: advisor keys create, in the same volume.
CMD ["advisor", "serve", "--host", "0.0.0.0", "--port", "8000"]
