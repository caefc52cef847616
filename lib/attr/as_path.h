/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AS paths in canonical octets: segments of u8 type, u8 count, then 4-octet AS numbers.
 * Every path passed as_path_check in the decoder or was written by a function of this
 * header. Pure functions; any thread. */
#ifndef TERN_LIB_ATTR_AS_PATH_H
#define TERN_LIB_ATTR_AS_PATH_H

#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"

#define AS_TRANS 23456

/* as_path_check - well formed with @as_size (2 or 4) octets an AS: known segment types,
 * no empty segment, no octets left over (RFC 7606, 7.2). @confed: confederation segments
 * are allowed. */
bool as_path_check(const uint8_t *p, uint32_t len, unsigned as_size, bool confed);
uint32_t as_path_len(
    const uint8_t *p, uint32_t len); /* as the decision counts: RFC 4271, 9.1.2.2 a */
/* as_path_first - the neighbour AS: the leftmost AS number after the confederation
 * segments; 0: the path is empty or begins with a set. */
uint32_t as_path_first(const uint8_t *p, uint32_t len);
/* The leftmost and rightmost AS numbers of a path as BIRD defines them for filters and
 * `show route`. as_path_last and as_path_last_nonaggr count members of a confederation.
 * as_path_head - the leftmost; 0: the path is empty or does not begin with an
 * AS_SEQUENCE.
 * as_path_last - the rightmost; 0: the path is empty or ends in a set.
 * as_path_last_nonaggr - the last AS number of the leading sequences. */
uint32_t as_path_head(const uint8_t *p, uint32_t len);
uint32_t as_path_last(const uint8_t *p, uint32_t len);
uint32_t as_path_last_nonaggr(const uint8_t *p, uint32_t len);
bool as_path_has_set(
    const uint8_t *p, uint32_t len); /* RFC 9774: AS_SET, AS_CONFED_SET */
/* as_path_count - how often @as occurs, in sequences and sets (own-AS loops). */
uint32_t as_path_count(const uint8_t *p, uint32_t len, uint32_t as);
/* as_path_prepend - @as before @p. @out is in @a. Returns: new length, or -E2BIG. */
MUST_CHECK int as_path_prepend(
    uint8_t **out, struct arena *a, const uint8_t *p, uint32_t len, uint32_t as);
/* as_path_prepend_in - @as before *@p, where AS_PATH_PREPEND_ROOM octets are free.
 * Returns: new length, or -E2BIG. */
#define AS_PATH_PREPEND_ROOM 6
MUST_CHECK int as_path_prepend_in(uint8_t **p, uint32_t len, uint32_t as);
/* as_path_widen - 2-octet octets to 4-octet ones; @out has room for 2 * @len. Returns:
 * length. */
uint32_t as_path_widen(uint8_t *out, const uint8_t *p, uint32_t len);
/* as_path_merge4 - RFC 6793, 4.2.3: @path (widened) with @as4. @out has room for both.
 * Returns: length. */
uint32_t as_path_merge4(uint8_t *out, const uint8_t *path, uint32_t len,
    const uint8_t *as4, uint32_t as4_len);
/* as_path_print - "1 2 {3 4}" */
void as_path_print(struct strbuf *b, const uint8_t *p, uint32_t len);

#endif
