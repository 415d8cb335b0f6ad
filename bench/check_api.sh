#!/bin/sh
# Every operation of a running service with generated requests, right and wrong ones: no failure, nothing but what is declared.
# CASES: the most of each operation and phase; 150 make more than 20,000 in all.
set -eu
BIN=${BIN:-.venv/bin}
TOOLS=${TOOLS:-.venv-api-tools/bin}
PORT=${PORT:-8765}
folder=$(mktemp -d)
export ADVISOR_API_DATABASE="$folder/api.sqlite" ADVISOR_API_LOG_REQUESTS=false ADVISOR_API_WAITING=1000
"$BIN/python" -c "from advisor.cli.main import main; main()" serve --port "$PORT" 2>"$folder/log" &
server=$!
trap 'kill $server; wait $server || true; rm -rf "$folder"' EXIT
"$TOOLS/schemathesis" run "http://127.0.0.1:$PORT/openapi.json" --wait-for-schema 60 --workers 2 --max-examples "${CASES:-150}" \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance \
    --phases examples,coverage,fuzzing --suppress-health-check all --continue-on-failure ${OPTIONS:-}
