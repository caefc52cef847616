/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An overlay over an immutable attribute set: the changes of one filter run or one
 * UPDATE.
 *
 * I1  An attribute has at most one entry in change[]; setting the attribute again
 *     replaces the entry in place.
 * I2  An entry with `unset` always hides a value: a value of the base, or an earlier
 *     change.
 * I3  Values live in the arena and never change there. An item from attr_edit_get stays
 *     valid until the arena is reset.
 *
 * Only the loop that owns the overlay calls the functions. */
#include "lib/attr/attr_edit.h"
#include "lib/attr/attr_def.h"

#include <errno.h>

#define VALUE_MAX_LEN 65535
#define OPT_TRANS     (ATTR_F_OPTIONAL | ATTR_F_TRANSITIVE)

void
attr_edit_init(struct attr_edit *e, struct arena *a, const struct attr_set *base)
{
	e->arena = a;
	e->base = base;
	e->local = base->local;
	e->cnt = 0;
}

static struct attr_change *
edit_find_change(const struct attr_edit *e, uint16_t id, bool custom)
{
	for (uint32_t i = 0; i < e->cnt; i++)
		if (e->change[i].id == id && e->change[i].custom == custom)
			return (struct attr_change *)(uintptr_t)&e->change[i];
	return NULL;
}

/* The attribute's entry, a new one if need be; NULL: no room. */
static struct attr_change *
edit_get_change(struct attr_edit *e, uint16_t id, bool custom)
{
	struct attr_change *c = edit_find_change(e, id, custom);

	if (c)
		return c;
	if (e->cnt == ATTR_EDIT_MAX)
		return NULL;
	c = &e->change[e->cnt++];
	*c = (struct attr_change){ .id = id, .custom = custom };
	return c;
}

static int
edit_set_change(struct attr_edit *e, uint16_t id, bool custom, uint8_t flags,
    const void *val, uint32_t len)
{
	struct attr_change *c;

	if (len > VALUE_MAX_LEN)
		return -E2BIG;
	c = edit_get_change(e, id, custom);
	if (!c)
		return -ENOSPC;
	c->unset = false;
	c->flags = flags;
	c->len = len;
	c->val = len ? arena_memdup(e->arena, val, len) : (const uint8_t *)"";
	return 0;
}

static int
edit_unset_change(struct attr_edit *e, uint16_t id, bool custom)
{
	struct attr_change *c = edit_get_change(e, id, custom);

	if (!c)
		return -ENOSPC;
	c->unset = true;
	c->flags = 0;
	c->len = 0;
	c->val = NULL;
	return 0;
}

bool
attr_edit_get(const struct attr_edit *e, uint8_t code, struct attr_item *it)
{
	const struct attr_change *c = edit_find_change(e, code, false);

	if (!c)
		return wire_find(e->base->wire, code, it);
	if (c->unset)
		return false;
	*it = (struct attr_item){ c->flags, code, (uint16_t)c->len, c->val };
	return true;
}

/* edit_mark_partial - set the Partial bit if the edit adds an optional transitive
 * attribute to a route from BGP. RFC 4271, 5: an AS that attaches the attribute sets the
 * bit, and no AS on the way clears the bit. */
static uint8_t
edit_mark_partial(const struct attr_edit *e, uint8_t code, uint8_t flags)
{
	struct attr_item it;

	if (e->base->local.rts != RTS_BGP || (flags & OPT_TRANS) != OPT_TRANS)
		return flags;
	if (!wire_find(e->base->wire, code, &it))
		return flags | ATTR_F_PARTIAL;
	return flags | (it.flags & ATTR_F_PARTIAL);
}

/* Does the base have this very value, with no other change set? Then the write is no
 * change. Filters often delete communities that most routes do not have. */
static bool
edit_base_has(
    const struct attr_edit *e, uint8_t code, uint8_t flags, const void *val, uint32_t len)
{
	struct attr_item it;

	return !edit_find_change(e, code, false) && wire_find(e->base->wire, code, &it) &&
	       it.flags == flags && it.len == len &&
	       (it.val == val || !len || !memcmp(it.val, val, len));
}

int
attr_edit_set(
    struct attr_edit *e, uint8_t code, uint8_t flags, const void *val, uint32_t len)
{
	flags = edit_mark_partial(e, code, flags);
	if (edit_base_has(e, code, flags, val, len))
		return 0;
	return edit_set_change(e, code, false, flags, val, len);
}

int
attr_edit_set_u32(struct attr_edit *e, uint8_t code, uint32_t v)
{
	uint8_t val[4];

	put_be32(val, v);
	if (code == ATTR_ORIGIN) /* the one attribute of a single octet */
		return edit_set_change(e, code, false, attr_flags(code), val + 3, 1);
	return edit_set_change(
	    e, code, false, edit_mark_partial(e, code, attr_flags(code)), val, 4);
}

int
attr_edit_unset(struct attr_edit *e, uint8_t code)
{
	struct attr_item it;

	if (!edit_find_change(e, code, false) && !wire_find(e->base->wire, code, &it))
		return 0;
	return edit_unset_change(e, code, false);
}

bool
attr_edit_get_custom(const struct attr_edit *e, uint16_t id, struct custom_item *it)
{
	const struct attr_change *c = edit_find_change(e, id, true);

	if (!c)
		return custom_find(e->base, id, it);
	if (c->unset)
		return false;
	*it = (struct custom_item){ id, c->flags, c->len, c->val };
	return true;
}

int
attr_edit_set_custom(
    struct attr_edit *e, uint16_t id, uint8_t type, const void *val, uint32_t len)
{
	return edit_set_change(e, id, true, type, val, len);
}

int
attr_edit_unset_custom(struct attr_edit *e, uint16_t id)
{
	struct custom_item it;

	if (!edit_find_change(e, id, true) && !custom_find(e->base, id, &it))
		return 0;
	return edit_unset_change(e, id, true);
}

bool
attr_edit_changed(const struct attr_edit *e)
{
	return e->cnt || memcmp(&e->local, &e->base->local, sizeof(e->local));
}

bool
attr_edit_wire_changed(const struct attr_edit *e)
{
	for (uint32_t i = 0; i < e->cnt; i++)
		if (!e->change[i].custom)
			return true;
	return false;
}

static bool
edit_same_change(const struct attr_change *a, const struct attr_change *b)
{
	return a->id == b->id && a->custom == b->custom && a->unset == b->unset &&
	       a->flags == b->flags && a->len == b->len &&
	       (!a->len || !memcmp(a->val, b->val, a->len));
}

bool
attr_edit_same(const struct attr_edit *a, const struct attr_edit *b)
{
	if (a->base != b->base || a->cnt != b->cnt)
		return false;
	if (memcmp(&a->local, &b->local, sizeof(a->local)))
		return false;
	for (uint32_t i = 0; i < a->cnt; i++)
		if (!edit_same_change(&a->change[i], &b->change[i]))
			return false;
	return true;
}

/* The entries of one kind in ascending order of id. Returns: how many. */
static uint32_t
edit_sort_changes(const struct attr_edit *e, bool custom, const struct attr_change **out)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < e->cnt; i++) {
		const struct attr_change *c = &e->change[i];
		uint32_t at = cnt;

		if (c->custom != custom)
			continue;
		for (; at && out[at - 1]->id > c->id; at--)
			out[at] = out[at - 1];
		out[at] = c;
		cnt++;
	}
	return cnt;
}

/* Octets that the entries can add to the base at most. */
static uint64_t
edit_changes_len(const struct attr_change *const *c, uint32_t cnt, uint32_t overhead)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < cnt; i++)
		sum += c[i]->len + overhead;
	return sum;
}

static uint8_t *
edit_put_wire(uint8_t *to, uint8_t flags, uint8_t code, const uint8_t *val, uint32_t len)
{
	to[0] = flags;
	to[1] = code;
	put_be16(to + 2, (uint16_t)len);
	if (len)
		memcpy(to + ATTR_HDR_LEN, val, len);
	return to + ATTR_HDR_LEN + len;
}

int
attr_edit_wire(const struct attr_edit *e, uint8_t **out)
{
	const struct wire_set *w = e->base->wire;
	const struct attr_change *c[ATTR_EDIT_MAX];
	uint32_t cnt = edit_sort_changes(e, false, c), i = 0, pos = 0;
	struct attr_item it = { .len = 0 };
	uint8_t *to;
	bool more;

	to = *out = arena_alloc(
	    e->arena, w->len + edit_changes_len(c, cnt, ATTR_HDR_LEN) + 1);
	more = attr_item_next(&it, w->data, w->len, &pos);
	while (more || i < cnt) {
		if (i == cnt || (more && it.code < c[i]->id)) {
			to = edit_put_wire(to, it.flags, it.code, it.val, it.len);
			more = attr_item_next(&it, w->data, w->len, &pos);
			continue;
		}
		if (more && it.code == c[i]->id)
			more = attr_item_next(&it, w->data, w->len, &pos);
		if (!c[i]->unset)
			to = edit_put_wire(
			    to, c[i]->flags, (uint8_t)c[i]->id, c[i]->val, c[i]->len);
		i++;
	}
	return to - *out > WIRE_BLOB_MAX ? -E2BIG : (int)(to - *out);
}

static uint8_t *
attr_edit_put_custom(
    uint8_t *to, uint16_t id, uint8_t type, const void *val, uint32_t len)
{
	struct custom_head h = { .id = id, .type = type, .len = len };
	uint32_t padded = custom_padded(len);

	memcpy(to, &h, sizeof(h));
	to += sizeof(h);
	if (len)
		memcpy(to, val, len);
	memset(to + len, 0, padded - len);
	return to + padded;
}

int
attr_edit_custom(const struct attr_edit *e, uint64_t **out)
{
	const struct attr_set *base = e->base;
	const struct attr_change *c[ATTR_EDIT_MAX];
	uint32_t cnt = edit_sort_changes(e, true, c), i = 0, pos = 0;
	struct custom_item it;
	uint8_t *start, *to;
	bool more;

	*out = arena_alloc(
	    e->arena, attr_custom_len(base) +
			  edit_changes_len(c, cnt, sizeof(struct custom_head) + 7) + 8);
	to = start = (uint8_t *)*out;
	more = custom_next(&it, base, &pos);
	while (more || i < cnt) {
		if (i == cnt || (more && it.id < c[i]->id)) {
			to = attr_edit_put_custom(to, it.id, it.type, it.val, it.len);
			more = custom_next(&it, base, &pos);
			continue;
		}
		if (more && it.id == c[i]->id)
			more = custom_next(&it, base, &pos);
		if (!c[i]->unset)
			to = attr_edit_put_custom(
			    to, c[i]->id, c[i]->flags, c[i]->val, c[i]->len);
		i++;
	}
	return to - start > CUSTOM_MAX_LEN ? -E2BIG : (int)(to - start);
}
