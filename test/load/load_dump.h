/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run as text, so that a program that shares nothing with this one can work out what
 * clients must hold, and compare. */
#ifndef TERN_TEST_LOAD_DUMP_H
#define TERN_TEST_LOAD_DUMP_H

#include "test/load/load_run.h"

/* load_dump_routes - on stdout, one a line: "member NUMBER AS ROUTER-ID ADDRESS",
 * "set NUMBER ATTRIBUTES" (canonical, load_attr.h, in hex), "route MEMBER PREFIX SET". */
void load_dump_routes(const struct load_run *r);
/* load_dump_hash - the hash of all that @client holds, and in *@cnt how many nets: the
 * sum, modulo 2^64, of crc(prefix) * (2^32 + crc(attributes)), where crc is that of
 * IEEE 802.3, the prefix is text, and the attributes are canonical. @net_crc, @set_crc:
 * load_dump_crc of all nets and sets. */
uint64_t load_dump_hash(const struct load_run *r, uint32_t client,
    const uint32_t *net_crc, const uint32_t *set_crc, uint64_t *cnt);
uint32_t load_dump_crc(const void *p, size_t len);
void load_dump_crcs(const struct load_run *r, uint32_t *net_crc, uint32_t *set_crc);
/* load_dump_hashes - into the file r->opt->hashes: "NUMBER NETS HASH" of each client that
 * is played here. Returns: 0 or negative errno, said on stderr. */
int load_dump_hashes(const struct load_run *r);

#endif
