/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes configurations of members: a copy of the range's instance, with the member's name
 * and address. Channels and filters are the range's. The copy comes and goes with the
 * member's instance.
 *
 * Keeps no state. Tested by test/unit/test_conf_member.c.
 *
 * Loop: any thread. */
#include "nest/conf/conf_member.h"

#include "lib/mem/mem.h"

/* The memory block of a member; options and names follow the struct. */
struct member_block {
	struct conf_proto p;
	_Alignas(max_align_t) char more[]; /* options, name, interface */
};

static char *
conf_member_put(char **at, const char *text)
{
	char *to = *at;
	size_t len = strlen(text) + 1;

	memcpy(to, text, len);
	*at += len;
	return to;
}

struct config_ref *
conf_member_new(const struct conf_proto **out, const struct conf_proto *p,
    const char *name, const struct conf_member *m, struct config_ref *base)
{
	size_t opt_size = p->class->opt_size;
	struct conf_member who = *m;
	struct conf_members all;
	struct member_block *o;
	char *at;

	if (p->disabled || !conf_member_range(p, &all))
		return NULL;
	o = mem_alloc(MEM_CONFIG, sizeof(*o) + opt_size + strlen(name) + 1 +
				      (m->iface ? strlen(m->iface) + 1 : 0));
	o->p = *p;
	o->p.opt = o->more;
	memcpy(o->more, p->opt, opt_size);
	at = o->more + opt_size;
	o->p.name = conf_member_put(&at, name);
	who.iface = m->iface ? conf_member_put(&at, m->iface) : NULL;
	if (!p->class->members->one(o->p.opt, &who)) {
		mem_free(MEM_CONFIG, o);
		return NULL;
	}
	*out = &o->p;
	return config_ref_part(base, o);
}
