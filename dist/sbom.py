# SPDX-License-Identifier: GPL-3.0-or-later
"""sbom.py SOURCES PROGRAM... - a bill of materials in SPDX 2.3 (JSON) on standard output.

The document names tern, the programs with their SHA-256, and each shared library that a program loads here, with the
package of Debian (dpkg) or of an RPM system that owns the library. SOURCE_DATE_EPOCH (seconds) sets the date; without
it the date is that of NEWS. The same programs on the same machine give the same octets.
"""

import datetime
import functools
import hashlib
import json
import os
import re
import subprocess
import sys

LICENSE = "GPL-3.0-or-later"


def run(*command):
    """Standard output of @command; "" if the command does not exist or fails."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.decode()


def libraries(program):
    """The paths of the shared libraries that the loader finds for @program."""
    found = set()
    for line in run("ldd", program).split("\n"):
        m = re.search(r"(?:=> )?(/\S+) \(0x", line)
        if m:
            found.add(os.path.realpath(m.group(1)))
    return found


@functools.cache
def owner(path):
    """(kind, name, version, architecture) of the package that owns the library @path."""
    for spelled in path, path.replace("/usr/lib/", "/lib/", 1), path.replace("/usr/lib64/", "/lib64/", 1):
        name = run("dpkg-query", "-S", spelled).split(": ")[0].split(",")[0]
        if name:
            fields = run("dpkg-query", "-W", "-f", "${Package}\t${Version}\t${Architecture}", name).split("\t")
            return ("deb/debian", *fields)
    fields = run("rpm", "-qf", "--qf", "%{NAME}\t%{VERSION}-%{RELEASE}\t%{ARCH}", path).split("\t")
    if len(fields) == 3:
        return ("rpm", *fields)
    sys.exit("sbom.py: no package owns %s" % path)


def version(sources):
    with open(os.path.join(sources, "configure.ac")) as f:
        found = re.search(r"^AC_INIT\(\[tern\], \[(.*)\]\)$", f.read(), re.M)
    return found.group(1) if found else sys.exit("sbom.py: configure.ac names no version")


def spdx_id(*words):
    return "SPDXRef-" + "-".join(re.sub(r"[^A-Za-z0-9.]", "-", w) for w in words)


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: sbom.py SOURCES PROGRAM...")
    sources, programs = sys.argv[1], sys.argv[2:]
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or os.stat(os.path.join(sources, "NEWS")).st_mtime)
    tern = spdx_id("Package", "tern")
    packages, files, relations, digests = {}, [], [("SPDXRef-DOCUMENT", "DESCRIBES", tern)], []
    for program in sorted(programs):
        with open(program, "rb") as f:
            octets = f.read()
        ref = spdx_id("File", os.path.basename(program))
        digests.append(hashlib.sha1(octets).hexdigest())
        files.append(
            {
                "SPDXID": ref,
                "fileName": "./" + os.path.basename(program),
                "checksums": [
                    {"algorithm": "SHA1", "checksumValue": digests[-1]},
                    {"algorithm": "SHA256", "checksumValue": hashlib.sha256(octets).hexdigest()},
                ],
                "licenseConcluded": LICENSE,
                "copyrightText": "NOASSERTION",
            }
        )
        relations.append((tern, "CONTAINS", ref))
        for path in sorted(libraries(program)):
            kind, name, ver, arch = owner(path)
            lib = spdx_id("Package", name, arch)
            packages[lib] = {
                "SPDXID": lib,
                "name": name,
                "versionInfo": ver,
                "downloadLocation": "NOASSERTION",
                "filesAnalyzed": False,
                "licenseConcluded": "NOASSERTION",
                "licenseDeclared": "NOASSERTION",
                "copyrightText": "NOASSERTION",
                "externalRefs": [
                    {
                        "referenceCategory": "PACKAGE-MANAGER",
                        "referenceType": "purl",
                        "referenceLocator": "pkg:%s/%s@%s?arch=%s" % (kind, name, ver.replace("+", "%2B"), arch),
                    }
                ],
            }
            relations.append((ref, "DYNAMIC_LINK", lib))
    own = {
        "SPDXID": tern,
        "name": "tern",
        "versionInfo": version(sources),
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": True,
        "packageVerificationCode": {
            "packageVerificationCodeValue": hashlib.sha1("".join(sorted(digests)).encode()).hexdigest()
        },
        "licenseConcluded": LICENSE,
        "licenseDeclared": LICENSE,
        "licenseInfoFromFiles": [LICENSE],
        "copyrightText": "NOASSERTION",
    }
    for f in files:
        f["licenseInfoInFiles"] = [LICENSE]
    what = hashlib.sha256(json.dumps([files, sorted(packages)]).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": "tern-" + own["versionInfo"],
        "documentNamespace": "urn:tern:spdx:" + what,
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: tern-sbom.py"],
        },
        "packages": [own] + [packages[k] for k in sorted(packages)],
        "files": files,
        "relationships": [
            {"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
            for a, kind, b in sorted(set(relations))
        ],
    }
    print(json.dumps(document, indent=1, sort_keys=True))


main()
