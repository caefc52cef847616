/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Octets of path attributes of the route at hand, and the way of writing that all
 * attributes share. The thread of the run calls. Tested by test/unit/test_vm.c. */
#include "filter/value/fvalue.h"
#include "filter/run/builtin/builtin.h"
#include "filter/run/custom.h"
#include "filter/run/frun.h"
#include "filter/run/net.h"
#include "filter/run/value.h"
#include "lib/attr/as_path.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/community.h"
#include "lib/net/ip.h"

/* Was @code set or unset since the base? */
static bool
builtin_octets_is_changed(const struct frun *r, uint8_t code)
{
	const struct attr_edit *e = r->edit;
	uint32_t i;

	for (i = 0; i < e->cnt; i++)
		if (e->change[i].id == code && !e->change[i].custom)
			return true;
	return false;
}

void
route_path(const struct frun *r, const uint8_t **p, uint32_t *len)
{
	struct attr_item it;

	*p = (const uint8_t *)"";
	*len = 0;
	if (attr_edit_get(r->edit, ATTR_AS_PATH, &it)) {
		*p = it.val;
		*len = it.len;
	}
}

void
route_comm(const struct frun *r, unsigned kind, const uint8_t **p, uint32_t *len)
{
	static const uint8_t code[] = { [COMM_STD] = ATTR_COMMUNITY,
		[COMM_EXT] = ATTR_EXT_COMMUNITY,
		[COMM_LARGE] = ATTR_LARGE_COMMUNITY };
	struct attr_item it;

	*p = (const uint8_t *)"";
	*len = 0;
	if (attr_edit_get(r->edit, code[kind], &it)) {
		*p = it.val;
		*len = it.len;
	}
}

uint32_t
route_path_len(const struct frun *r)
{
	const uint8_t *p;
	uint32_t len;

	if (!builtin_octets_is_changed(r, ATTR_AS_PATH))
		return r->edit->base->wire->path_len;
	route_path(r, &p, &len);
	return as_path_len(p, len);
}

uint32_t
route_path_first(const struct frun *r)
{
	const uint8_t *p;
	uint32_t len;

	route_path(r, &p, &len);
	return as_path_head(p, len);
}

uint32_t
route_path_last(const struct frun *r)
{
	const uint8_t *p;
	uint32_t len;

	if (!builtin_octets_is_changed(r, ATTR_AS_PATH))
		return wire_path_last(r->edit->base->wire);
	route_path(r, &p, &len);
	return as_path_last(p, len);
}

struct ip_addr
route_next_hop(const struct frun *r)
{
	struct attr_item it;

	if (!attr_edit_get(r->edit, ATTR_NEXT_HOP, &it))
		return IP_NONE;
	return it.len == 4    ? ip4(get_be32(it.val))
	       : it.len >= 16 ? ip_get16(it.val)
			      : IP_NONE;
}

bool
route_wrote(struct frun *r, int err)
{
	return err ? vm_fail(r, "too many or too long attributes") : true;
}

bool
route_set_reserved(struct frun *r, const struct route_attr *a, const struct fvalue *v)
{
	uint32_t len;
	const void *p = fvalue_octets(v, &len);

	return route_wrote(
	    r, attr_edit_set_custom(r->edit, a->reserved, a->type, p, len));
}
