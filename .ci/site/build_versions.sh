#!/usr/bin/env bash
# Build the site for every version that readers choose from, into a folder: `latest` is this checkout, and `stable` the newest
# release, whose tag is v1.3.0 or the like. Usage: build_versions.sh FOLDER
set -eu
cd "$(dirname "$0")/../.."
folder=$(realpath -m "$1")
rm -rf "$folder" build/released
mkdir -p "$folder"

SITE_VERSION=latest make site
mv build/site "$folder/latest"
first=latest
tag=$(git tag --list 'v*' --sort=-version:refname | grep -vE '(a|b|rc)[0-9]+$' | head -n 1)
if [ -n "$tag" ]; then
    git worktree prune
    git worktree add --detach build/released "$tag"
    SITE_VERSION=stable make -C build/released site
    mv build/released/build/site "$folder/stable"
    git worktree remove --force build/released
    first=stable
fi
cp .ci/site/versions.json "$folder/versions.json"
printf '<!doctype html><title>qrkit</title><meta http-equiv="refresh" content="0; url=%s/index.html">\n' "$first" >"$folder/index.html"
