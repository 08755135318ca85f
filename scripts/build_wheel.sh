#!/bin/sh
# Builds the wheel into the folder that is given (dist/), beside it a software bill of materials (CycloneDX)
# of what it requires, and the checksums of both. The same commit gives the same bytes everywhere.
set -eu
cd "$(dirname "$0")/.."
out=${1:-dist}
mkdir -p "$out"

# The time in the archive: that of the commit, or a fixed one where there is no history.
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || echo 1577836800)}"
export SOURCE_DATE_EPOCH
umask 022

rm -f "$out"/autosim-*.whl "$out"/autosim-*.cdx.json "$out"/SHA256SUMS
sh scripts/uv.sh build --quiet --wheel --out-dir "$out"
wheel=$(cd "$out" && ls autosim-*.whl)
bill="$out/$(echo "$wheel" | cut -d- -f1,2).cdx.json"
sh scripts/uv.sh pip compile pyproject.toml --all-extras --universal --generate-hashes --no-header --no-annotate \
    --python-version 3.11 --constraint requirements.lock --quiet |
    sh scripts/uv.sh tool run --quiet --from cyclonedx-bom==7.5.0 cyclonedx-py requirements - \
        --pyproject pyproject.toml --mc-type application --output-reproducible --output-file "$bill" 2>/dev/null
(cd "$out" && sha256sum autosim-*.whl autosim-*.cdx.json >SHA256SUMS)
