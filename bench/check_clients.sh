#!/bin/sh
# Clients as portals generate them from the committed contract; the Python one then makes a plan of a running service.
set -eu
BIN=${BIN:-.venv/bin}
TOOLS=${TOOLS:-.venv-api-tools/bin}
PORT=${PORT:-8766}
folder=$(mktemp -d)
export ADVISOR_API_DATABASE="$folder/api.sqlite"
"$TOOLS/openapi-python-client" generate --path docs/openapi.json --output-path "$folder/client" --meta none --fail-on-warning || \
    "$TOOLS/openapi-python-client" generate --path docs/openapi.json --output-path "$folder/client" --meta none --overwrite
npx --yes openapi-typescript@7 docs/openapi.json -o "$folder/advisor.ts"
"$BIN/python" -c "from advisor.cli.main import main; main()" serve --port "$PORT" 2>"$folder/log" &
server=$!
trap 'kill $server; wait $server || true; rm -rf "$folder"' EXIT
PYTHONPATH="$folder:." "$TOOLS/python" bench/check_client.py "http://127.0.0.1:$PORT"
wc -l "$folder/advisor.ts"
