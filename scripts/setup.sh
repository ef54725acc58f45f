#!/usr/bin/env bash
# Sets a bare Debian (x86-64, with rustup, git and gcc) up: installs what is missing, builds Regatta in release
# mode and verifies the examples. Can be run again at any time; what is there already is left alone.
#
#   scripts/setup.sh [--dependencies-only]
#
# Only the system packages need root. Without root (or sudo), this prints the command that an administrator
# has to run, and stops. Everything else goes into ${REGATTA_CACHE:-$HOME/.cache/regatta} and cargo's folders.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/environment.sh

# What the build needs: Yices and its libraries are built from source (autoconf, cmake, clang, g++, gperf, m4, make;
# libclang reads their headers), and so is Bitwuzla (meson, ninja-build; libcadical-dev, libgmp-dev and libsymfpu-dev are
# in it); python3-venv has the pip that downloads Z3, pkg-config finds it.
build_packages=(autoconf ca-certificates clang cmake g++ gcc git gperf libc6-dev libcadical-dev libclang-dev libgmp-dev
    libsymfpu-dev m4 make meson ninja-build pkg-config python3 python3-venv)
# What tests need: the 32-bit C library's headers, a generator of random C programs with its headers, an SMT solver for
# certificates, an editor of programs' library paths for archives, a reader for witnesses.
test_packages=(csmith cvc5 gcc-multilib libcsmith-dev patchelf python3-yaml)

main() {
    install_system_packages
    install_toolchain
    install_z3
    install_package_descriptions
    if [ "${1:-}" = --dependencies-only ]; then
        return
    fi
    cargo build --release --locked
    verify_example FALSE examples/midpoint.c
    verify_example TRUE examples/conversions.c
    verify_example TRUE examples/rotation.c
    echo "Regatta is built: $binary"
}

missing_packages() {
    local package
    for package in "$@"; do
        case "$(dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null || true)" in
            *" installed") ;;
            *) echo "$package" ;;
        esac
    done
}

install_system_packages() {
    command -v dpkg-query >/dev/null || fail "this is not a Debian; install by hand: ${build_packages[*]} ${test_packages[*]}"
    local missing
    mapfile -t missing < <(missing_packages "${build_packages[@]}" "${test_packages[@]}")
    [ ${#missing[@]} -gt 0 ] || return 0
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        as_root=(sudo)
        if ! command -v sudo >/dev/null || ! { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
            printf 'These system packages are missing, and installing them needs root. Run as root, then start again:\n\n' >&2
            printf '    apt-get update && apt-get install --no-install-recommends %s\n\n' "${missing[*]}" >&2
            exit 1
        fi
    fi
    echo "Installing system packages (this needs root): ${missing[*]}"
    "${as_root[@]}" apt-get update
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}"
}

# The version in rust-toolchain.toml; rustup installs it by itself unless that was switched off.
install_toolchain() {
    command -v rustup >/dev/null || fail "rustup is missing; install it first (it needs no root)"
    cargo --version >/dev/null 2>&1 || rustup toolchain install
}

# Puts libz3.so, its headers and our z3.pc into the cache folder, and a link to it into the repository.
install_z3() {
    if [ ! -e "$z3_folder/z3.pc" ]; then
        [ "$(uname -m)" = x86_64 ] || fail "the pinned Z3 is for x86-64; build with '--features vendored' instead"
        mkdir -p "$cache"
        local work
        work=$(mktemp -d "$cache/z3-download.XXXXXX")
        # shellcheck disable=SC2064 # the folder of this call
        trap "rm -rf '$work'" EXIT
        python3 -m venv "$work/venv"
        "$work/venv/bin/python" -m pip download --quiet --no-deps --only-binary=:all: --require-hashes \
            --requirement scripts/z3-requirements.txt --dest "$work"
        python3 -m zipfile -e "$work"/z3_solver-*.whl "$work/wheel"
        # The wheel has the library twice; the name with the version is the one that programs ask for.
        ln -sf "$(basename "$work"/wheel/z3/lib/libz3.so.*)" "$work/wheel/z3/lib/libz3.so"
        mkdir "$work/z3"
        mv "$work/wheel/z3/include" "$work/wheel/z3/lib" "$work/z3"
        cp scripts/z3.pc "$work/z3"
        rm -rf "$z3_folder"
        mv "$work/z3" "$z3_folder"
    fi
    ln -sfn "$z3_folder" .z3
}

# Puts what Bitwuzla's build is told of its libraries beside z3.pc, where pkg-config looks. One that is there is left as it
# is: cargo would build Bitwuzla again.
install_package_descriptions() {
    local name
    for name in symfpu gmp; do
        cmp --silent "scripts/$name.pc" "$z3_folder/$name.pc" && continue
        # Aside first: another clone may be building.
        cp "scripts/$name.pc" "$z3_folder/$name.pc.$$"
        mv "$z3_folder/$name.pc.$$" "$z3_folder/$name.pc"
    done
}

verify_example() {
    local expected=$1 file=$2 answer
    binary=${CARGO_TARGET_DIR:-target}/release/regatta
    answer=$("$binary" "$file" | tail -n 1) || true # the exit code tells the verdict too: 1 is FALSE
    echo "$file: $answer"
    case "$answer" in
        "RESULT: $expected" | "RESULT: $expected("*) ;;
        *) fail "expected $expected for $file" ;;
    esac
}

main "$@"
