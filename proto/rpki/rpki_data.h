/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data of a cache: records of one kind of table. A record was given to the table (SHOWN)
 * or not, and the answer that is being read wants the record or not. The End of Data
 * reconciles both, and a record that is neither shown nor wanted is removed. One copy of
 * the data therefore suffices, and a dropped answer leaves no trace.
 *
 * The order of calls:
 *
 *      rpki_data_begin   an answer begins
 *      rpki_data_add, rpki_data_del ...
 *      then rpki_data_drop or rpki_data_apply, and rpki_data_next until it is not busy
 *
 * Only rpki_data_next walks over many records, a bounded number in each call.
 *
 * Owner: the instance; no other loop calls. Life: embedded in the instance, until
 * rpki_data_fini. */
#ifndef TERN_PROTO_RPKI_RPKI_DATA_H
#define TERN_PROTO_RPKI_RPKI_DATA_H

#include "lib/net/roa.h"
#include "nest/rib/nlri.h"
#include "proto/rpki/rpki_recs.h"

#define RPKI_RECORDS_MAX 8000000 /* of one kind: VRPs, 200 MB; more are refused */
/* of all customers together, before and after an answer: 64 MB; likewise */
#define RPKI_PROVIDERS_MAX 16000000

/* The providers of a customer as sent by the cache. Immutable. */
struct rpki_list {
	uint32_t cnt;
	uint32_t as[];
};

/* Several VRPs of a cache may be one for the table (`ignore max length`). */
enum rpki_merge { RPKI_AS_SENT, RPKI_ANY_LENGTH };

/* The lists of a customer. */
struct rpki_lists {
	struct rpki_list *shown; /* NULL: not SHOWN */
	struct rpki_list *listed; /* the list of this answer, if different; else NULL */
};

/* Owner: an instance. Life: embedded in the instance. */
struct rpki_data {
	/* private */
	enum rpki_merge merge;
	struct rpki_recs recs;
	/* of customers, by number of the record */
	struct rpki_lists *lists;
	uint32_t lists_cap;
	uint64_t providers; /* in all lists */
	bool all; /* the answer covers all records */
	/* records of an incremental answer */
	uint32_t *touched, touched_cnt, touched_cap;
	uint32_t shown; /* records that are SHOWN */
	uint32_t wanted; /* records that the answer wants, while it is read */
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

/* A change for the table. */
struct rpki_change {
	struct nlri nlri;
	bool there;
	const struct rpki_list *list; /* of a present customer */
};

void rpki_data_init(struct rpki_data *d, enum nlri_kind kind, enum rpki_merge merge);
void rpki_data_fini(struct rpki_data *d);
/* rpki_data_clear - all goes, without a word to the table; at any time. rpki_data_next
 * follows, until it isn't busy. */
void rpki_data_clear(struct rpki_data *d);
/* rpki_data_cnt - number of records that the table has. */
uint32_t rpki_data_cnt(const struct rpki_data *d);
/* rpki_data_wants - number of records that the table would have after rpki_data_apply;
 * between rpki_data_begin and that call. */
uint32_t rpki_data_wants(const struct rpki_data *d);

/* rpki_data_begin - begin an answer. @all: records that are not added are removed; false:
 * records that are not mentioned stay. */
void rpki_data_begin(struct rpki_data *d, bool all);
/* rpki_data_add - add a record. @provider: the list of a customer; copied. Returns: 0;
 * -EEXIST: the cache already has the record (a customer's list is replaced); -ENOSPC. */
MUST_CHECK int rpki_data_add(
    struct rpki_data *d, const struct vrp *v, const uint8_t *provider, uint32_t cnt);
/* rpki_data_del - remove a record. Returns: 0; -ENOENT: the cache does not have the
 * record. */
MUST_CHECK int rpki_data_del(struct rpki_data *d, const struct vrp *v);
/* rpki_data_drop - forget additions and removals since rpki_data_begin. rpki_data_apply -
 * the answer is complete. rpki_data_again - announce all SHOWN records to the table
 * again. None of these calls is allowed while rpki_data_busy. */
void rpki_data_drop(struct rpki_data *d);
void rpki_data_apply(struct rpki_data *d);
void rpki_data_again(struct rpki_data *d);
bool rpki_data_busy(const struct rpki_data *d);
/* rpki_data_next - the next change for the table, additions first. Each visited record
 * counts against *@left; at 0 the function returns false even if work is left. Returns:
 * false: no change now. */
bool rpki_data_next(struct rpki_data *d, struct rpki_change *c, uint32_t *left);

#endif
