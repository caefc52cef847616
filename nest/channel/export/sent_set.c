/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets by net id, in one open-addressing array: a net stands in the first free place
 * from its home on. A removal closes the gap, so that searches still find the later
 * nets. Loop: the owner's. Tested by test/unit/test_channel_secondary.c. */
#include "nest/channel/export/sent_set.h"

#include "lib/mem/mem.h"
#include "nest/rib/attr/attr_store.h"

#define ORDER_MIN 4

static uint32_t
sent_set_places(const struct sent_set *s)
{
	return s->item ? 1u << s->order : 0;
}

static uint32_t
sent_set_home(const struct sent_set *s, uint32_t id)
{
	return id * 0x9e3779b1u >> (32 - s->order);
}

/* sent_set_place_of - the place of @id, or the place for an insertion. A place is
 * free. */
static uint32_t
sent_set_place_of(const struct sent_set *s, uint32_t id)
{
	uint32_t at = sent_set_home(s, id);

	while (s->item[at].wire && s->item[at].id != id)
		at = (at + 1) & (sent_set_places(s) - 1);
	return at;
}

/* sent_set_resize - to twice or half of the places. */
static void
sent_set_resize(struct sent_set *s, uint8_t order)
{
	struct sent_set old = *s;

	s->order = order;
	s->item = mem_zalloc(MEM_PROTO, (1u << order) * sizeof(*s->item));
	for (uint32_t i = 0; i < sent_set_places(&old); i++)
		if (old.item[i].wire)
			s->item[sent_set_place_of(s, old.item[i].id)] = old.item[i];
	mem_free(MEM_PROTO, old.item);
}

void
sent_set_put(struct sent_set *s, uint32_t id, struct wire_set *wire, uint8_t way)
{
	struct wire_set *was;
	uint32_t at;

	if (4 * (s->cnt + 1) > 3 * sent_set_places(s))
		sent_set_resize(s, s->item ? s->order + 1 : ORDER_MIN);
	at = sent_set_place_of(s, id);
	was = s->item[at].wire;
	s->item[at] = (struct sent_item){ wire_set_ref(wire), id, way };
	if (was)
		wire_set_unref(s->store, was);
	else
		s->cnt++;
}

void
sent_set_del(struct sent_set *s, uint32_t id)
{
	uint32_t gap, at, mask = sent_set_places(s) - 1;

	if (!s->cnt)
		return;
	gap = sent_set_place_of(s, id);
	if (!s->item[gap].wire)
		return;
	wire_set_unref(s->store, s->item[gap].wire);
	for (at = (gap + 1) & mask; s->item[at].wire; at = (at + 1) & mask)
		if (((at - sent_set_home(s, s->item[at].id)) & mask) >=
		    ((at - gap) & mask)) {
			s->item[gap] = s->item[at];
			gap = at;
		}
	s->item[gap].wire = NULL;
	s->cnt--;
	if (!s->cnt)
		sent_set_clear(s);
	else if (s->order > ORDER_MIN && 8 * s->cnt < sent_set_places(s))
		sent_set_resize(s, s->order - 1);
}

bool
sent_set_is(
    const struct sent_set *s, uint32_t id, const struct wire_set *wire, uint8_t way)
{
	const struct sent_item *it = s->cnt ? &s->item[sent_set_place_of(s, id)] : NULL;

	return it && it->wire == wire && it->way == way;
}

void
sent_set_clear(struct sent_set *s)
{
	for (uint32_t i = 0; i < sent_set_places(s); i++)
		if (s->item[i].wire)
			wire_set_unref(s->store, s->item[i].wire);
	mem_free(MEM_PROTO, s->item);
	s->item = NULL;
	s->cnt = 0;
}
