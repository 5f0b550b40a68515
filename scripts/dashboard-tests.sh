#!/usr/bin/env bash
# Checks the dashboard: lints, unit tests, and browser tests against target/debug/gavel on SQLite, with Debian's
# chromium. GAVEL_TEST_CHROMIUM names another. Screenshots of all pages are left in dashboard/screenshots.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
scripts/dashboard.sh --require
cd dashboard
npm run --silent lint
npm run --silent test
if [ -z "${GAVEL_TEST_CHROMIUM:-}" ]; then
    ../scripts/require.sh chromium:chromium
    GAVEL_TEST_CHROMIUM=$(command -v chromium)
    export GAVEL_TEST_CHROMIUM
fi
npm run --silent browser
