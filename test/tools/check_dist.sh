#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# check_dist tries what dist/ makes and holds. Two source archives are equal, octet by octet, and complete. The bill of
# materials names each program and each library. The RPM specification, the AppArmor profile, the nftables example and
# the compose file are read. A missing tool leaves its part out.
set -u
src=$(cd "${TERN_SRCDIR:-.}" && pwd) || exit 1
build=$(cd "${TERN_BUILDDIR:-.}" && pwd) || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

fail() {
	echo "$*"
	exit 1
}

# archives - the second archive comes from the unpacked first one, elsewhere, with another mask and another zone.
archives() {
	name=$(sh "$src/dist/dist.sh" "$dir/one") || fail "no archive"
	tar -C "$dir" -xzf "$name" || fail "the archive cannot be unpacked"
	[ -x "$dir/$(basename "$name" .tar.gz)/configure" ] || fail "the archive has no ./configure"
	for f in README.md NEWS LICENSE quickstart check debian/control doc/manual.md lib/base/base.h; do
		[ -e "$dir/$(basename "$name" .tar.gz)/$f" ] || fail "the archive lacks $f"
	done
	(umask 077 && TZ=Asia/Tokyo sh "$dir/$(basename "$name" .tar.gz)/dist/dist.sh" "$dir/two" >/dev/null) ||
		fail "no archive from the unpacked archive"
	cmp "$name" "$dir/two/$(basename "$name")" || fail "two archives of equal sources differ"
}

sbom() {
	set --
	for p in ternd ternshadow ternc ternhttp ternload ternfib; do
		[ ! -x "$build/$p" ] || set -- "$@" "$build/$p"
	done
	[ $# -gt 0 ] || fail "$build has no program: make all"
	python3 -B "$src/dist/sbom.py" "$src" "$@" >"$dir/1.json" || fail "no bill of materials"
	python3 -B "$src/dist/sbom.py" "$src" "$@" | cmp - "$dir/1.json" || fail "two bills differ"
	python3 - "$dir/1.json" "$@" <<-'EOF' || exit 1
	import hashlib, json, os, re, subprocess, sys

	with open(sys.argv[1]) as f:
	    bill = json.load(f)
	ids = {"SPDXRef-DOCUMENT"} | {e["SPDXID"] for e in bill["packages"] + bill["files"]}
	for r in bill["relationships"]:
	    for end in r["spdxElementId"], r["relatedSpdxElement"]:
	        if end not in ids:
	            sys.exit("the bill has no element " + end)
	links = {r["spdxElementId"]: 0 for r in bill["relationships"] if r["relationshipType"] == "DYNAMIC_LINK"}
	for r in bill["relationships"]:
	    if r["relationshipType"] == "DYNAMIC_LINK":
	        links[r["spdxElementId"]] += 1
	digest = {f["fileName"]: f["checksums"][1]["checksumValue"] for f in bill["files"]}
	for program in sys.argv[2:]:
	    name = os.path.basename(program)
	    with open(program, "rb") as f:
	        if digest.get("./" + name) != hashlib.sha256(f.read()).hexdigest():
	            sys.exit("the bill has another digest of " + name)
	    found = subprocess.run(["ldd", program], stdout=subprocess.PIPE, check=True).stdout.decode()
	    if not 0 < links.get("SPDXRef-File-" + name, 0) <= len(re.findall(r"/\S+ \(0x", found)):
	        sys.exit("the bill has %d libraries of %s" % (links.get("SPDXRef-File-" + name, 0), name))
	EOF
}

rpm_spec() {
	command -v rpmspec >/dev/null || { echo "left out: rpmspec is missing (apt-get install rpm)"; return; }
	sed 's|@version@|1.2.3|' "$src/dist/tern.spec.in" >"$dir/tern.spec"
	rpmspec -q --qf '%{NAME} %{VERSION}\n' "$dir/tern.spec" >"$dir/rpm" 2>"$dir/err" || fail "$(cat "$dir/err")"
	for p in tern tern-http libternfib libternfib-devel; do
		grep -qx "$p 1.2.3" "$dir/rpm" || fail "the specification has no package $p: $(xargs <"$dir/rpm")"
	done
}

rules() {
	profile=$src/dist/apparmor/usr.sbin.ternd
	if command -v apparmor_parser >/dev/null; then
		apparmor_parser -Q -K "$profile" >"$dir/out" 2>&1 || fail "$(cat "$dir/out")"
		sed 's/^  network inet stream,$/  network inet streams,/' "$profile" >"$dir/wrong"
		! apparmor_parser -Q -K "$dir/wrong" >/dev/null 2>&1 ||
			fail "not noticed: a wrong word in the profile"
	else
		echo "left out: apparmor_parser is missing (apt-get install apparmor)"
	fi
	if command -v nft >/dev/null && unshare -n true 2>/dev/null; then
		unshare -n nft -c -f "$src/doc/examples/nftables.conf" || fail "doc/examples/nftables.conf"
	else
		echo "left out: nft or the right to make a network is missing (apt-get install nftables)"
	fi
}

compose() {
	python3 - "$src" <<-'EOF' || exit 1
	import os, re, sys

	try:
	    import yaml
	except ImportError:
	    print("left out: python3-yaml is missing")
	    sys.exit(0)
	src = sys.argv[1]
	here = os.path.join(src, "dist/container")
	with open(os.path.join(here, "compose.yaml")) as f:
	    compose = yaml.safe_load(f)
	with open(os.path.join(src, "configure.ac")) as f:
	    version = re.search(r"AC_INIT\(\[tern\], \[(.*)\]\)", f.read()).group(1)
	for name, s in compose["services"].items():
	    if name.startswith("tern") and s["image"] != "tern:" + version:
	        sys.exit("%s: the image is not tern:%s" % (name, version))
	    for d in s.get("depends_on", []):
	        if d not in compose["services"]:
	            sys.exit("%s depends on %s, which is no service" % (name, d))
	    for v in s.get("volumes", []):
	        host = v.split(":")[0]
	        if host.startswith("."):
	            if not os.path.isfile(os.path.join(here, host)):
	                sys.exit("%s: no file %s" % (name, host))
	        elif host not in compose["volumes"]:
	            sys.exit("%s: no volume %s" % (name, host))
	EOF
	for f in tern.conf rs.conf; do
		"$build/ternd" -p -c "$src/dist/container/$f" >"$dir/out" 2>&1 || fail "$f: $(cat "$dir/out")"
	done
}

archives
sbom
rpm_spec
rules
compose
