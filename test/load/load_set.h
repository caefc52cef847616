/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attribute sets of one run: each different canonical form has a small number. */
#ifndef TERN_TEST_LOAD_SET_H
#define TERN_TEST_LOAD_SET_H

#include "test/load/load_attr.h"

/* What the known import filter of the measured set-up does (load_conf.c). */
struct load_policy {
	uint32_t server_as;
	/* what a client has to ignore may be there: LOCAL_PREF (RFC 4271, 5.1.5) */
	bool lenient;
	/* refuse long paths and private nets, local preference by community */
	bool filter;
	uint32_t first_as; /* client number N is (first_as + N) to control communities */
	uint32_t mark; /* (server_as, mark) is added to what is sent; 0: nothing is */
	struct ip_addr server; /* no route may have the address as its next hop */
};

/* What announcers may ask for (RFC 7948, 4.6), as large communities (server_as,
 * function, client), in the order in which export filters look: not to this client; to
 * this client as it is; to nobody else (0, 0); with the first AS 1 to 3 times more in
 * its path. */
enum load_ask { ASK_NOT_TO = 0, ASK_TO = 1, ASK_PREPEND = 100, ASK_PREPEND_MAX = 103 };

/* owner: a load_set; ends with a client of LOAD_CONTROL_END. */
struct load_control {
	uint32_t client; /* number */
	uint32_t ask;
};

#define LOAD_CONTROL_END    UINT32_MAX
#define LOAD_CONTROL_NOBODY (UINT32_MAX - 1) /* in the place of a client */

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
	struct load_control *control; /* NULL: no control communities (load_set_for) */
	uint32_t prepended[3]; /* this one with a longer path; 0: nobody asks for it */
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
/* load_set_for - what @client gets of a set that was judged, with an export filter
 * that does what control communities ask for. Returns: a set, or 0: nothing. */
uint32_t load_set_for(const struct load_sets *ss, uint32_t id, uint32_t client);
/* load_sets_mark - the policy's mark has changed; all sets are to be judged anew. */
void load_sets_mark(struct load_sets *ss, uint32_t mark);

#endif
