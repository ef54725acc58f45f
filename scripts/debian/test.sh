#!/usr/bin/env bash
# Tests a package of scripts/debian/build.sh.
#
#   scripts/debian/test.sh PACKAGE.deb [ROOT]
#
# ROOT is the folder of a bare Debian with gcc, such as
#   debootstrap --variant=minbase --include=gcc,libc6-dev bookworm ROOT
# into which the package is installed, used, and removed again. Without it, the package is unpacked and used from there.
set -euo pipefail

package=$(realpath "${1:?which package?}")
root=${2:-}
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
clean() {
    [ -z "$root" ] || umount "$root/proc" 2>/dev/null || true
    rm -rf "$work"
}
trap clean EXIT

fail() {
    echo "error: $*" >&2
    exit 1
}

dpkg-deb --field "$package" Package Version Depends
cp "$scripts"/../competition/examples/*.i "$work"
if [ -n "$root" ]; then
    cp "$package" "$root/tmp/regatta.deb"
    cp "$work"/*.i "$root/tmp"
    # By it the program's libraries are found.
    mount -t proc proc "$root/proc"
    chroot "$root" dpkg --install /tmp/regatta.deb
    run() { chroot "$root" regatta verify --data-model ILP32 "/tmp/$1"; }
else
    dpkg-deb --extract "$package" "$work/root"
    run() { "$work/root/usr/bin/regatta" verify --data-model ILP32 "$work/$1"; }
fi
for program in "$work"/*.i; do
    program=$(basename "$program")
    result=$(run "$program" | tail -n 1) || true
    echo "$program: $result"
    case "$program" in
        violated*) [ "$result" = "RESULT: FALSE(unreach-call)" ] || fail "$program" ;;
        *) [ "$result" = "RESULT: TRUE" ] || fail "$program" ;;
    esac
done
if [ -n "$root" ]; then
    chroot "$root" dpkg --remove regatta
    [ -z "$(find "$root/usr/lib/regatta" 2>/dev/null)" ] || fail "files are left behind"
fi
echo "$(basename "$package") works${root:+ in $root}"
