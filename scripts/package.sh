#!/usr/bin/env bash
# Makes the archive for the Competition on Software Verification: a zip with one folder, in it the program, its
# libraries, the licences of both, the manual and a smoke test. It runs from any folder, also a read-only one, on any
# Linux (x86-64) whose glibc is not older than that of the machine where this was run.
#
#   scripts/package.sh [--binary FILE] [OUT.zip]
#
# Without --binary, builds the program first (after scripts/setup.sh). The archive is written to
# target/package/regatta-VERSION.zip unless another name is given. The same program makes the same archive.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/environment.sh

# The newest glibc that the competition's machines have (Ubuntu 24.04).
newest_glibc=2.39

main() {
    local binary='' out=''
    while [ $# -gt 0 ]; do
        case "$1" in
            --binary)
                binary=${2:?--binary needs a file}
                shift
                ;;
            -*) fail "unknown option $1" ;;
            *) out=$1 ;;
        esac
        shift
    done
    local tool
    for tool in cargo dpkg-query git objdump patchelf python3 strip; do
        command -v "$tool" >/dev/null || fail "$tool is missing (Debian: apt-get install binutils git patchelf python3)"
    done
    if [ -z "$binary" ]; then
        cargo build --release --locked
        binary=${CARGO_TARGET_DIR:-target}/release/regatta
    fi
    local version name work
    version=$("$binary" -V | cut -d ' ' -f 2)
    name=regatta-$version
    out=${out:-${CARGO_TARGET_DIR:-target}/package/$name.zip}
    work=$(mktemp -d)
    # shellcheck disable=SC2064 # the folder of this call
    trap "rm -rf '$work'" EXIT
    fill "$binary" "$work/$name"
    mkdir -p "$(dirname "$out")"
    python3 scripts/competition/check.py zip "$work/$name" "$out"
    echo "$out: $(du -h "$out" | cut -f 1)"
}

# Puts all that the archive is to have into the folder.
fill() {
    local binary=$1 folder=$2
    mkdir -p "$folder"/{bin,lib} "$folder"/share/{bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
    strip --strip-debug -o "$folder/bin/regatta" "$binary"
    local list libraries=() library
    list=$(libraries_of "$binary")
    mapfile -t libraries <<<"$list"
    for library in "${libraries[@]}"; do
        strip --strip-debug -o "$folder/lib/$(basename "$library")" "$(realpath "$library")"
        patchelf --force-rpath --set-rpath '$ORIGIN' "$folder/lib/$(basename "$library")"
    done
    # An RPATH, not a RUNPATH, so that these libraries win over those of a user's LD_LIBRARY_PATH.
    patchelf --force-rpath --set-rpath '$ORIGIN/../lib' "$folder/bin/regatta"
    # shellcheck disable=SC2046 # the words are files
    require_old_glibc $(find "$folder/bin" "$folder/lib" -type f)

    local regatta=$folder/bin/regatta
    "$regatta" manual --out "$folder/share/man/man1"
    "$regatta" completions bash >"$folder/share/bash-completion/completions/regatta"
    "$regatta" completions zsh >"$folder/share/zsh/site-functions/_regatta"
    "$regatta" completions fish >"$folder/share/fish/vendor_completions.d/regatta.fish"

    cp LICENSE scripts/competition/smoketest.sh "$folder"
    local commit
    commit=$(git describe --always --dirty --abbrev=40 2>/dev/null) || commit=unknown
    sed "s/@COMMIT@/$commit/" scripts/competition/README.md >"$folder/README.md"
    python3 scripts/competition/licences.py "$folder/LICENSES-OF-PARTS.txt" "${libraries[@]}"
    mkdir -p "$folder/share/regatta"
    cp -r scripts/competition/examples "$folder/share/regatta"
    cp scripts/benchexec/tasks/unreach-call.prp "$folder/share/regatta/examples"
    # Whatever the mask of who makes it.
    chmod -R u=rwX,go=rX "$folder"
}

# The shared libraries that the program is linked with, less those of glibc, which the system must bring.
libraries_of() {
    local line file
    ldd "$1" | while read -r line; do
        case "$line" in
            *"not found"*) fail "$1 does not find its libraries: $line" ;;
            linux-vdso* | */ld-linux* | libc.so.* | libm.so.* | libpthread.so.* | libdl.so.* | librt.so.*) ;;
            *" => "*)
                file=${line#* => }
                echo "${file% (*}"
                ;;
        esac
    done | LC_ALL=C sort
}

# Fails if any of the files asks for a glibc that is too new.
require_old_glibc() {
    local needed
    needed=$(objdump -T "$@" | grep -o 'GLIBC_[0-9][0-9.]*' | cut -d _ -f 2 | sort -uV | tail -n 1)
    [ "$(printf '%s\n' "$needed" "$newest_glibc" | sort -V | tail -n 1)" = "$newest_glibc" ] \
        || fail "glibc $needed is needed; the competition has $newest_glibc"
    echo "glibc $needed or newer is needed"
}

main "$@"
