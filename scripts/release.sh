#!/usr/bin/env bash
# The parts of a release; .github/workflows/release.yml runs them, and `make release-check` what needs no build.
#   release.sh check VERSION                     whether everything names this version, and the changelog has it
#   release.sh toolchain                         whether all use the same version of Rust
#   release.sh notes VERSION                     prints the changelog of a version
#   release.sh glibc BINARY                      whether the binary runs with the glibc of the image
#   release.sh pack BINARY VERSION ARCH FOLDER   makes gavel-VERSION-ARCH-linux.tar.gz, unless it needs a newer glibc
#   release.sh materials VERSION FOLDER          bills of materials (CycloneDX) of the binary and of the dashboard in it
#   release.sh sums FOLDER                       writes SHA256SUMS of what is in the folder
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

# The glibc of Debian 12, on which the image and the binaries are built.
MAX_GLIBC=2.36

usage() {
    sed -n '3,9s/^#   //p' "$0" >&2
    exit 2
}

fail() {
    echo "$1" >&2
    exit 1
}

workspace_version() {
    sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml
}

# The section of a version, without its heading. A version without one is not released yet.
notes() {
    awk -v heading="## [$1]" '
        index($0, heading) == 1 { inside = 1; next }
        /^## \[/ { inside = 0 }
        inside' CHANGELOG.md
}

# One version of Rust everywhere: what is tested is what is released.
toolchain() {
    local rust
    rust=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    grep -q "^FROM rust:$rust-" Dockerfile || fail "the Dockerfile does not build with Rust $rust"
    ! grep -H 'RUSTUP_TOOLCHAIN: ' .github/workflows/*.yml | grep -v ": $rust\.[0-9]*$" \
        || fail "these workflows do not use Rust $rust"
}

check() {
    local version=$1 file
    [ "$(workspace_version)" = "$version" ] || fail "Cargo.toml has version $(workspace_version), not $version"
    grep -q "^  \"version\": \"$version\",$" dashboard/package.json || fail "dashboard/package.json has another version"
    grep -q "^  \"version\": \"$version\",$" clients/typescript/package.json \
        || fail "clients/typescript/package.json has another version"
    grep -q "^__version__ = \"$version\"$" clients/python/src/gavel_client/version.py \
        || fail "clients/python/src/gavel_client/version.py has another version"
    for file in deploy/kubernetes/kustomization.yaml deploy/kubernetes/migrate/kustomization.yaml; do
        grep -q "newTag: $version$" "$file" || fail "$file names another version"
    done
    notes "$version" | grep -q . || fail "CHANGELOG.md has no section [$version]"
    toolchain
}

glibc() {
    local newest
    newest=$(readelf --wide --version-info "$1" | grep -o 'GLIBC_[0-9.]*' | sort --version-sort | tail -n 1)
    newest=${newest#GLIBC_}
    printf '%s\n%s\n' "$newest" "$MAX_GLIBC" | sort --check=quiet --version-sort \
        || fail "$1 needs glibc $newest; binaries may need $MAX_GLIBC at most"
}

pack() {
    local binary=$1 name="gavel-$2-$3-linux" folder=$4 work
    glibc "$binary"
    work=$(mktemp -d)
    install -D "$binary" "$work/$name/gavel"
    install --mode=0644 LICENSE README.md CHANGELOG.md SECURITY.md config.default.toml deploy/gavel.service \
        "$work/$name"
    mkdir -p "$folder"
    # The same bytes for the same files: no times, no owners, one order.
    tar --create --sort=name --mtime='UTC 2020-01-01' --owner=0 --group=0 --numeric-owner --directory "$work" "$name" \
        | gzip --no-name --best >"$folder/$name.tar.gz"
    rm -rf "$work"
}

materials() {
    local version=$1 folder=$2
    mkdir -p "$folder"
    cargo cyclonedx --format json --override-filename "gavel-$version.cdx"
    mv "gavel-$version.cdx.json" "$folder/"
    find . -name "gavel-$version.cdx.json" -not -path "./$folder/*" -delete
    npm sbom --prefix dashboard --package-lock-only --omit=dev --sbom-format cyclonedx \
        >"$folder/gavel-dashboard-$version.cdx.json"
}

sums() {
    local sums
    cd "$1"
    sums=$(find . -type f -not -name SHA256SUMS -printf '%P\0' | sort --zero-terminated | xargs --null sha256sum)
    echo "$sums" >SHA256SUMS
}

case "${1:-} $#" in
    "check 2") check "$2" ;;
    "toolchain 1") toolchain ;;
    "notes 2") notes "$2" ;;
    "glibc 2") glibc "$2" ;;
    "pack 5") pack "$2" "$3" "$4" "$5" ;;
    "materials 3") materials "$2" "$3" ;;
    "sums 2") sums "$2" ;;
    *) usage ;;
esac
