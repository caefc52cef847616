/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attribute sets of one run: each different canonical form has a small number. */
#ifndef TERN_TEST_LOAD_SET_H
#define TERN_TEST_LOAD_SET_H

#include "test/load/load_attr.h"

/* What the known import filter of the measured set-up does (load_conf.c). */
struct load_policy {
	uint32_t server_as;
	bool lenient; /* what a client has to ignore may be there: LOCAL_PREF (RFC
			 4271, 5.1.5) */
	bool filter; /* refuse long paths and private nets, local preference by community
		      */
};

/* owner: struct load_sets; lives: as long as that. Numbers start at 1; 0 means "no
 * route". */
struct load_set {
	uint64_t hash;
	struct span canon;
	struct attr_facts facts;
	uint32_t out; /* number of the set as others must get it */
	uint8_t local_pref;
	bool rejected; /* by the import filter, or a loop */
	bool kept_in; /* no-export and its like: chosen, but not passed on */
	bool controlled; /* carries a control community (load_set_denied) */
	bool judged; /* the fields above hold */
};

struct load_sets {
	struct load_set *set;
	uint32_t cnt; /* set[1] .. set[cnt - 1] */
	struct load_policy policy;
	/* private */
	uint32_t cap;
	uint32_t *index, index_mask;
	struct load_memo *memo;
	uint32_t memo_cnt, memo_mask;
};

/* Community by which an announcer keeps a route from client number N: (LOAD_DENY, N). */
#define LOAD_DENY 64999

void load_sets_init(struct load_sets *ss, const struct load_policy *policy);
void load_sets_fini(struct load_sets *ss);
/* load_set_intern - number of this canonical form. */
uint32_t load_set_intern(struct load_sets *ss, struct span canon);
/* load_set_of_update - number of the set that a message carries; remembered by its raw
 * octets. Returns: 0 when the attributes are malformed. Cost: a hash of the octets,
 * mostly. */
uint32_t load_set_of_update(struct load_sets *ss, const struct msg_update *u, bool as4);
/* load_set_judge - the set's part in the decision, computed on first use. */
const struct load_set *load_set_judge(struct load_sets *ss, uint32_t id);
/* load_set_denied - does the set ask not to be shown to client @client? */
bool load_set_denied(const struct load_sets *ss, uint32_t id, uint32_t client);

#endif
