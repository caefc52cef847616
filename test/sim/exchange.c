/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A long day of an exchange: members with lists of prefixes, two validators, routes that
 * change all the time, lists that are read anew each hour, incidents (incident.c).
 *
 * At the end of each hour the incidents end, the world rests, and the daemon must be
 * what a fresh daemon would be (rest.c). A session that ends without a reason of the day
 * fails the run. */
#include "test/sim/exchange.h"

#include "test/sim/fault.h"
#include "test/sim/sim_net.h"
#include "test/sim/sim_priv.h"

#include <bsd/string.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INCIDENT_MAX 4 /* at a time */
#define BURST_S      4 /* routes change at one second of so many, on average */
#define WRONG_IN     32 /* a malformed attribute in so many bursts */
/* A race of a record and of routes: blocks of 16 networks each (/20), which every member
 * may announce. */
#define RACE_BLOCKS   (TRANSIT_CNT / RACE_NETS)
#define RACE_NETS     16
#define RACE_LEN      20
#define RACE_CNT      32 /* members, one after the other, announce */
#define RACE_ROUTES   8 /* routes of each */
#define RACE_NS       (2000 * SIM_US) /* longest time between two fours of them */
#define RACE_PAUSE_NS (4 * SIM_S)

enum style { SECONDARY, OVERLAY, ADD_PATH, STYLE_CNT };

static const char head[] =
    "router id 10.0.0.1;\nlog \"/sim/log\" all;\n"
    "roa4 table r4;\nipv4 table master4 sorted;\nprotocol device {}\n"
    "template rpki validator { roa4 { table r4; }; retry keep 60; refresh keep 600; "
    "expire keep 1200; }\n"
    "protocol rpki v1 from validator { remote 10.0.2.1; }\n"
    "protocol rpki v2 from validator { remote 10.0.2.2 port 8282; }\n"
    "template bgp member { local 10.0.0.1 as 65000; rs client; passive; hold time 90;\n"
    "\tenforce first as; graceful restart on; ipv4 { import keep filtered on; }; }\n";

/* ---- files ---- */

static void
exchange_put_list(FILE *f, const struct guest *g)
{
	fprintf(f, "define LIST_%s = [ ", g->m->name);
	if (!g->empty_list)
		for (unsigned n = 0; n < OWN_CNT; n++)
			if (g->list >> n & 1)
				fprintf(f, "20.%u.%u.0/24, ", g->nr, n);
	if (!g->empty_list)
		fprintf(f, "30.0.0.0/16{24,24}, 2001:db8:%x::/48{64,64} ", g->nr);
	fprintf(f, "];\n");
}

static void
put_filter(FILE *f, const struct guest *g)
{
	fprintf(f,
	    "filter in_%s {\n\tif net !~ LIST_%s then reject;\n"
	    "\tif net.type = NET_IP4 then if roa_check(r4, net, bgp_path.last) = "
	    "ROA_INVALID then reject;\n"
	    "\tbgp_large_community.add((65000, 1, %u));\n\taccept;\n}\n"
	    "filter out_%s {\n\tif (0, %u) ~ bgp_community then reject;\n"
	    "\tif (65001, %u) ~ bgp_community then bgp_path.prepend(bgp_path.first);\n"
	    "\taccept;\n}\n",
	    g->m->name, g->m->name, g->nr, g->m->name, 64000 + g->nr, 64000 + g->nr);
}

static void
put_session(FILE *f, const struct exchange *x, const struct guest *g, const char *name)
{
	const char *n = g->m->name;

	fprintf(f, "protocol bgp %s from member { neighbor %s as %u; %s\n\tipv4 { ", name,
	    g->m->address, g->m->as + g->wrong_as,
	    g->password ? "password \"typo\";" : "");
	if (x->style == OVERLAY)
		fprintf(f, "table t_%s; import filter in_%s; export all;", n, n);
	else
		fprintf(f, "import filter in_%s; export filter out_%s; %s", n, n,
		    x->style == ADD_PATH ? "add paths tx;" : "secondary;");
	if (g->limit)
		fprintf(f, " import limit %u action %s;", g->limit, g->action);
	fprintf(f, " };");
	if (g->ipv6)
		fprintf(
		    f, "\n\tipv6 { import filter in_%s; export filter out_%s; };", n, n);
	fprintf(f, " }\n");
}

void
exchange_write(struct exchange *x)
{
	char path[64], *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (x->threads)
		fprintf(f, "threads %u;\n", x->threads);
	fprintf(f, "%s%s", head, x->garbled ? "protocol bgp { neighbour\n" : "");
	for (unsigned i = 0; i < x->cnt; i++) {
		const struct guest *g = &x->guest[i];
		const char *n = g->m->name;
		char *list = NULL;
		size_t list_len;
		FILE *l;

		if (!g->joined)
			continue;
		l = open_memstream(&list, &list_len);
		exchange_put_list(l, g);
		fclose(l);
		snprintf(path, sizeof(path), "/sim/%s.list", n);
		sim_file_put(path, list);
		free(list);
		fprintf(f, "include \"%s\";\n", path);
		put_filter(f, g);
		if (x->style == OVERLAY)
			fprintf(f,
			    "ipv4 table t_%s;\nprotocol pipe p_%s { table t_%s; "
			    "peer table master4; import filter out_%s; export all; }\n",
			    n, n, n, n);
		put_session(f, x, g, n);
		if (x->twice && i == 0)
			put_session(f, x, g, "twice");
	}
	fclose(f);
	sim_file_put("/sim/tern.conf", text);
	free(text);
}

bool
exchange_configure(struct exchange *x)
{
	const char *answer;

	exchange_write(x);
	answer = world_command(&x->w, "configure");
	return strstr(answer, "\n0003 ") || strstr(answer, "\n0004 ");
}

void
exchange_draw_list(struct guest *g)
{
	g->list = 0;
	for (unsigned n = 0; n < OWN_CNT; n++)
		g->list |= (uint64_t)(sim_random(8) != 0) << n;
}

void
exchange_act(struct actor *a, const char *verb, const char *words)
{
	char copy[200], *at = copy;

	strlcpy(copy, words, sizeof(copy));
	if (!a->kind->act(a, verb, &at) || *at)
		sim_fail("%s %s: '%s %s' fails", a->kind->word, a->name, verb, words);
}

void
exchange_all_fall(struct exchange *x)
{
	for (unsigned i = 0; i < x->cnt; i++)
		if (x->guest[i].m->falls == MEMBER_STANDS)
			x->guest[i].m->falls = MEMBER_MAY_FALL_ONCE;
}

/* ---- routes ---- */

static void
draw_attrs(char out[200], const struct guest *g, bool v6)
{
	/* One draw a statement: the order of arguments is the compiler's choice. */
	unsigned hops = (unsigned)sim_random(4), community = (unsigned)sim_random(6),
		 other = 64001 + (unsigned)sim_random(20), len;

	len = (unsigned)snprintf(out, 200, "path %u", g->m->as);
	while (hops--)
		len += (unsigned)snprintf(
		    out + len, 200 - len, " %u", 64500 + (unsigned)sim_random(6));
	if (community < 2)
		len += (unsigned)snprintf(out + len, 200 - len, " community (%u,%u)",
		    community ? 65001 : 0, other);
	if (!sim_random(4))
		len += (unsigned)snprintf(
		    out + len, 200 - len, " med %u", (unsigned)sim_random(3));
	if (v6)
		snprintf(out + len, 200 - len, " next hop 2001:db8::1:%u", g->nr);
}

unsigned
exchange_burst(struct guest *g, unsigned cnt)
{
	bool withdraws = !sim_random(3), v6 = g->ipv6 && !sim_random(4),
	     own = sim_random(3);
	unsigned at = (unsigned)sim_random(own ? OWN_CNT : TRANSIT_CNT), done;
	char attrs[200], prefix[64];

	draw_attrs(attrs, g, v6);
	if (!sim_random(WRONG_IN))
		fault_attribute(attrs, sizeof(attrs));
	for (done = 0; done < cnt; done++, at++) {
		if (v6)
			snprintf(prefix, sizeof(prefix), "2001:db8:%x:%x::/64", g->nr,
			    at % OWN_CNT);
		else if (own)
			snprintf(
			    prefix, sizeof(prefix), "20.%u.%u.0/24", g->nr, at % OWN_CNT);
		else
			snprintf(
			    prefix, sizeof(prefix), "30.0.%u.0/24", at % TRANSIT_CNT);
		member_announce(g->m, prefix, 0, withdraws ? NULL : attrs);
	}
	return done;
}

static void
change_routes(struct exchange *x, unsigned cnt)
{
	while (cnt) {
		struct guest *g = &x->guest[sim_random(x->cnt)];
		unsigned part = 1 + (unsigned)sim_random(cnt < 40 ? cnt : 40);

		cnt -= part;
		if (g->m->wanted)
			x->changes += exchange_burst(g, part);
	}
}

/* ---- time ---- */

static struct guest *
draw_guest(struct exchange *x)
{
	struct guest *g = &x->guest[sim_random(x->cnt)];

	return g->joined && !g->busy && g->m->up ? g : NULL;
}

static void
begin_incident(struct exchange *x, struct incident *at, unsigned active)
{
	const struct incident_kind *k = &incident_kind[sim_random(incident_kind_cnt)];
	struct guest *g = k->of_guest ? draw_guest(x) : NULL;

	if ((k->of_guest && !g) || (k->alone && active))
		return;
	sim_event("incident: %s %s", k->name, g ? g->m->name : "");
	*at = (struct incident){ .kind = k, .g = g, .due_ns = sim_now() };
	if (g)
		g->busy = true;
}

static void
step_incident(struct exchange *x, struct incident *i)
{
	unsigned wait_s = i->kind->step(x, i);

	i->stage++;
	i->due_ns = sim_now() + wait_s * SIM_S;
	if (wait_s)
		return;
	if (i->g)
		i->g->busy = false;
	i->kind = NULL;
}

/* carry_on - all incidents that are due; begin one now and then if @begins. Returns: how
 * many are under way. */
static unsigned
carry_on(struct exchange *x, struct incident *in, bool begins)
{
	unsigned active = 0;
	bool alone = false;

	for (unsigned i = 0; i < INCIDENT_MAX; i++) {
		if (in[i].kind && in[i].due_ns <= sim_now())
			step_incident(x, &in[i]);
		active += in[i].kind != NULL;
		alone |= in[i].kind && in[i].kind->alone;
	}
	for (unsigned i = 0; begins && !alone && i < INCIDENT_MAX; i++)
		if (!in[i].kind && !sim_random(240 * INCIDENT_MAX)) {
			begin_incident(x, &in[i], active);
			break;
		}
	return active;
}

static void
poll_daemon(struct exchange *x)
{
	static const char *const poll[] = { "show protocols", "show route count",
		"show route all for 20.1.1.1", "show status", "show health",
		"show protocols all", "show route filtered count", "show reasons" };

	if (sim_daemon_runs(1) && !sim_random(30))
		world_command(&x->w, poll[sim_random(sizeof(poll) / sizeof(poll[0]))]);
}

/* race_fill - a member announces neighbouring networks of block @block at once. */
static void
race_fill(struct exchange *x, unsigned block)
{
	struct guest *g = &x->guest[sim_random(x->cnt)];
	unsigned at = (unsigned)sim_random(RACE_NETS);
	char attrs[200], prefix[64];

	if (!g->m->wanted)
		return;
	draw_attrs(attrs, g, false);
	for (unsigned n = 0; n < RACE_ROUTES; n++, at++) {
		snprintf(prefix, sizeof(prefix), "30.0.%u.0/24",
		    RACE_NETS * block + at % RACE_NETS);
		member_announce(g->m, prefix, 0, attrs);
	}
	x->changes += RACE_ROUTES;
}

/* exchange_race - a record comes or goes while members announce routes below its prefix:
 * some routes are on the way to their table when the daemon gets the new records. Each
 * block of networks has its race, and no route of a block changes until the world
 * rests. */
static void
exchange_race(struct exchange *x, unsigned hour)
{
	char words[80];

	for (unsigned block = 0; block < RACE_BLOCKS; block++) {
		snprintf(words, sizeof(words), "roa 30.0.%u.0/%u max 24 as 64503",
		    RACE_NETS * block, RACE_LEN);
		for (unsigned c = 0; c < 2; c++)
			exchange_act(x->cache[c], hour % 2 ? "removes" : "adds", words);
		for (unsigned i = 0; i < RACE_CNT; i++) {
			race_fill(x, block);
			if (i % 4 == 3)
				sim_sleep(sim_now() + sim_random(RACE_NS));
		}
		sim_sleep(sim_now() + RACE_PAUSE_NS);
	}
}

static void
exchange_hour(struct exchange *x, struct incident *in, unsigned rate)
{
	uint64_t until = sim_now() + 3600 * SIM_S;
	bool active = true;

	for (unsigned i = 0; i < x->cnt; i++)
		exchange_draw_list(&x->guest[i]);
	if (sim_daemon_runs(1) && !exchange_configure(x))
		sim_fail("the hourly lists are refused:\n%s", x->w.answer);
	while (sim_now() < until || active) {
		if (sim_now() < until) {
			if (!sim_random(BURST_S))
				change_routes(x, BURST_S * rate);
			poll_daemon(x);
		}
		active = carry_on(x, in, sim_now() + 600 * SIM_S < until);
		sim_sleep(sim_now() + SIM_S);
	}
}

static void
make_exchange(struct exchange *x, unsigned members)
{
	char at1[] = "at 10.0.2.1", at2[] = "at 10.0.2.2 port 8282 version 1";
	char name[24], address[64], *words1 = at1, *words2 = at2;

	x->cnt = members;
	x->threads = (unsigned)sim_random(4);
	x->style = (unsigned)sim_random(STYLE_CNT);
	sim_link_add("lo", "127.0.0.1", 8, NULL, 0);
	sim_link_add("eth0", "10.0.0.1", 16, "2001:db8::1", 64);
	world_actor_add(&x->w, &rtr_kind, "v1", &words1);
	world_actor_add(&x->w, &rtr_kind, "v2", &words2);
	x->cache[0] = world_actor(&x->w, &rtr_kind, "v1");
	x->cache[1] = world_actor(&x->w, &rtr_kind, "v2");
	for (unsigned i = 0; i < members; i++) {
		struct guest *g = &x->guest[i];

		snprintf(name, sizeof(name), "as%u", 64001 + i);
		snprintf(address, sizeof(address), "10.0.1.%u", 1 + i);
		g->m = world_add(&x->w, name, 64001 + i, address, "10.0.0.1");
		g->nr = i + 1;
		g->ipv6 = g->m->ipv6 = i % 3 == 0;
		g->m->add_path = i % 2;
		g->m->restarts = i % 4 == 1;
		g->m->timer_percent = i % 5 == 2 ? 80 : i % 5 == 4 ? 125 : 100;
		g->joined = i < members - members / 8;
		if (g->joined)
			member_up(g->m);
		snprintf(name, sizeof(name), "20.%u.0.0/16", i + 1);
		snprintf(
		    address, sizeof(address), "roa %s max 24 as %u", name, 64001 + i);
		for (unsigned c = 0; c < 2; c++)
			exchange_act(x->cache[c], "adds", address);
	}
}

void
exchange_run(unsigned members, unsigned hours, unsigned rate)
{
	struct exchange *x = calloc(1, sizeof(*x));
	struct incident in[INCIDENT_MAX] = { 0 };
	char when[40];

	make_exchange(x, members);
	exchange_write(x);
	sim_daemon_start(NULL);
	world_settle(&x->w);
	for (unsigned i = 0; i < x->cnt; i++)
		x->guest[i].m->falls = MEMBER_STANDS;
	for (unsigned h = 0; h < hours; h++) {
		exchange_hour(x, in, rate);
		exchange_race(x, h);
		snprintf(when, sizeof(when), "hour %u", h + 1);
		rest_check(&x->w, when, 200);
	}
	sim_event("%llu changes", (unsigned long long)x->changes);
}
