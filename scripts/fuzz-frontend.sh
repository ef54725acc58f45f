#!/usr/bin/env bash
# Loads, simplifies and interprets the programs of the tests with random changes: none may panic or run for ever.
#
#   scripts/fuzz-frontend.sh [MINUTES [SEED]]      (default: 60 minutes, a seed from the clock)
#
# A text that fails stays in the folder that the message names.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export REGATTA_MUTATION_MINUTES=${1:-60} REGATTA_MUTATION_SEED=${2:-$(date +%s)}
echo "seed $REGATTA_MUTATION_SEED, $REGATTA_MUTATION_MINUTES minutes"
exec scripts/test.sh tests::mutation -- --nocapture
