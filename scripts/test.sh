#!/usr/bin/env bash
# Runs the tests, after scripts/setup.sh.
#
#   scripts/test.sh                                all of them
#   scripts/test.sh NAME …                         unit tests whose names have the text (`cargo test --workspace --lib NAME …`)
#   scripts/test.sh --test engines …               one of those of the command (`cargo test --test engines …`)
#
# The library's own tests (among them those of src/tests, on whole programs) run with debug assertions and overflow
# checks. The tests of the command, in the folder tests, run what users run: the program that scripts/setup.sh has built.
# Both are in the release profile, so that dependencies are built once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/environment.sh

[ -e .z3/z3.pc ] || [ -n "${PKG_CONFIG_PATH:-}" ] || fail "Z3 is not set up; run scripts/setup.sh first"

test_library() {
    cargo test --release --locked --config scripts/checked.toml --workspace --lib "$@"
}

test_command() {
    cargo test --release --locked "$@"
}

# The examples in the documentation, of the crates that have any: for each, rustdoc reads the whole crate.
test_examples() {
    local folder packages=(--package regatta)
    for folder in src/*/; do
        folder=${folder%/}
        if [ -e "$folder/Cargo.toml" ] && grep --quiet --recursive --include='*.rs' -E '^ *//[/!] *```' "$folder"; then
            packages+=(--package "regatta-${folder#src/}")
        fi
    done
    test_command --doc "${packages[@]}"
}

case " $* " in
    "  ")
        test_library
        test_command --test '*'
        test_examples
        ;;
    *" --test "* | *" --doc "*) test_command "$@" ;;
    *) test_library "$@" ;;
esac
