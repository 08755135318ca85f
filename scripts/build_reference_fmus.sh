#!/bin/bash
# build_reference_fmus.sh SOURCE OUT: builds the Reference-FMUs of the Modelica Association (a checkout
# of modelica/Reference-FMUs in SOURCE) for FMI 2 and 3, and puts NAME.fmu with NAME_out.csv into
# OUT/fmi2 and OUT/fmi3. tests/fmi reads them from ../shared/reference_fmus or $AUTOSIM_REFERENCE_FMUS.
set -eu
source=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
for version in 2 3; do
    cmake -S "$source" -B "$build/$version" -DFMI_VERSION=$version > "$build/log" || { cat "$build/log"; exit 1; }
    cmake --build "$build/$version" > "$build/log" || { tail -n 20 "$build/log"; exit 1; }
    mkdir -p "$out/fmi$version"
    cp "$build/$version"/fmus/*.fmu "$out/fmi$version/"
    cp "$source"/*/*_out.csv "$out/fmi$version/"
done
