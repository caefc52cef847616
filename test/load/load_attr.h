/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path attributes in one canonical form, whatever class of session they came over.
 *
 * Canonical: attributes in order of type, each as flags, type, length (2 octets), value;
 * AS numbers have 4 octets, AS4_PATH and AS4_AGGREGATOR are merged (RFC 6793, 4.2.3); the
 * next hop of MP_REACH_NLRI alone stands as attribute 14. Flags of attributes that we
 * know are those of their definition; communities are sorted; those of others are kept,
 * apart from the extended-length bit. */
#ifndef TERN_TEST_LOAD_ATTR_H
#define TERN_TEST_LOAD_ATTR_H

#include "lib/base/strbuf.h"
#include "test/load/load_msg.h"

#define ATTR_CANON_MAX 16384

struct attr_canon {
	uint32_t len;
	uint8_t octet[ATTR_CANON_MAX];
};

/* What a decision process and an import filter read of canonical attributes. */
struct attr_facts {
	uint32_t path_len; /* an AS_SET counts as one */
	uint32_t path_first; /* leftmost AS of a sequence; 0: none */
	uint32_t med; /* 0 if there is none */
	uint8_t origin;
	bool path_has_as; /* the AS asked for is in the path */
};

/* One attribute of the canonical form. */
struct attr_item {
	uint8_t flags, type;
	struct span value;
};

/* attr_canonical - from an UPDATE of a session with (@as4) or without 4-octet AS numbers.
 * Returns: 0 or -EPROTO. */
int attr_canonical(struct attr_canon *out, const struct msg_update *u, bool as4);
/* attr_exported - what a route server hands to others of @in: attributes of a session are
 * gone, unknown transitive ones are marked partial (RFC 4271, 5; RFC 7947, 2.2). */
void attr_exported(struct attr_canon *out, struct span in);
/* attr_prepended - @in with the first AS @times more in its path. */
void attr_prepended(struct attr_canon *out, struct span in, unsigned times);
/* attr_mark - add a community, at its place in order. */
void attr_mark(struct attr_canon *c, uint32_t community);
/* attr_put_update - one UPDATE of canonical attributes for a session with or without
 * 4-octet AS numbers, up to where prefixes of @fam go; msg_finish_update completes it.
 * Returns: octets, MSG_HEADER included; *@mp_at: where the MP_REACH_NLRI header is (0:
 * IPv4). */
unsigned attr_put_update(
    uint8_t *to, struct span attrs, bool as4, enum family fam, unsigned *mp_at);
/* attr_finish_update - fill in the lengths once prefixes are there. */
unsigned attr_finish_update(uint8_t *to, unsigned len, unsigned nlri_at, unsigned mp_at);

void attr_facts(struct attr_facts *f, struct span canon, uint32_t as);
/* attr_next - step through the canonical form. Returns: false at its end. */
bool attr_next(struct span *s, struct attr_item *it);
/* attr_find - Returns: whether it is there. */
bool attr_find(struct span canon, unsigned type, struct attr_item *it);
bool attr_has_community(struct span canon, uint32_t community);
/* attr_print - one line of text, for people. */
void attr_print(struct strbuf *b, struct span canon);
/* attr_canon_add - append an attribute; callers keep the order of types. */
void attr_canon_add(
    struct attr_canon *c, unsigned flags, unsigned type, const void *value, unsigned len);

#endif
