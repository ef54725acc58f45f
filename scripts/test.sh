#!/usr/bin/env bash
# Runs the tests, after scripts/setup.sh; arguments go to `cargo test`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/environment.sh

[ -e .z3/z3.pc ] || [ -n "${PKG_CONFIG_PATH:-}" ] || fail "Z3 is not set up; run scripts/setup.sh first"
exec cargo test --locked "$@"
