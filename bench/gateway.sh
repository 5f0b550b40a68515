#!/usr/bin/env bash
# Requests a second passed on to an LLM's server that answers at once: Gavel beside LiteLLM's proxy and Portkey's
# gateway, each on one core. Prints tables for bench/README.md. See bench/gateway.py.
# Usage: bench/gateway.sh [SECONDS [ROUNDS]]      (builds, or GAVEL=path; needs two cores, pip and Node)
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
scripts/require.sh nginx:nginx-light wrk:wrk taskset:util-linux npm:npm
# The newest LiteLLM whose extra `proxy` can be installed: later ones want packages that are not on PyPI. Without its
# extra `proxy-runtime`, each request tries in vain to import OpenTelemetry, which makes it slower.
litellm=.cache/bench/litellm-1.108.7
portkey=.cache/bench/portkey-1.15.2
[ -x "$litellm/bin/python" ] || python3 -m venv "$litellm"
"$litellm/bin/pip" install --quiet --disable-pip-version-check "litellm[proxy,proxy-runtime]==${litellm##*-}"
if [ ! -d "$portkey/node_modules/@portkey-ai/gateway" ]; then
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$portkey" "@portkey-ai/gateway@${portkey##*-}"
fi
[ -n "${GAVEL:-}" ] || cargo build --quiet --release --workspace --bin gavel
export GAVEL_MODELS_DIR="${GAVEL_MODELS_DIR:-.cache/models}"
python3 bench/gateway.py "${GAVEL:-${CARGO_TARGET_DIR:-target}/release/gavel}" "$litellm" "$portkey" \
    "${1:-8}" "${2:-3}"
