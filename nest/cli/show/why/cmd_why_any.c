/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route why [from P] to Q with COMMUNITIES: would Q get a route of any network with
 * these communities?
 *
 * The decision of the session is repeated for a route that no table has: the communities
 * of the query, the origin IGP, the path of the AS of P (without P: AS 64496), and the
 * address of P as the next hop. If the filters have read the network or another table,
 * no answer holds for all networks, and the report names the inputs instead of an answer.
 *
 * The import filter, and a pipe that brings the routes of P to the table of Q, do not
 * run.
 *
 * All in one step, under RCU; in the session's loop. Tested by test/net/test_why.py. */
#include "filter/filter.h"
#include "filter/run/code.h"
#include "filter/run/know.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/route.h"
#include "lib/base/base.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_names.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/cli/show/route/cmd_route.h"
#include "nest/cli/show/why/cmd_why.h"
#include "nest/conf/config.h"
#include "nest/core/reason.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"

#include <string.h>

#define ANY_AS 64496 /* RFC 5398 */

/* The route of the query. Owner: the command, on the stack. Life: one channel. */
struct any_route {
	struct origin unknown; /* without `from` */
	struct route_view view;
	struct attr_set *set; /* with a reference */
};

/* The inputs that an answer depends on. */
static const struct {
	uint32_t read; /* FILTER_READ_* */
	const char *key;
} any_input[] = { { FILTER_READ_NET, "network" }, { FILTER_READ_TABLE, "table" },
	{ FILTER_READ_SOURCE, "source" } };

/* any_edit - the attributes. Returns: 0, or a negative errno. */
static int
any_edit(
    const struct why *w, struct attr_edit *e, uint32_t as, struct ip_addr hop, bool v4)
{
	uint8_t origin = 0, path[6] = { 2, 1 }, buf[16];
	int rc;

	put_be32(path + 2, as);
	if (v4 && ip_is_v4(hop))
		put_be32(buf, ip_to_v4(hop));
	else
		ip_put16(buf, hop);
	e->local.preference = 100;
	e->local.rts = RTS_BGP;
	rc = attr_edit_set(e, ATTR_ORIGIN, attr_flags(ATTR_ORIGIN), &origin, 1);
	if (!rc)
		rc = attr_edit_set(
		    e, ATTR_AS_PATH, attr_flags(ATTR_AS_PATH), path, sizeof(path));
	if (!rc)
		rc = attr_edit_set(e, ATTR_NEXT_HOP, attr_flags(ATTR_NEXT_HOP), buf,
		    v4 && ip_is_v4(hop) ? 4 : 16);
	return rc ? rc : why_edit_with(&w->with, e);
}

/* any_make - the route for the channel @to. Returns: false: too long. */
static bool
any_make(struct any_route *r, struct why *w, const struct channel *to)
{
	const struct channel *from = w->from ? why_channel_for(w, w->from, NULL) : NULL;
	const struct route_source *facts = from ? channel_facts(from) : NULL;
	bool v4 = w->q.kind == NLRI_IP4;
	struct attr_store *store = table_store(channel_from(to));
	struct attr_edit e;

	memset(r, 0, sizeof(*r));
	r->unknown.src = (struct route_source){
		.proto = "", .peer_as = ANY_AS, .is_bgp = true, .is_ebgp = true
	};
	arena_reset(&w->arena);
	attr_edit_init(&e, &w->arena, attr_store_empty(store));
	r->view.src = facts ? facts : &r->unknown.src;
	r->view.feeder = NO_FEEDER - 1; /* no own route of @to */
	if (from && channel_table(from) == channel_from(to))
		r->view.feeder = channel_source_id(from);
	r->view.net = prefix_make(IP_NONE, 0, v4 ? FAM_IP4 : FAM_IP6);
	if (any_edit(w, &e, facts ? facts->peer_as : ANY_AS,
		facts ? facts->from : r->view.net.addr, v4))
		return false;
	r->set = attr_store_edit(store, &e);
	r->view.set = r->set;
	return r->set != NULL;
}

/* any_depends - the FILTER_READ_* that the answer @y depends on. */
static uint32_t
any_depends(const struct why *w, const struct export_why *y)
{
	uint32_t depends = y->reads & (FILTER_READ_NET | FILTER_READ_TABLE);

	/* a rule refuses all networks */
	if (y->reason == REASON_DOWN || reason_stage(y->reason) == REASON_AT_EXPORT_CHECK)
		return 0;
	if (y->reason == REASON_ELSEWHERE)
		depends |= FILTER_READ_NET;
	if (!w->from)
		depends |= y->reads & FILTER_READ_SOURCE;
	return depends;
}

/* Names of inputs, each once. */
struct any_names {
	struct strbuf seen; /* ", net, bgp_path" */
	struct reply *reply;
};

static void
any_name(void *arg, const char *name)
{
	struct any_names *n = arg;
	struct strbuf one;

	if (!strcmp(name, "bgp_community") || !strcmp(name, "bgp_large_community"))
		return;
	strbuf_init(&one);
	strbuf_addf(&one, ", %s,", name);
	strbuf_addc(&n->seen, ',');
	if (!strstr(n->seen.s, one.s)) {
		strbuf_truncate(&n->seen, n->seen.len - 1);
		reply_str(n->reply, NULL, n->seen.len ? ", %s" : "; reads %s", name);
		strbuf_addf(&n->seen, ", %s", name);
	} else {
		strbuf_truncate(&n->seen, n->seen.len - 1);
	}
	strbuf_fini(&one);
}

/* any_names_of - the inputs of the filter @f besides the communities. */
static void
any_names_of(const struct why *w, struct any_names *n, const struct filter *f)
{
	const struct config *c = w->s->conf->conf;
	struct fknow k;

	if (!f || f->known.fixed)
		return;
	fcode_know(&k, &f->code);
	fknow_reads(&k, c->custom.at, c->custom.cnt, any_name, n);
}

static void
any_names_all(const struct why *w, struct any_names *n, const struct channel *to)
{
	const struct overlay *o = overlay_of(channel_table(to));

	any_names_of(w, n, o ? o->policy : NULL);
	any_names_of(w, n, channel_conf(to)->export);
}

/* any_reply_depends - the inputs of @depends, FILTER_READ_*. */
static void
any_reply_depends(struct reply *r, uint32_t depends)
{
	const char *form = "depends on the %s";

	reply_list(r, "depends_on");
	for (unsigned i = 0; i < ARRAY_LEN(any_input); i++)
		if (depends & any_input[i].read) {
			reply_str(r, NULL, form, any_input[i].key);
			form = ", %s";
		}
	reply_close(r);
}

/* any_report - the decision @y of the channel @to about a route with the attributes
 * @set. */
static void
any_report(const struct why *w, struct reply *r, const struct channel *to,
    const struct export_why *y, const struct attr_set *set)
{
	struct any_names n = { .reply = r };
	uint32_t depends = any_depends(w, y);

	reply_str(r, "table", NULL, table_name(channel_table(to)));
	reply_str(r, "from", NULL, w->from);
	reply_str(r, "to", "\tto %s", channel_proto(to)->name);
	reply_str(r, "channel", ".%s: ", channel_name(to));
	any_reply_depends(r, depends);
	if (!depends) {
		reply_bool(r, "goes", y->reason ? NULL : "goes", !y->reason);
		if (y->reason)
			why_reply_verdict(r, w->s->conf->conf, y);
	}
	strbuf_init(&n.seen);
	reply_list(r, "asked");
	any_names_all(w, &n, to);
	reply_close(r);
	strbuf_fini(&n.seen);
	if (!depends && y->reason && set)
		why_reply_attributes(r, set->wire);
}

static void
any_reply(const struct why *w, const struct channel *to, const struct export_why *y,
    const struct attr_set *set)
{
	struct why_remedy m;
	struct reply *r;

	any_report(w, why_remedy_begin(&m, "why_with"), to, y, set);
	why_remedy_end(&m);
	r = cli_reply(w->s, "why_with");
	any_report(w, r, to, y, set);
	reply_text(r, "\n");
	why_remedy_reply(&m, r);
	cli_reply_end(w->s, CLI_ROUTE);
}

/* any_channel - report about the channel @to. */
static void
any_channel(struct why *w, const struct channel *to)
{
	struct export_why y = { .reason = REASON_NO_ROOM };
	struct any_route r;

	if (any_make(&r, w, to))
		channel_why(to, w->ft, &w->arena, &r.view, &y);
	if (w->from && !strcmp(w->from, channel_proto(to)->name))
		y = (struct export_why){ .reason = REASON_OWN };
	any_reply(w, to, &y, r.set);
	if (r.set)
		attr_set_unref(table_store(channel_from(to)), r.set, 1);
	w->explained++;
}

void
why_any(struct why *w)
{
	const struct proto *p = cmd_proto_named(w->s->tern, w->to);

	for (struct channel *ch = p ? proto_first_channel(p) : NULL; ch;
	     ch = channel_after(p, ch)) {
		w->q.kind = table_kind(channel_table(ch));
		if (nlri_is_ip(w->q.kind) && channel_exports(ch) &&
		    (!w->from || why_channel_for(w, w->from, NULL)))
			any_channel(w, ch);
	}
}
