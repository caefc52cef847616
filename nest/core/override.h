/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overrides: orders of an operator about routes and limits of some sessions, beside the
 * configuration and until a time.
 *
 * A set is immutable and counted. The control worker publishes a new set with each change
 * (struct tern, overrides) and sends the set to the instances; each instance holds the
 * set that its decisions follow.
 *
 * Owner of struct overrides: the references; freed a grace period after the last
 * reference. Loop: any thread reads. */
#ifndef TERN_NEST_CORE_OVERRIDE_H
#define TERN_NEST_CORE_OVERRIDE_H

#include "lib/base/check.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/prefix.h"

#define OVERRIDES_MAX 256 /* in force at a time */

enum override_kind {
	OVERRIDE_BLOCK, /* imported routes are refused */
	OVERRIDE_ACCEPT, /* imported routes pass in spite of the import filter */
	OVERRIDE_LIMIT, /* another import limit */
	OVERRIDE_NO_EXPORT, /* routes are not sent */
	OVERRIDE_KINDS
};

/* Owner: its set. Freed by: overrides_unref. */
struct override {
	uint32_t id;
	enum override_kind kind;
	/* networks: @net, and (@longer) all networks in @net; without has_net all */
	struct prefix net;
	bool has_net, longer;
	uint32_t limit; /* of OVERRIDE_LIMIT */
	/* sessions: of the protocol @proto, or (NULL) of members of AS @as. MEM_CONFIG */
	char *proto;
	uint32_t as;
	uint32_t since_s, until_s; /* Unix time */
	char *reason, *by; /* MEM_CONFIG */
	char *text; /* for `why`; made by override_finish. MEM_CONFIG */
};

/* A set. Owner: its references. Freed by: overrides_unref. */
struct overrides {
	struct rcu_node rcu;
	struct counter32 refs;
	uint32_t cnt;
	struct override at[]; /* by id */
};

/* overrides_new - @cnt zeroed overrides, with a reference. overrides_unref - @s may be
 * NULL. */
OWNED struct overrides *overrides_new(uint32_t cnt);
OWNED struct overrides *overrides_ref(struct overrides *s);
void overrides_unref(TAKE struct overrides *s);
/* override_copy - @to (zeroed) becomes a copy of @o. override_fini - free the texts.
 * override_finish - make the text. */
void override_copy(struct override *to, const struct override *o);
void override_fini(struct override *o);
void override_finish(struct override *o);

/* override_kind_key - the word in JSON and in the state file. override_kind_of - the kind
 * of a word; OVERRIDE_KINDS: none. */
const char *override_kind_key(enum override_kind k);
enum override_kind override_kind_of(const char *word);
/* override_print - "block 203.0.113.0/24+ from as64999". */
void override_print(struct strbuf *b, const struct override *o);

/* override_concerns - true: @o is about the session of @proto with AS @as.
 * override_covers - true: @o is about @net. */
bool override_concerns(const struct override *o, const char *proto, uint32_t as);
bool override_covers(const struct override *o, const struct prefix *net);
/* overrides_find - the first override of the kind about this session and @net (NULL: any
 * network). @s may be NULL. */
const struct override *overrides_find(const struct overrides *s, enum override_kind k,
    const char *proto, uint32_t as, const struct prefix *net);
/* overrides_same - true: both sets (or NULL) have the same overrides of the kind about
 * this session. */
bool overrides_same(const struct overrides *a, const struct overrides *b,
    enum override_kind k, const char *proto, uint32_t as);

#endif
