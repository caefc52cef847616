/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of a prefix: for each server all paths, why each path lost or was refused, the
 * state by RPKI, and who gets the best route. Loop: the only thread of ternhttp.
 *
 * Questions to a server, in their order: the routes; why; the members; for each AS path
 * the ROAs and ASPAs; for each member in question whether the member gets the route.
 *
 * Tested by test/net/test_http_pages.py. */
#include "client/http/job/ask.h"
#include "client/http/page/html.h"
#include "client/http/job/job.h"
#include "lib/json/jview.h"
#include "client/http/page/pages.h"
#include "client/http/job/request.h"
#include "client/http/page/route_row.h"
#include "client/http/right/visitor.h"
#include "lib/base/plural.h"
#include "lib/base/strbuf.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"

#include <stdio.h>
#include <string.h>

#define NET_PATHS_MAX   200
#define NET_CHECKS_MAX  16
#define NET_MEMBERS_MAX 100 /* members whom `to=all` asks about */
#define NET_ALL         "all" /* the parameter `to`: every member */

/* One path of a server: cells of the table. */
struct net_path {
	char protocol[ASK_NAME_MAX + 1];
	uint32_t path_id;
	uint32_t hop[ASK_HOPS_MAX]; /* the AS path, without repetitions */
	unsigned hop_cnt; /* 0: unknown */
	bool whole; /* else `hop` has the origin alone */
	bool best;
	struct strbuf route; /* the cell of attributes */
	struct strbuf fate;
};

/* What the ROAs and the ASPAs say about an AS path. */
struct net_check {
	uint32_t hop[ASK_HOPS_MAX];
	unsigned hop_cnt;
	char roa[16], aspa[16]; /* "": no answer */
};

/* owner: the job. Of the present server, but for the last members. */
struct net {
	struct net_path *path;
	uint32_t path_cnt, path_cap;
	struct net_check check[NET_CHECKS_MAX];
	unsigned check_cnt;
	char network[PREFIX_STR_MAX + 8];
	struct strbuf further; /* links to other networks that contain the address */
	char last[PREFIX_STR_MAX + 8]; /* the last of them */
	struct strbuf members; /* options of the form */
	struct strbuf gets; /* rows of the table of members */
	bool goes, decided; /* of the member in question */
	struct strbuf bar; /* why the member does not get the route */
	unsigned asked; /* members in question */
	bool head;
	struct html_answers answers;
};

static void
net_begin(struct job *j)
{
	struct net *n = j->state;

	strbuf_init(&n->further);
	strbuf_init(&n->members);
	strbuf_init(&n->gets);
	strbuf_init(&n->bar);
	for (unsigned i = 0; i < j->web->server_cnt; i++)
		if (job_wants(j, i))
			(void)job_ask(j, i, j->req.args.longest ? ASK_LONGEST : ASK_ROUTE,
			    &j->req.args);
	if (!j->put)
		job_problem(j, 404, "No such server");
}

/* net_reset - forget the present server. */
static void
net_reset(struct net *n)
{
	while (n->path_cnt) {
		struct net_path *p = &n->path[--n->path_cnt];

		strbuf_fini(&p->route);
		strbuf_fini(&p->fate);
	}
	strbuf_reset(&n->further);
	*n->last = 0;
	strbuf_reset(&n->members);
	strbuf_reset(&n->gets);
	n->check_cnt = n->asked = 0;
	*n->network = 0;
}

static void
net_free(struct job *j)
{
	struct net *n = j->state;

	net_reset(n);
	strbuf_fini(&n->further);
	strbuf_fini(&n->members);
	strbuf_fini(&n->gets);
	strbuf_fini(&n->bar);
	mem_free(MEM_OTHER, n->path);
}

/* net_path_of - the path of @line, new if need be; NULL: too many paths. */
static struct net_path *
net_path_of(struct net *n, struct jview line)
{
	uint32_t id = (uint32_t)jview_u64(jview_get(line, "path_id"), 0);
	struct net_path *p;
	char name[ASK_NAME_MAX + 1];

	if (!jview_copy(name, sizeof(name), jview_get(line, "protocol")))
		*name = 0;
	for (unsigned i = 0; i < n->path_cnt; i++)
		if (n->path[i].path_id == id && !strcmp(n->path[i].protocol, name))
			return &n->path[i];
	if (n->path_cnt == NET_PATHS_MAX)
		return NULL;
	n->path = vec_room(
	    MEM_OTHER, n->path, &n->path_cap, n->path_cnt + 1, sizeof(*n->path));
	p = &n->path[n->path_cnt++];
	memset(p, 0, sizeof(*p));
	p->path_id = id;
	memcpy(p->protocol, name, sizeof(name));
	strbuf_init(&p->route);
	strbuf_init(&p->fate);
	return p;
}

/* net_hops - the AS path of the route @line. A path with sets, or a long path, counts as
 * its origin alone. */
static void
net_hops(struct net_path *p, struct jview line)
{
	struct jview at = jview_get(jview_get(line, "attributes"), "bgp_path"), item;
	uint32_t origin = (uint32_t)jview_u64(jview_get(line, "origin_as"), 0), as;

	p->whole = true;
	while (at.p && jview_next(&at, NULL, &item)) {
		as = (uint32_t)jview_u64(item, 0);
		if (p->hop_cnt && as == p->hop[p->hop_cnt - 1])
			continue;
		p->whole = as && p->hop_cnt < ASK_HOPS_MAX;
		if (!p->whole)
			break;
		p->hop[p->hop_cnt++] = as;
	}
	if (p->whole)
		return;
	p->hop[0] = origin;
	p->hop_cnt = origin != 0;
}

/* net_origin - the origin of the refused route @line, whose attributes no list has. */
static void
net_origin(struct net_path *p, struct jview line)
{
	uint32_t origin = (uint32_t)jview_u64(jview_get(line, "origin_as"), 0);

	if (!origin || p->route.len)
		return;
	p->hop[0] = origin;
	p->hop_cnt = 1;
	strbuf_addf(
	    &p->route, "<td data-k=\"AS path\"><small>origin AS%u</small></td>", origin);
}

/* net_route - a line of the routes. */
static void
net_route(struct net *n, struct jview line)
{
	struct net_path *p;

	if (!*n->network)
		(void)jview_copy(
		    n->network, sizeof(n->network), jview_get(line, "network"));
	p = net_path_of(n, line);
	if (!p || p->route.len)
		return;
	p->best = jview_true(jview_get(line, "best"));
	net_hops(p, line);
	route_attributes(&p->route, line);
}

/* net_is_further - is the line about another network than that of the page, such as a
 * longer network whose routes are refused? Then the page gets a link. A page without an
 * accepted route is about the longest network. */
static bool
net_is_further(struct net *n, struct jview line)
{
	char network[sizeof(n->network)];

	if (!jview_copy(network, sizeof(network), jview_get(line, "network")))
		return false;
	if (!*n->network)
		memcpy(n->network, network, sizeof(network));
	if (!strcmp(network, n->network))
		return false;
	if (!strcmp(network, n->last))
		return true;
	memcpy(n->last, network, sizeof(network));
	strbuf_adds(&n->further, " <a href=\"/prefix/");
	html_text(&n->further, network);
	strbuf_adds(&n->further, "\"><code>");
	html_text(&n->further, network);
	strbuf_adds(&n->further, "</code></a>");
	return true;
}

/* net_why - the fate of a path. */
static void
net_why(struct net *n, struct jview line)
{
	struct jview fate = jview_get(line, "fate"), own = jview_get(line, "own_value");
	struct net_path *p;

	if (net_is_further(n, line))
		return;
	p = net_path_of(n, line);
	if (!p || p->fate.len)
		return;
	if (!p->hop_cnt)
		net_origin(p, line);
	if (jview_is(fate, "best")) {
		p->best = true;
		html_badge(&p->fate, "good", "best");
		route_acceptance(&p->fate, line);
		/* the import accepts the route, and the exchange counts the route as
		 * filtered */
		if (jview_get(line, "filtered_by").p) {
			strbuf_addc(&p->fate, ' ');
			route_reason(&p->fate, line);
		}
		return;
	}
	html_badge(&p->fate, jview_is(fate, "refused") ? "bad" : "none",
	    jview_is(fate, "refused") ? "refused"
	    : jview_is(fate, "lost")  ? "not preferred"
				      : "going");
	strbuf_addc(&p->fate, ' ');
	route_reason(&p->fate, line);
	route_acceptance(&p->fate, line);
	if (own.p) {
		strbuf_adds(&p->fate, "<br><small>This path: ");
		html_value(&p->fate, own);
		strbuf_adds(&p->fate, ", best path: ");
		html_value(&p->fate, jview_get(line, "best_value"));
		strbuf_adds(&p->fate, "</small>");
	}
}

/* net_why_to - whether the member in question gets a path. */
static void
net_why_to(struct net *n, struct jview line)
{
	if (jview_true(jview_get(line, "goes"))) {
		n->goes = true;
		strbuf_reset(&n->bar);
		strbuf_adds(&n->bar, "the path of <code>");
		html_value(&n->bar, jview_get(line, "protocol"));
		strbuf_adds(&n->bar, "</code>");
	} else if (!n->goes) {
		strbuf_adds(&n->bar, n->bar.len ? "<br>" : "");
		strbuf_adds(&n->bar, "<code>");
		html_value(&n->bar, jview_get(line, "protocol"));
		strbuf_adds(&n->bar, "</code>: ");
		route_reason(&n->bar, line);
	}
	n->decided = true;
}

/* net_member - a member that may be asked about. */
static void
net_member(struct job *j, struct jview line)
{
	struct net *n = j->state;
	struct ask_args a = j->req.args;
	char name[ASK_NAME_MAX + 1];

	if (!jview_copy(name, sizeof(name), jview_get(line, "name")) || !ask_name(name))
		return;
	strbuf_addf(&n->members, "<option value=\"%s\"%s>", name,
	    strcmp(name, j->req.args.to) ? "" : " selected");
	strbuf_addf(&n->members, "AS%u %s</option>\n",
	    (unsigned)jview_u64(jview_get(line, "as"), 0), name);
	if (strcmp(j->req.args.to, NET_ALL) ? strcmp(j->req.args.to, name)
					    : n->asked >= NET_MEMBERS_MAX)
		return;
	a.longest = false;
	if (ask_set_prefix(&a, n->network) && ask_set_name(a.to, name) &&
	    job_ask(j, j->now->server, ASK_WHY, &a))
		n->asked++;
}

static void
net_line(struct job *j, struct jview line)
{
	struct net *n = j->state;
	struct jview type = jview_get(line, "type");

	if (jview_is(type, "route"))
		net_route(n, line);
	else if (jview_is(type, "why") && !*j->now->args.to)
		net_why(n, line);
	else if (jview_is(type, "why_to"))
		net_why_to(n, line);
	else if (jview_is(type, "member"))
		net_member(j, line);
	else if (jview_is(type, "roa_check"))
		(void)jview_copy(n->check[n->check_cnt - 1].roa, sizeof(n->check[0].roa),
		    jview_get(line, "state"));
	else if (jview_is(type, "aspa_check"))
		(void)jview_copy(n->check[n->check_cnt - 1].aspa,
		    sizeof(n->check[0].aspa), jview_get(line, "upstream"));
}

/* net_check_of - the check of the path @p; NULL: none. */
static struct net_check *
net_check_of(struct net *n, const struct net_path *p)
{
	for (unsigned i = 0; i < n->check_cnt; i++)
		if (n->check[i].hop_cnt == p->hop_cnt &&
		    !memcmp(n->check[i].hop, p->hop, p->hop_cnt * sizeof(p->hop[0])))
			return &n->check[i];
	return NULL;
}

/* net_checks - ask for the ROAs and the ASPAs of the next path that is not checked. */
static void
net_checks(struct job *j)
{
	struct net *n = j->state;
	struct ask_args a = { 0 };

	for (unsigned i = 0; i < n->path_cnt && n->check_cnt < NET_CHECKS_MAX; i++) {
		const struct net_path *p = &n->path[i];
		struct net_check *c = &n->check[n->check_cnt];

		if (!p->hop_cnt || net_check_of(n, p) || !ask_set_prefix(&a, n->network))
			continue;
		*c = (struct net_check){ .hop_cnt = p->hop_cnt };
		memcpy(c->hop, p->hop, sizeof(c->hop));
		n->check_cnt++;
		memcpy(a.hop, p->hop, sizeof(a.hop));
		a.hop_cnt = p->hop_cnt;
		(void)job_ask(j, j->now->server, ASK_PATH_CHECK, &a);
		return;
	}
}

/* net_state - a badge: "ROA valid". */
static void
net_state(struct strbuf *o, const char *what, const char *state)
{
	char text[40];

	snprintf(text, sizeof(text), "%s %s", what, state);
	html_badge(o,
	    !strcmp(state, "valid")     ? "good"
	    : !strcmp(state, "invalid") ? "bad"
					: "none",
	    text);
}

static void
net_check_cell(struct strbuf *o, struct net *n, const struct net_path *p)
{
	const struct net_check *c = net_check_of(n, p);

	strbuf_adds(o, "<td data-k=\"RPKI\">");
	if (c && *c->roa)
		net_state(o, "ROA", c->roa);
	else if (p->hop_cnt)
		strbuf_adds(o, "<span class=\"soft\">not checked</span>");
	if (c && *c->aspa && p->whole) {
		strbuf_adds(o, "<br>");
		net_state(o, "ASPA", c->aspa);
	}
	strbuf_adds(o, "</td>");
}

/* net_paths - the table of paths, the best path first. */
static void
net_paths(struct job *j)
{
	struct net *n = j->state;
	struct strbuf *o = &j->out;

	strbuf_addf(o,
	    "<div class=\"wide\" tabindex=\"0\"><table class=\"stack\"><caption>%u "
	    "path%s of "
	    "<code>%s</code></caption>\n<thead><tr><th>From</th>"
	    "<th>Result</th><th>RPKI</th><th>AS path</th></tr></thead>\n<tbody>\n",
	    n->path_cnt, plural(n->path_cnt, "", "s"), n->network);
	for (unsigned k = 0; k < 2 * n->path_cnt; k++) {
		const struct net_path *p = &n->path[k % n->path_cnt];

		if (p->best != (k < n->path_cnt))
			continue;
		strbuf_addf(
		    o, "<tr%s><th scope=\"row\">", p->best ? " class=\"best\"" : "");
		html_text(o, p->protocol);
		strbuf_adds(o, "</th><td class=\"words\" data-k=\"Result\">");
		strbuf_adds(o, p->fate.len ? p->fate.s : "");
		strbuf_adds(o, "</td>");
		net_check_cell(o, n, p);
		strbuf_adds(o, p->route.len ? p->route.s : "<td></td>");
		strbuf_adds(o, "</tr>\n");
	}
	strbuf_adds(o, "</tbody></table></div>\n");
}

/* net_form - who gets it: the form, and the rows. */
static void
net_form(struct job *j)
{
	struct net *n = j->state;
	struct strbuf *o = &j->out;
	const char *name = j->web->server[j->now->server].name;

	if (!n->members.len)
		return;
	strbuf_adds(o, "<h3>Receivers of the network</h3>\n<form action=\"/prefix/");
	html_text(o, n->network);
	strbuf_addf(o,
	    "\"><div class=\"field\"><label for=\"to-%s\">Member</label>\n"
	    "<select id=\"to-%s\" name=\"to\"><option value=\"all\">all "
	    "members</option>\n%s</select></div>\n<button>Ask</button></form>\n",
	    name, name, n->members.s);
	if (!n->gets.len)
		return;
	strbuf_adds(o, "<div class=\"wide\" tabindex=\"0\"><table "
		       "class=\"stack\"><thead><tr><th>Member</th>"
		       "<th>Receives</th><th>Path, or reason</th></tr></thead><tbody>\n");
	strbuf_adds(o, n->gets.s);
	strbuf_adds(o, "</tbody></table></div>\n");
	if (n->asked >= NET_MEMBERS_MAX)
		strbuf_addf(o, "<p>The first %u members.</p>\n", n->asked);
}

static void
net_head(struct job *j)
{
	struct net *n = j->state;
	char title[PREFIX_STR_MAX];

	if (n->head)
		return;
	n->head = true;
	prefix_str(title, &j->req.args.prefix);
	if (j->req.args.longest && strchr(title, '/'))
		*strchr(title, '/') = 0;
	html_head(j, title);
	strbuf_adds(&j->out, "<div class=\"sides\">\n");
}

/* net_section - all of the present server. */
static void
net_section(struct job *j)
{
	struct net *n = j->state;

	net_head(j);
	strbuf_adds(&j->out, "<section>\n");
	html_server(j, j->web->server[j->now->server].name);
	if (j->reply.rc)
		strbuf_adds(&j->out, "<p>This server gives no answer at present.</p>\n");
	else if (!n->path_cnt)
		strbuf_adds(&j->out,
		    j->visitor.exchange
			? "<p>No member announces this network here.</p>\n"
			: "<p>No route of this network is public here. A member that "
			  "logs in sees its own filtered routes.</p>\n");
	else {
		net_paths(j);
		if (n->further.len)
			strbuf_addf(&j->out,
			    "<p>Further networks that contain the address:%s</p>\n",
			    n->further.s);
		net_form(j);
	}
	strbuf_adds(&j->out, "</section>\n");
	net_reset(n);
}

/* net_asked - the answer about one member is complete. */
static void
net_asked(struct job *j)
{
	struct net *n = j->state;
	struct strbuf *o = &n->gets;

	strbuf_adds(o, "<tr><th scope=\"row\">");
	html_text(o, j->now->args.to);
	strbuf_adds(o, "</th><td data-k=\"Receives\">");
	html_badge(o, n->goes ? "good" : "none", n->goes ? "yes" : "no");
	strbuf_adds(o, "</td><td class=\"words\">");
	strbuf_adds(o, n->decided ? n->bar.s : "No path may go to this member.");
	strbuf_adds(o, "</td></tr>\n");
	strbuf_reset(&n->bar);
	n->goes = n->decided = false;
}

static void
net_step(struct job *j)
{
	struct net *n = j->state;
	struct ask_args a = { 0 };

	html_answered(j, &n->answers);
	switch (j->now->ask) {
	case ASK_ROUTE:
	case ASK_LONGEST:
		if (j->reply.rc)
			break;
		/* also without a route: the route server may have refused a route */
		a = j->req.args;
		*a.to = 0;
		(void)job_ask(j, j->now->server, ASK_WHY, &a);
		break;
	case ASK_WHY:
		if (*j->now->args.to)
			net_asked(j);
		else if (!j->reply.rc && n->path_cnt)
			(void)job_ask(j, j->now->server, ASK_MEMBERS, NULL);
		break;
	case ASK_MEMBERS:
	case ASK_PATH_CHECK:
		if (!j->reply.rc)
			net_checks(j);
		break;
	default:
		break;
	}
	if (job_last(j))
		net_section(j);
}

static void
net_end(struct job *j)
{
	strbuf_adds(&j->out, "</div>\n");
	html_end(j, &((const struct net *)j->state)->answers);
}

const struct view page_net_view = {
	.type = html_type,
	.state_size = sizeof(struct net),
	.begin = net_begin,
	.line = net_line,
	.step = net_step,
	.end = net_end,
	.problem = html_problem,
	.free = net_free,
};
