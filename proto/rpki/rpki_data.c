/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of a cache.
 *
 * I1  STATED is the statement of an answer about a record. In an answer about all records
 *     STATED means: wanted. In an incremental answer STATED means: wanted if not SHOWN,
 *     unwanted if SHOWN. An answer of either kind therefore starts without a walk over
 *     the records. Between answers no record is STATED.
 * I2  A record that an incremental answer mentions is in `touched` once (TOUCHED).
 * I3  From DATA_ADDING on, STATED means that the record is to be removed; all other
 * records
 *     are SHOWN.
 * I4  While work is left (phase), no answer begins: records stay in place.
 *
 * Owner only. Tests: test_rpki_data.c.
 *
 * Loop: the owner's. */
#include "proto/rpki/rpki_data.h"

#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "proto/rpki/rpki_recs.h"
#include <errno.h>

#define STATED  (RECS_MARK << 0)
#define GOES    STATED /* I3 */
#define SHOWN   (RECS_MARK << 1)
#define TOUCHED (RECS_MARK << 2)

#define CLEAR_VRPS 16 /* that count as one: there is nothing to look at */

static bool
data_is_aspa(const struct rpki_data *d)
{
	return d->recs.kind == NLRI_ASPA;
}

/* rpki_data_wanted - I1; while an answer is read, and until DATA_ADDING has come by. */
static bool
rpki_data_wanted(const struct rpki_data *d, uint32_t mark)
{
	return d->all ? mark & STATED : !(mark & STATED) == !!(mark & SHOWN);
}

/* rpki_data_want - record @i is wanted, or it isn't. */
static void
rpki_data_want(struct rpki_data *d, uint32_t i, bool on)
{
	uint32_t *mark = recs_marks(&d->recs, i);
	bool was = rpki_data_wanted(d, *mark);

	if (was != on)
		d->wanted += on ? 1u : UINT32_MAX;
	if (d->all ? on : on != !!(*mark & SHOWN))
		*mark |= STATED;
	else
		*mark &= ~STATED;
	if (d->all || *mark & TOUCHED)
		return;
	*mark |= TOUCHED;
	d->touched = vec_room(MEM_PROTO, d->touched, &d->touched_cap, d->touched_cnt + 1,
	    sizeof(*d->touched));
	d->touched[d->touched_cnt++] = i;
}

/* ---- customers ---- */

static void
rpki_data_list_free(struct rpki_data *d, struct rpki_list **list)
{
	d->providers -= *list ? (*list)->cnt : 0;
	mem_free(MEM_PROTO, *list);
	*list = NULL;
}

static OWNED struct rpki_list *
rpki_data_list_new(struct rpki_data *d, const uint8_t *provider, uint32_t cnt)
{
	struct rpki_list *list = mem_alloc(
	    MEM_PROTO, sizeof(*list) + cnt * sizeof(*list->as));

	d->providers += cnt;
	list->cnt = cnt;
	for (uint32_t i = 0; i < cnt; i++)
		list->as[i] = get_be32(provider + 4 * i);
	return list;
}

static bool
data_list_same(const struct rpki_list *a, const struct rpki_list *b)
{
	return a && a->cnt == b->cnt && !memcmp(a->as, b->as, a->cnt * sizeof(*a->as));
}

/* rpki_data_put_list - store the customer's new list. */
static void
rpki_data_put_list(struct rpki_data *d, uint32_t i, const uint8_t *provider, uint32_t cnt)
{
	struct rpki_lists *l = &d->lists[i];

	rpki_data_list_free(d, &l->listed);
	l->listed = rpki_data_list_new(d, provider, cnt);
	if (data_list_same(l->shown, l->listed))
		rpki_data_list_free(d, &l->listed);
}

static void
data_lists_free(struct rpki_data *d, uint32_t i)
{
	rpki_data_list_free(d, &d->lists[i].shown);
	rpki_data_list_free(d, &d->lists[i].listed);
}

static void
data_rec_free(struct rpki_data *d, uint32_t i)
{
	if (data_is_aspa(d))
		data_lists_free(d, i);
	recs_del(&d->recs, i);
}

/* ---- answers ---- */

void
rpki_data_init(struct rpki_data *d, enum nlri_kind kind, enum rpki_merge merge)
{
	memset(d, 0, sizeof(*d));
	d->merge = merge;
	recs_init(&d->recs, kind);
}

/* data_clear_some - the last records. */
static void
data_clear_some(struct rpki_data *d, uint32_t *left)
{
	uint32_t cnt = recs_limit(&d->recs), max = data_is_aspa(d) ? 1 : CLEAR_VRPS;

	while (cnt && *left) {
		--*left;
		cnt -= (uint32_t)min_u64(cnt, max);
		if (data_is_aspa(d))
			data_lists_free(d, cnt);
	}
	recs_truncate(&d->recs, cnt);
}

static void
rpki_data_settled(struct rpki_data *d)
{
	d->phase = DATA_IDLE;
	d->touched_cnt = d->touched_cap = 0;
	mem_free(MEM_PROTO, d->touched);
	d->touched = NULL;
}

/* rpki_data_cleared - no record is left. */
static void
rpki_data_cleared(struct rpki_data *d)
{
	rpki_data_settled(d);
	recs_fini(&d->recs);
	mem_free(MEM_PROTO, d->lists);
	d->lists = NULL;
	d->lists_cap = 0;
}

void
rpki_data_fini(struct rpki_data *d)
{
	uint32_t left = UINT32_MAX;

	data_clear_some(d, &left);
	rpki_data_cleared(d);
}

void
rpki_data_clear(struct rpki_data *d)
{
	d->phase = DATA_CLEARING;
	d->shown = 0;
}

uint32_t
rpki_data_cnt(const struct rpki_data *d)
{
	return d->shown;
}

uint32_t
rpki_data_wants(const struct rpki_data *d)
{
	return d->wanted;
}

void
rpki_data_begin(struct rpki_data *d, bool all)
{
	ASSERT(!rpki_data_busy(d) && !d->touched_cnt);
	d->all = all;
	d->wanted = all ? 0 : d->shown;
}

/* rpki_data_insert - add a record that does not exist. */
static uint32_t
rpki_data_insert(struct rpki_data *d, const struct nlri *n)
{
	uint32_t i = recs_add(&d->recs, n);

	if (data_is_aspa(d)) {
		d->lists = vec_room(
		    MEM_PROTO, d->lists, &d->lists_cap, i + 1, sizeof(*d->lists));
		d->lists[i] = (struct rpki_lists){ NULL, NULL };
	}
	return i;
}

int
rpki_data_add(
    struct rpki_data *d, const struct vrp *v, const uint8_t *provider, uint32_t cnt)
{
	struct nlri n = nlri_of_vrp(d->recs.kind, v);
	uint32_t i = recs_find(&d->recs, &n);

	if (i == RECS_NONE
		? recs_used(&d->recs) >= RPKI_RECORDS_MAX
		: !data_is_aspa(d) && rpki_data_wanted(d, *recs_marks(&d->recs, i)))
		return i == RECS_NONE ? -ENOSPC : -EEXIST;
	if (d->providers + cnt > RPKI_PROVIDERS_MAX)
		return -ENOSPC;
	if (i == RECS_NONE)
		i = rpki_data_insert(d, &n);
	if (data_is_aspa(d))
		rpki_data_put_list(d, i, provider, cnt);
	rpki_data_want(d, i, true);
	return 0;
}

int
rpki_data_del(struct rpki_data *d, const struct vrp *v)
{
	struct nlri n = nlri_of_vrp(d->recs.kind, v);
	uint32_t i = recs_find(&d->recs, &n);

	if (i == RECS_NONE || !rpki_data_wanted(d, *recs_marks(&d->recs, i)))
		return -ENOENT;
	if (data_is_aspa(d))
		rpki_data_list_free(d, &d->lists[i].listed);
	rpki_data_want(d, i, false);
	return 0;
}

/* ---- bringing together ---- */

/* rpki_data_records - how many there are to look at. */
static uint32_t
rpki_data_records(const struct rpki_data *d)
{
	return d->all ? recs_limit(&d->recs) : d->touched_cnt;
}

static void
rpki_data_begin_phase(struct rpki_data *d, int phase)
{
	ASSERT(!rpki_data_busy(d));
	d->phase = phase;
	d->pos = 0;
}

void
rpki_data_drop(struct rpki_data *d)
{
	rpki_data_begin_phase(d, DATA_DROPPING);
}

void
rpki_data_apply(struct rpki_data *d)
{
	rpki_data_begin_phase(d, DATA_ADDING);
}

void
rpki_data_again(struct rpki_data *d)
{
	rpki_data_begin_phase(d, DATA_AGAIN);
	d->all = true;
}

bool
rpki_data_busy(const struct rpki_data *d)
{
	return d->phase != DATA_IDLE;
}

/* data_as_table_has - @n as announced to the table. */
static struct nlri
data_as_table_has(const struct rpki_data *d, struct nlri n)
{
	if (d->merge == RPKI_ANY_LENGTH)
		n.head = (uint16_t)(nlri_bits(n.head) |
				    family_bits(nlri_family(d->recs.kind)) << 8);
	return n;
}

/* data_others_stay - is @n the table's for another record's sake, too? In DATA_REMOVING.
 */
static bool
data_others_stay(const struct rpki_data *d, struct nlri n)
{
	unsigned bits = family_bits(nlri_family(d->recs.kind)), len = nlri_bits(n.head);

	if (d->merge == RPKI_AS_SENT || data_is_aspa(d))
		return false;
	for (unsigned max = len; max <= bits; max++) {
		uint32_t i;

		n.head = (uint16_t)(len | max << 8);
		i = recs_find(&d->recs, &n);
		if (i != RECS_NONE && !(*recs_marks(&d->recs, i) & GOES))
			return true;
	}
	return false;
}

/* rpki_data_restore - restore record @i to its state before the answer. */
static void
rpki_data_restore(struct rpki_data *d, uint32_t i, uint32_t *mark)
{
	*mark &= ~(STATED | TOUCHED);
	if (!(*mark & SHOWN))
		data_rec_free(d, i);
	else if (data_is_aspa(d))
		rpki_data_list_free(d, &d->lists[i].listed);
}

/* rpki_data_show - mark record @i as SHOWN if the record is wanted. Returns: true: the
 * caller must post the record to the table. */
static bool
rpki_data_show(struct rpki_data *d, uint32_t i, uint32_t *mark)
{
	struct rpki_lists *l = data_is_aspa(d) ? &d->lists[i] : NULL;
	bool shown = *mark & SHOWN;

	if (!rpki_data_wanted(d, *mark)) {
		*mark |= GOES;
		return false;
	}
	*mark &= ~GOES;
	*mark |= SHOWN;
	d->shown += !shown;
	if (!l || !l->listed)
		return !shown;
	rpki_data_list_free(d, &l->shown);
	l->shown = l->listed;
	l->listed = NULL;
	return true;
}

/* rpki_data_hide - record @i, of @n, if it goes. Returns: likewise. */
static bool
rpki_data_hide(struct rpki_data *d, uint32_t i, uint32_t *mark, struct nlri n)
{
	bool shown = *mark & SHOWN;

	*mark &= ~TOUCHED;
	if (!(*mark & GOES))
		return false;
	d->shown -= shown;
	data_rec_free(d, i);
	return shown && !data_others_stay(d, n);
}

/* rpki_data_change - record @i in this phase. Returns: whether there is something to
 * shows. */
static bool
rpki_data_change(struct rpki_data *d, uint32_t i, struct rpki_change *c)
{
	uint32_t *mark = recs_marks(&d->recs, i);
	bool moves = false;

	if (!*mark)
		return false;
	c->nlri = data_as_table_has(d, recs_net(&d->recs, i));
	c->there = d->phase != DATA_REMOVING;
	if (d->phase == DATA_DROPPING)
		rpki_data_restore(d, i, mark);
	else if (d->phase == DATA_ADDING)
		moves = rpki_data_show(d, i, mark);
	else if (d->phase == DATA_REMOVING)
		moves = rpki_data_hide(d, i, mark, c->nlri);
	else
		moves = *mark & SHOWN;
	c->list = moves && c->there && data_is_aspa(d) ? d->lists[i].shown : NULL;
	return moves;
}

bool
rpki_data_next(struct rpki_data *d, struct rpki_change *c, uint32_t *left)
{
	if (d->phase == DATA_CLEARING) {
		data_clear_some(d, left);
		if (!recs_limit(&d->recs))
			rpki_data_cleared(d);
		return false;
	}
	while (d->phase != DATA_IDLE) {
		uint32_t i;

		if (d->pos == rpki_data_records(d) && d->phase == DATA_ADDING) {
			d->phase = DATA_REMOVING;
			d->pos = 0;
			continue;
		}
		if (d->pos == rpki_data_records(d)) {
			rpki_data_settled(d);
			break;
		}
		if (!*left)
			break;
		--*left;
		i = d->pos++;
		if (rpki_data_change(d, d->all ? i : d->touched[i], c))
			return true;
	}
	return false;
}
