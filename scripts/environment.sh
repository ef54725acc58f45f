# Sourced by setup.sh, test.sh and .ci/run, from the top of the repository: where the pinned Z3 is, and how cargo finds it.

z3_version=5.4.0
cache=${REGATTA_CACHE:-$HOME/.cache/regatta}
z3_folder=$cache/z3-$z3_version.0

# cargo takes PKG_CONFIG_PATH from .cargo/config.toml, unless the caller has one: then ours is put before it.
if [ -n "${PKG_CONFIG_PATH:-}" ]; then
    case ":$PKG_CONFIG_PATH:" in
        *":$z3_folder:"*) ;;
        *) export PKG_CONFIG_PATH=$z3_folder:$PKG_CONFIG_PATH ;;
    esac
fi

# One of Yices' libraries is built by a plain `cmake --build`, which takes one core unless told otherwise.
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}
