#!/usr/bin/env bash
# Builds the images NAME, with all models, and NAME:slim, without the fetched ones, by docker, podman or buildah,
# whichever is there. With BINARY, which must run with the glibc of Debian 12, nothing is compiled: it goes into both.
# Usage: scripts/image.sh [NAME [BINARY]]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
name=${1:-gavel}
arguments=()
if [ -n "${2:-}" ]; then
    scripts/release.sh glibc "$2"
    # A folder with this file alone: what else is beside it is not sent.
    folder=$(mktemp --directory)
    trap 'rm -rf "$folder"' EXIT
    install --preserve-timestamps "$2" "$folder/gavel"
    arguments+=(--build-context "binary=$folder")
fi

# Podman and Buildah write OCI images by themselves, which have no health check.
if docker buildx version >/dev/null 2>&1 && docker info >/dev/null 2>&1; then
    build=(docker buildx build --load)
elif command -v podman >/dev/null; then
    build=(podman build --format docker)
elif command -v buildah >/dev/null; then
    build=(buildah build --format docker --layers)
else
    echo "building images needs docker with buildx, podman or buildah" >&2
    exit 1
fi
"${build[@]}" "${arguments[@]}" --target slim --tag "$name:slim" .
"${build[@]}" "${arguments[@]}" --target full --tag "$name" .
