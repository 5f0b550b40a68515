#!/usr/bin/env bash
# Checks what of a release needs no build: workflows with actionlint and zizmor, manifests against the schemas of
# Kubernetes, alerts with promtool, links, and that the versions agree. Python tools are fetched, pinned by hash. A tool
# that is not there is named and left out. Usage: scripts/release-check.sh [VERSION]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
scripts/pip.sh scripts/release-requirements.txt .cache/release
tools=$PWD/.cache/release
export PYTHONPATH="$tools"

left_out() {
    echo "left out: $1" >&2
}

echo "workflows" >&2
"$tools/bin/zizmor" --offline --no-progress --persona pedantic .github
python3 -m check_jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
python3 -m check_jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
python3 -m check_jsonschema --builtin-schema vendor.github-issue-forms \
    .github/ISSUE_TEMPLATE/{bug,proposal,wrong-answer}.yml
if command -v actionlint >/dev/null; then
    actionlint
else
    left_out "actionlint (go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12)"
fi

echo "manifests" >&2
mapfile -t manifests < <(git ls-files 'deploy/kubernetes/*.yaml' | grep -v kustomization)
"$tools/bin/kubernetes-validate" --strict "${manifests[@]}"
if command -v kubectl >/dev/null; then
    for folder in deploy/kubernetes deploy/kubernetes/migrate; do
        kubectl kustomize "$folder" | "$tools/bin/kubernetes-validate" --strict -
    done
else
    left_out "kubectl kustomize"
fi
python3 -m check_jsonschema --builtin-schema vendor.compose-spec compose.yaml

echo "alerts" >&2
command -v promtool >/dev/null || left_out "promtool (Debian package prometheus)"
scripts/alerts.py

echo "links" >&2
scripts/links.py

echo "versions" >&2
if [ -n "${1:-}" ]; then
    scripts/release.sh check "$1"
else
    scripts/release.sh toolchain
fi
