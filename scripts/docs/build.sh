#!/usr/bin/env bash
# Builds the book in docs/ and checks it: mdBook's own tests, the links within it, the citations.
#
#   scripts/docs/build.sh [FOLDER]      (where the HTML goes; default: ${REGATTA_CACHE:-$HOME/.cache/regatta}/book)
#
# mdBook is installed into the cache folder, in the version below, when it is missing; compiling it takes three to five
# minutes on two cores. If it cannot be installed, the exit code is 69.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. scripts/environment.sh

mdbook_version=0.5.4
mdbook_folder=$cache/mdbook
mdbook=$mdbook_folder/bin/mdbook
book=$(realpath -m "${1:-$cache/book}")

# Without the server and the watcher it builds in half of the time.
if [ "$("$mdbook" --version 2>/dev/null)" != "mdbook v$mdbook_version" ]; then
    mkdir -p "$cache"
    CARGO_TARGET_DIR=$mdbook_folder/target cargo install mdbook --quiet --locked --version "$mdbook_version" \
        --no-default-features --features search --root "$mdbook_folder" || {
        echo "mdBook $mdbook_version cannot be installed" >&2
        exit 69
    }
    rm -rf "$mdbook_folder/target"
fi

rm -rf "$book"
"$mdbook" build --dest-dir "$book" docs
# What is not marked as another language would be taken for Rust.
"$mdbook" test docs
scripts/docs/check-links.py "$book"
echo "The book is in $book/index.html"
