#!/usr/bin/env bash
# Tests an archive of scripts/package.sh the way the competition uses it: in another system if there is one, without
# network, from a read-only folder, from a working folder of its own, with nothing left behind.
#
#   scripts/competition/test-archive.sh ARCHIVE.zip [ROOT]
#
# ROOT is the folder of a bare Debian or Ubuntu with gcc and libc6-dev-i386, such as
#   debootstrap --variant=minbase --include=gcc,libc6-dev-i386 bookworm ROOT
# Without it, this system is used. Needs root, for the namespaces; without, that is said, and the network stays.
set -euo pipefail

archive=$(realpath "${1:?which archive?}")
root=${2:-}
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# The competition's limit for what a tool prints.
most_output=2000000

fail() {
    echo "error: $*" >&2
    exit 1
}

if [ "${REGATTA_IN_NAMESPACE:-}" != yes ]; then
    python3 "$scripts/check.py" archive "$archive"
    if [ "$(id -u)" -eq 0 ] && unshare --mount --net true 2>/dev/null; then
        REGATTA_IN_NAMESPACE=yes exec unshare --mount --net "$0" "$@"
    fi
    echo "NOT TESTED: without network, on a read-only folder (this needs root)" >&2
    root=
fi

# Everything from here is in mount and network namespaces of its own, which end with it.
work=$(mktemp -d -p /var/tmp)
clean() {
    umount --recursive --lazy "$work"/{tool,root,changes} 2>/dev/null || true
    rm -rf --one-file-system "$work"
}
trap clean EXIT
mkdir "$work"/{unpacked,tool,cwd,tmp,root,changes}
python3 - "$archive" "$work/unpacked" <<'EOF'
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as zipped:
    for entry in zipped.infolist():
        os.chmod(zipped.extract(entry, sys.argv[2]), (entry.external_attr >> 16) & 0o777)
EOF
top=$(echo "$work"/unpacked/*)
enter=()
inside=$top
cwd=$work/cwd
temporary=$work/tmp
if [ "${REGATTA_IN_NAMESPACE:-}" = yes ]; then
    mount --bind "$top" "$work/tool"
    mount -o remount,bind,ro "$work/tool"
    inside=$work/tool
    touch "$inside/probe" 2>/dev/null && fail "the folder of the tool is not read-only"
    ip link 2>/dev/null | grep -q "state UP" && fail "there is a network"
    if [ -n "$root" ]; then
        # A copy of the system in memory, so that the one given stays as it was.
        mount -t tmpfs tmpfs "$work/changes"
        mkdir "$work/changes"/{upper,work}
        mount -t overlay overlay -o "lowerdir=$root,upperdir=$work/changes/upper,workdir=$work/changes/work" "$work/root"
        mkdir -p "$work/root/a tool" "$work/root/somewhere"
        mount --bind "$top" "$work/root/a tool"
        mount -o remount,bind,ro "$work/root/a tool"
        mount -t proc proc "$work/root/proc"
        mount --bind /dev "$work/root/dev"
        enter=("$(command -v chroot)" "$work/root")
        inside="/a tool"
        cwd=/somewhere
        temporary=/tmp
    else
        mount -t tmpfs tmpfs /tmp
        temporary=/tmp
    fi
fi

# in_tool COMMAND…: in the working folder, with nearly nothing in the environment.
in_tool() {
    # shellcheck disable=SC2016 # expanded there
    timeout 300 "${enter[@]}" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/nonexistent TMPDIR="$temporary" \
        sh -c 'cd "$1" && shift && exec "$@"' sh "$cwd" "$@"
}
files_of() {
    in_tool find "$cwd" "$temporary" -mindepth 1 | LC_ALL=C sort
}

in_tool "$inside/smoketest.sh" | tee "$work/output"
[ -z "$(in_tool find "$cwd" -mindepth 1)" ] || fail "the smoke test leaves files"
[ "$(wc -c <"$work/output")" -lt "$most_output" ] || fail "too much output"

before=$(files_of)
status=0
in_tool "$inside/bin/regatta" --portfolio svcomp --witness witness.yml --property "$inside/share/regatta/examples/unreach-call.prp" \
    --data-model ILP32 "$inside/share/regatta/examples/violated.i" >"$work/output" 2>&1 || status=$?
after=$(files_of)
[ "$status" -eq 1 ] || fail "exit code $status: $(cat "$work/output")"
[ "$(tail -n 1 "$work/output")" = "RESULT: FALSE(unreach-call)" ] || fail "$(cat "$work/output")"
left=$(comm -13 <(echo "$before") <(echo "$after"))
[ "$left" = "$cwd/witness.yml" ] || fail "left behind: $left"

version=$(in_tool "$inside/bin/regatta" --version | sed -n 's/^regatta //p')
[ -n "$version" ] && [ ${#version} -le 100 ] || fail "the version is '$version'"
echo "$(basename "$archive") $version works${root:+ in $root}"
