#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# build.sh FOLDER - a container image of tern in FOLDER/tern.tar (OCI archive in Docker's format), made from scratch.
#
# The image holds the programs of TERN_BUILDDIR, the shared libraries that the programs load on this machine, and
# nothing else: no shell, no package manager, no root user. buildah runs without network and without a daemon. The image
# of equal programs has equal layers: each file has the time SOURCE_DATE_EPOCH (the time of NEWS).
set -euo pipefail
src=${TERN_SRCDIR:?} build=${TERN_BUILDDIR:?}
out=$(mkdir -p "$1" && cd "$1" && pwd)
command -v buildah >/dev/null || { echo "needs buildah: apt-get install buildah" >&2; exit 77; }
version=$(sed -n 's/^AC_INIT(\[tern\], \[\(.*\)\])$/\1/p' "$src/configure.ac")
: "${SOURCE_DATE_EPOCH:=$(stat -c %Y "$src/NEWS")}"
work=$(mktemp -d)
store=(--root "$work/store" --runroot "$work/run" --storage-driver vfs)
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root

# The user of the image: not root, and not a user of the host by chance.
uid=64179
umask 022
mkdir -p "$root"/{etc/tern,run/tern,var/lib/tern,var/log/tern,usr/sbin,usr/bin,tmp}
printf 'tern:x:%d:%d:tern:/var/lib/tern:/sbin/nologin\n' $uid $uid >"$root/etc/passwd"
printf 'tern:x:%d:\n' $uid >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
for p in ternd ternshadow ternhttp; do
	[ ! -e "$build/$p" ] || install -s -m 755 "$build/$p" "$root/usr/sbin/$p"
done
for p in ternc ternload ternfib; do
	install -s -m 755 "$build/$p" "$root/usr/bin/$p"
done
install -m 644 "$src/dist/container/tern.conf" "$root/etc/tern/tern.conf"
install -D -m 644 "$src/LICENSE" "$root/usr/share/doc/tern/LICENSE"

# Libraries by the names under which the loader looks for them.
for p in "$root"/usr/sbin/* "$root"/usr/bin/*; do
	ldd "$p"
done | sed -n 's/^.*=> \(\/[^ ]*\) (0x.*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (0x.*/\1/p' | sort -u | while read -r lib; do
	install -D -m 755 "$(realpath "$lib")" "$root$lib"
done

find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
chown -R $uid:$uid "$root"/run/tern "$root"/var/lib/tern "$root"/var/log/tern
chmod 1777 "$root/tmp"

c=$(buildah "${store[@]}" from scratch)
buildah "${store[@]}" add --quiet "$c" "$root" / >/dev/null
# ternd finds its file and its socket by the paths of the build; the image names them.
buildah "${store[@]}" config --user $uid:$uid --workingdir /var/log/tern --port 179/tcp \
	--entrypoint '["/usr/sbin/ternd","-f","-c","/etc/tern/tern.conf","-s","/run/tern/tern.ctl"]' --cmd '' \
	--healthcheck 'CMD /usr/bin/ternc -s /run/tern/tern.ctl show status' --healthcheck-interval 10s \
	--label org.opencontainers.image.title=tern --label org.opencontainers.image.version="$version" \
	--label org.opencontainers.image.licenses=GPL-3.0-or-later "$c"
buildah "${store[@]}" commit --quiet --format docker --timestamp "$SOURCE_DATE_EPOCH" --rm "$c" "tern:$version" >/dev/null
rm -f "$out/tern.tar"
buildah "${store[@]}" push --quiet "tern:$version" "docker-archive:$out/tern.tar:tern:$version"
echo "$out/tern.tar"
