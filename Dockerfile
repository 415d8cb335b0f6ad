# The advisor's REST API. gcc is needed only to build durable-rules, so it stays in the build stage.
FROM python:3.11-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY advisor advisor
COPY tui tui
COPY rules rules
COPY knowledge knowledge
RUN python -m venv /opt/advisor \
    && CC="gcc -DPyEval_CallObject=PyObject_CallObject" /opt/advisor/bin/pip install --no-cache-dir -c constraints.txt ".[api]"

FROM python:3.11-slim
RUN useradd --create-home --uid 10001 advisor
COPY --from=build /opt/advisor /opt/advisor
ENV PATH=/opt/advisor/bin:$PATH ADVISOR_CACHE=/tmp/advisor-cache PYTHONDONTWRITEBYTECODE=1
USER advisor
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
# Every address of the container is meant to be reached; who may reach the container is for the network around it to say.
CMD ["advisor", "serve", "--host", "0.0.0.0", "--port", "8000", "--allow-any-host"]
