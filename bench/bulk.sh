#!/usr/bin/env bash
# A bulk batch of 10,000 native texts on PostgreSQL and Redis, with one worker and with two. See bench/bulk.py.
# Usage: scripts/with-services.sh bench/bulk.sh [ITEMS]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
scripts/contrast.sh
cargo build --quiet --release --workspace --bin gavel --bin bench
database="bench_bulk_$$"
psql -qAt "$GAVEL_TEST_POSTGRES_URL" -c "CREATE DATABASE $database"
trap 'psql -qAt "$GAVEL_TEST_POSTGRES_URL" -c "DROP DATABASE IF EXISTS $database WITH (FORCE)"' EXIT
export GAVEL_DATABASE_URL="${GAVEL_TEST_POSTGRES_URL%/*}/$database" GAVEL_REDIS_URL="$GAVEL_TEST_REDIS_URL"
export GAVEL_QUEUE_NAME="$database" GAVEL_MODELS_DIR="${GAVEL_MODELS_DIR:-.cache/models}"
python3 bench/bulk.py "${CARGO_TARGET_DIR:-target}/release" "${1:-10000}"
