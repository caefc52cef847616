/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set of prefixes, built from the patterns of the configuration, answers whether a
 * prefix is a member. Immutable once built; any thread may ask. */
#ifndef TERN_FILTER_SET_PFXSET_H
#define TERN_FILTER_SET_PFXSET_H

#include "filter/set/pfx_pattern.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/net/prefix.h"

struct pfxset;

/* pfxset_build - @pat is sorted in place (fast if it is already). Result in @a. */
const struct pfxset *pfxset_build(struct arena *a, struct pfx_pattern *pat, uint32_t cnt);
/* pfxset_has. Cost: one search among the set's ranges, about two cache misses. */
bool pfxset_has(const struct pfxset *s, const struct prefix *p);
/* pfxset_size - number of the patterns that the set was made of. */
uint32_t pfxset_size(const struct pfxset *s);
/* pfxset_hash - two words, equal for sets with equal prefixes. */
void pfxset_hash(const struct pfxset *s, uint64_t out[2]);
/* pfxset_print - print the items as in a configuration, sorted; for many items only the
 * number. */
void pfxset_print(struct strbuf *b, const struct pfxset *s);
/* pfxset_format - print the items as format() does (filter/set/pfxset_nodes.h); for many
 * items only the number. */
void pfxset_format(struct strbuf *b, const struct pfxset *s);

#endif
