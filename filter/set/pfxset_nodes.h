/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of a set of prefixes as the nodes of a trie: BIRD's form. Pure functions; any
 * thread. */
#ifndef TERN_FILTER_SET_PFXSET_NODES_H
#define TERN_FILTER_SET_PFXSET_NODES_H

#include "filter/set/pfx_pattern.h"
#include "lib/base/strbuf.h"

/* pfxset_nodes_print - print the patterns @pat as "[10.0.0.0/8{1.255.0.0}]": each part is
 * a node, and bit N of the address in braces stands for the length N. Cost: O(n^2) for n
 * patterns. */
void pfxset_nodes_print(struct strbuf *b, const struct pfx_pattern *pat, uint32_t cnt);

#endif
