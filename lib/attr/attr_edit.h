/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes to an attribute set before interning: a small overlay over an immutable base.
 * Only the owner of an overlay calls the functions. Owner: the filter run or the
 * decoder. Life: embedded or on the stack; the values live in the caller's arena. Loop:
 * the loop that owns the overlay. */
#ifndef TERN_LIB_ATTR_ATTR_EDIT_H
#define TERN_LIB_ATTR_ATTR_EDIT_H

#include "lib/attr/attr.h"
#include "lib/mem/arena.h"

#define ATTR_EDIT_MAX 32 /* distinct attributes that one run may change */

/* A change of one attribute. Owner: struct attr_edit. Freed by: the arena of the
 * caller. */
struct attr_change {
	uint16_t id; /* wire code (custom false) or custom id */
	bool custom;
	bool unset;
	uint8_t flags; /* flags of a wire attribute, type of a custom attribute */
	uint32_t len;
	const uint8_t *val; /* in the arena */
};

/* Life: one filter run or one UPDATE. */
struct attr_edit {
	struct arena *arena;
	const struct attr_set *base; /* never NULL; attr_store_empty() for a new route */
	struct attr_local local; /* starts as base's; change in place */
	uint32_t cnt;
	struct attr_change change[ATTR_EDIT_MAX]; /* at most one for each attribute */
};

void attr_edit_init(struct attr_edit *e, struct arena *a, const struct attr_set *base);
/* attr_edit_get - the value as it is now. @it->val is valid until the attribute is set
 * again. */
bool attr_edit_get(const struct attr_edit *e, uint8_t code, struct attr_item *it);
/* attr_edit_set - copies @val. Returns: 0, -ENOSPC (ATTR_EDIT_MAX), -E2BIG (len over
 * 65,535). */
MUST_CHECK int attr_edit_set(
    struct attr_edit *e, uint8_t code, uint8_t flags, const void *val, uint32_t len);
MUST_CHECK int attr_edit_set_u32(struct attr_edit *e, uint8_t code, uint32_t v);
MUST_CHECK int attr_edit_unset(struct attr_edit *e, uint8_t code);
bool attr_edit_get_custom(const struct attr_edit *e, uint16_t id, struct custom_item *it);
MUST_CHECK int attr_edit_set_custom(
    struct attr_edit *e, uint16_t id, uint8_t type, const void *val, uint32_t len);
MUST_CHECK int attr_edit_unset_custom(struct attr_edit *e, uint16_t id);
/* attr_edit_changed - does the result differ from the base (by what was set, not by
 * comparing)? */
bool attr_edit_changed(const struct attr_edit *e);
/* attr_edit_wire_changed - the same for the wire attributes alone. */
bool attr_edit_wire_changed(const struct attr_edit *e);
/* attr_edit_same - true if both edits give one set: equal base, equal changes in equal
 * order. */
bool attr_edit_same(const struct attr_edit *a, const struct attr_edit *b);
/* attr_edit_wire, attr_edit_custom - canonical octets of the result, in the arena.
 * Returns: their length, or -E2BIG. */
MUST_CHECK int attr_edit_wire(const struct attr_edit *e, uint8_t **out);
MUST_CHECK int attr_edit_custom(const struct attr_edit *e, uint64_t **out);

#endif
