/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route why ... with COMMUNITIES: a route with these communities in place of its
 * own.
 *
 * In the session's loop, under RCU. Tested by test/net/test_why.py. */
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/attr_edit.h"
#include "nest/cli/show/why/cmd_why.h"
#include "nest/rib/attr/attr_store.h"

int
why_edit_with(const struct why_with *with, struct attr_edit *e)
{
	int rc = with->std_len ? attr_edit_set(e, ATTR_COMMUNITY,
				     attr_flags(ATTR_COMMUNITY), with->std, with->std_len)
			       : attr_edit_unset(e, ATTR_COMMUNITY);

	if (rc)
		return rc;
	return with->large_len
		   ? attr_edit_set(e, ATTR_LARGE_COMMUNITY,
			 attr_flags(ATTR_LARGE_COMMUNITY), with->large, with->large_len)
		   : attr_edit_unset(e, ATTR_LARGE_COMMUNITY);
}

struct attr_set *
why_tried_set(struct why *w, struct attr_store *store, const struct attr_set *set)
{
	struct attr_edit e;

	attr_edit_init(&e, &w->arena, set);
	return why_edit_with(&w->with, &e) ? NULL : attr_store_edit(store, &e);
}
