#!/usr/bin/env bash
# Makes a Debian package of an archive of scripts/package.sh.
#
#   scripts/debian/build.sh ARCHIVE.zip [OUT.deb]
#
# The program and its libraries are in /usr/lib/regatta; the command, the manual and the completions are where Debian has
# them. The same archive makes the same package. Without OUT, it is beside the archive.
set -euo pipefail

fail() {
    echo "error: $*" >&2
    exit 1
}

for tool in dpkg-deb gzip python3 objdump; do
    command -v "$tool" >/dev/null || fail "$tool is missing (Debian: apt-get install binutils dpkg gzip python3)"
done
archive=$(realpath "${1:?which archive?}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m zipfile -e "$archive" "$work/archive"
top=$(echo "$work"/archive/*)
chmod +x "$top/bin/regatta"
version=$("$top/bin/regatta" -V | cut -d ' ' -f 2)
out=${2:-${archive%.zip}.deb}

root=$work/root
share=$root/usr/share
library=$root/usr/lib/regatta
mkdir -p "$library" "$root/usr/bin" "$root/DEBIAN" "$share"/doc/regatta "$share"/man/man1
cp -r "$top/bin" "$top/lib" "$library"
ln -s ../lib/regatta/bin/regatta "$root/usr/bin/regatta"
for page in "$top"/share/man/man1/*; do
    gzip --best --no-name --stdout "$page" >"$share/man/man1/$(basename "$page").gz"
done
cp -r "$top"/share/{bash-completion,zsh,fish} "$share"
cp -r "$top/share/regatta/examples" "$share/doc/regatta"
{
    echo "Regatta. All of it is under GPL-3.0-or-later, whose text is /usr/share/common-licenses/GPL-3, except for these parts:"
    echo
    cat "$top/LICENSES-OF-PARTS.txt"
} >"$share/doc/regatta/copyright"

# The newest version of glibc of which a symbol is used.
glibc=$(find "$library" -type f -exec objdump -T {} + 2>/dev/null | grep -o 'GLIBC_[0-9][0-9.]*' | cut -d _ -f 2 | sort -uV | tail -n 1)
cat >"$root/DEBIAN/control" <<EOF
Package: regatta
Version: $version
Section: devel
Priority: optional
Architecture: amd64
Maintainer: The authors of Regatta <regatta@localhost>
Installed-Size: $(du -k --summarize "$root/usr" | cut -f 1)
Depends: libc6 (>= $glibc), gcc
Recommends: libc6-dev-i386
Description: parallel portfolio verifier for C
 Runs analyses side by side (bounded model checking, k-induction, data-flow
 analysis, IC3, predicate abstraction, IMPACT, SPACER) that share proved
 invariants, and returns the first answer that is conclusive. Answers are
 checked again before they are given.
EOF
chmod -R u=rwX,go=rX "$root"
# The time of the archive's first file, so that the same archive makes the same package.
SOURCE_DATE_EPOCH=$(stat -c %Y "$top/LICENSE")
export SOURCE_DATE_EPOCH
find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz -z2 --build "$root" "$out" >/dev/null
echo "$out: $(du -h "$out" | cut -f 1)"
