/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of a view that belong to one member alone. Pure functions. Tested by
 * test/unit/test_http_line_owner.c. */
#include "client/http/job/line_owner.h"

#include <string.h>

void
line_owner_begin(struct line_owner *o, const char *members, size_t len)
{
	memset(o, 0, sizeof(*o));
	o->members = members;
	o->len = len;
}

/* line_owner_of - the AS of the session @name; 0: unknown. */
static uint32_t
line_owner_of(struct line_owner *o, struct jview name)
{
	const char *p = o->members, *end;

	if (!p || !name.p)
		return 0;
	if (*o->name && jview_is(name, o->name))
		return o->as;
	if (!jview_copy(o->name, sizeof(o->name), name))
		*o->name = 0;
	o->as = 0;
	for (end = p + o->len; *o->name && p < end && !o->as;) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		struct jview v = jview_of(p, (size_t)((lf ? lf : end) - p));

		if (jview_is(jview_get(v, "type"), "member") &&
		    jview_is(jview_get(v, "name"), o->name))
			o->as = (uint32_t)(jview_u64(jview_get(v, "as"), 0) & UINT32_MAX);
		p = lf ? lf + 1 : end;
	}
	return o->as;
}

bool
line_owner_problem_public(struct jview kind)
{
	return !jview_is(kind, "override");
}

/* line_owner_public - true: @line names no filtered route. */
static bool
line_owner_public(enum ask ask, const struct ask_args *a, struct jview line)
{
	struct jview type = jview_get(line, "type"), fate;

	if (ask == ASK_HEALTH)
		return line_owner_problem_public(jview_get(line, "kind"));
	if (ask_private(ask))
		return jview_is(type, "route_table");
	if (jview_is(type, "route"))
		return !jview_get(line, "filtered").p &&
		       !jview_get(line, "filtered_by").p;
	if (jview_is(type, "filtered_route"))
		return false;
	if (!ask_why(ask))
		return true;
	/* a pipe in `to` has refused a route of a member */
	if (jview_is(type, "why_to"))
		return *a->to && jview_is(jview_get(line, "to"), a->to);
	fate = jview_get(line, "fate");
	return jview_is(type, "why") && !jview_get(line, "filtered_by").p &&
	       (jview_is(fate, "best") || jview_is(fate, "lost"));
}

bool
line_owner_shows(struct line_owner *o, const struct visitor *v, enum ask ask,
    const struct ask_args *a, struct jview line)
{
	uint32_t as;

	if (v->exchange || line_owner_public(ask, a, line))
		return true;
	as = line_owner_of(o, jview_get(line, "protocol"));
	return as && visitor_sees(v, as);
}

int
line_owner_page(const struct request *r, const struct visitor *v)
{
	bool sees = true;

	switch (r->page) {
	case PAGE_API_MEMBER_ROUTES:
	case PAGE_MEMBER_LIST:
		if (r->kind == KIND_RECEIVED || r->kind == KIND_FILTERED)
			sees = visitor_sees(v, r->args.as);
		break;
	case PAGE_LOGIN:
	case PAGE_BW_FILTERED:
	case PAGE_BW_TABLE_FILTERED:
	case PAGE_BW_PIPE:
	case PAGE_BE_LARGE:
		sees = visitor_knows(v);
		break;
	case PAGE_API_CONFIGURATIONS:
	case PAGE_API_OVERRIDES:
	case PAGE_OVERRIDES:
	case PAGE_API_PREVIEW:
		sees = v->exchange;
		break;
	default:
		break;
	}
	if (sees)
		return 200;
	return visitor_knows(v) ? 403 : 401;
}
