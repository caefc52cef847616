/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a cache has brought: records of one kind of table. Each was given to the table
 * (SHOWN) or not, and is wanted or not: what the answer of the cache that is being read
 * says of it. At its End of Data both are brought together, and a record that is neither
 * goes. So there is one copy of all data, and an answer that is dropped leaves no trace.
 *
 * The order of calls:
 *
 *      rpki_data_begin   an answer begins
 *      rpki_data_add, rpki_data_del ...
 *      then rpki_data_drop or rpki_data_apply, and rpki_data_next until it isn't busy
 *
 * Only rpki_data_next goes through many records, some in each call.
 *
 * Owner only: the instance. */
#ifndef TERN_PROTO_RPKI_RPKI_DATA_H
#define TERN_PROTO_RPKI_RPKI_DATA_H

#include "lib/net/roa.h"
#include "nest/rib/nlri.h"
#include "proto/rpki/rpki_recs.h"

#define RPKI_RECORDS_MAX 8000000 /* of one kind: VRPs, 200 MB; more are refused */
/* of all customers together, before and after an answer: 64 MB; likewise */
#define RPKI_PROVIDERS_MAX 16000000

/* Who may be on the way from a customer to its providers, as the cache says it.
 * Immutable. */
struct rpki_list {
	uint32_t cnt;
	uint32_t as[];
};

/* Several VRPs of a cache may be one for the table (`ignore max length`). */
enum rpki_merge { RPKI_AS_SENT, RPKI_ANY_LENGTH };

/* The lists of a customer. */
struct rpki_lists {
	struct rpki_list *shown; /* NULL: it isn't SHOWN */
	struct rpki_list *said; /* by this answer, if it is another one; else NULL */
};

/* owner: an instance, embedded. */
struct rpki_data {
	/* private */
	enum rpki_merge merge;
	struct rpki_recs recs;
	/* of customers, by number of the record */
	struct rpki_lists *lists;
	uint32_t lists_cap;
	uint64_t providers; /* in all lists */
	bool all; /* this answer is about all records; */
	uint32_t *touched, touched_cnt, touched_cap; /* else it is about these */
	uint32_t shown; /* records that are SHOWN */
	/* of rpki_data_next */
	uint32_t pos;
	enum {
		DATA_IDLE,
		DATA_ADDING,
		DATA_REMOVING,
		DATA_AGAIN,
		DATA_DROPPING,
		DATA_CLEARING
	} phase;
};

/* What the table is to be told. */
struct rpki_change {
	struct nlri nlri;
	bool there;
	const struct rpki_list *list; /* of a customer that is there */
};

void rpki_data_init(struct rpki_data *d, enum nlri_kind kind, enum rpki_merge merge);
void rpki_data_fini(struct rpki_data *d);
/* rpki_data_clear - all goes, without a word to the table; at any time. rpki_data_next
 * follows, until it isn't busy. */
void rpki_data_clear(struct rpki_data *d);
/* rpki_data_cnt - records that the table has of it. */
uint32_t rpki_data_cnt(const struct rpki_data *d);

/* rpki_data_begin - @all: what isn't added from now on goes; else what isn't removed
 * stays. */
void rpki_data_begin(struct rpki_data *d, bool all);
/* rpki_data_add - Returns: 0; -EEXIST: the cache has it already (of customers it is
 * replaced); -ENOSPC.
 * @list: of a customer; copied. */
MUST_CHECK int rpki_data_add(
    struct rpki_data *d, const struct vrp *v, const uint8_t *provider, uint32_t cnt);
/* rpki_data_del - Returns: 0; -ENOENT: the cache doesn't have it. */
MUST_CHECK int rpki_data_del(struct rpki_data *d, const struct vrp *v);
/* rpki_data_drop - what was added and removed since rpki_data_begin is forgotten.
 * rpki_data_apply - the answer is whole. rpki_data_again - all that is SHOWN is to be
 * said again. None of them while rpki_data_busy. */
void rpki_data_drop(struct rpki_data *d);
void rpki_data_apply(struct rpki_data *d);
void rpki_data_again(struct rpki_data *d);
bool rpki_data_busy(const struct rpki_data *d);
/* rpki_data_next - the next thing to tell, additions first. Each record that is looked at
 * counts against *@left; when that is 0 it returns false though it is busy. Returns:
 * false: nothing now. */
bool rpki_data_next(struct rpki_data *d, struct rpki_change *c, uint32_t *left);

#endif
