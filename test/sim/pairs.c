/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of features: an operator's hour with a drawn configuration (feature.c).
 *
 * Members announce, flap, come and go; lists and limits change by `configure`; routes are
 * filtered anew, sessions are disabled, enabled and restarted; somebody asks. Then limits
 * are wide, everybody is back, and the daemon must be what a fresh daemon would be
 * (rest.c). */
#include "test/sim/fault.h"
#include "test/sim/feature.h"
#include "test/sim/link.h"
#include "test/sim/oracle/oracle.h"
#include "test/sim/rest.h"
#include "test/sim/script.h"
#include "test/sim/sim_net.h"
#include "test/sim/sim_priv.h"
#include "test/sim/trouble.h"

#include <bsd/string.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDE    10000 /* a limit that nobody reaches */
#define NET_CNT 10
/* A look at members within the hour in so many events, and the longest wait for rest. */
#define LOOKS_IN 30
#define LOOK_NS  (60 * SIM_S)
/* longer than the daemon waits between two requests for the routes of a member */
#define REFRESH_NS (120 * SIM_S)
/* Changes of routes beside a change of a ROA, and the longest time between two of them.
 * The records take about 1 ms to the daemon, and another to the tables. */
#define RACE_CNT 16
#define RACE_NS  (500 * SIM_US)

struct pairs {
	struct world w;
	struct choice c;
	struct shape s;
	struct member *peer[PEER_CNT];
	struct actor *cache, *kernel;
	bool soft; /* a filter that changed was not applied */
	struct trouble trouble;
};

/* pairs_put_file - write the file. The caller frees the text. */
static char *
pairs_put_file(const struct pairs *x)
{
	char *text = choice_config(&x->c, &x->s, x->peer);

	sim_file_put("/sim/tern.conf", text);
	return text;
}

static void
pairs_configure(struct pairs *x, const char *how)
{
	char *text = pairs_put_file(x), line[40];
	const char *answer;

	snprintf(line, sizeof(line), "configure%s", how);
	answer = world_command(&x->w, line);
	if (!strstr(answer, "\n0003 ") && !strstr(answer, "\n0004 ") &&
	    !strstr(answer, "\n0005 "))
		sim_fail("%s is refused: %s\n%s", line, answer, text);
	free(text);
}

/* ---- members ---- */

/* draw_hop - " next hop ADDRESS", or "": the member's own address. An IPv4 address from a
 * link-local member without the capability of RFC 8950. */
static void
draw_hop(const struct pairs *x, unsigned p, bool v6, char *out, size_t room)
{
	bool is_local = choice_tag(&x->c, (int)p, LINK_LOCAL),
	     is_own = (is_local || !v6) && sim_random(2);

	*out = 0;
	if (is_local && !v6 && !x->peer[p]->extended_hop)
		snprintf(out, room, " next hop 10.0.1.%u", 1 + p);
	else if (!is_own && (v6 || x->peer[p]->extended_hop))
		snprintf(out, room, " next hop 2001:db8::1:%u", p);
}

static void
change_route(struct pairs *x, unsigned p)
{
	struct member *m = x->peer[p];
	unsigned kind = (unsigned)sim_random(4), n = (unsigned)sim_random(NET_CNT),
		 hops = (unsigned)sim_random(4), len = 0,
		 id = choice_tag(&x->c, (int)p, PATHS_IN) ? 1 + (unsigned)sim_random(2)
							  : 0,
		 cnt = 1 + (unsigned)sim_random(4);
	bool v6 = m->ipv6 && kind == 0, withdraws = !sim_random(3);
	char attrs[200], prefix[64];

	if (m->as == 65000 || m->as == 65100)
		len = (unsigned)snprintf(attrs, sizeof(attrs), "path %s pref %u",
		    hops ? "64500" : "", 90 + 10 * hops);
	else
		len = (unsigned)snprintf(attrs, sizeof(attrs), "path %u", m->as);
	for (; m->as < 65000 && hops; hops--)
		len += (unsigned)snprintf(attrs + len, sizeof(attrs) - len, " %u",
		    64500 + (unsigned)sim_random(4));
	switch (sim_random(8)) {
	case 0:
		len += (unsigned)snprintf(attrs + len, sizeof(attrs) - len,
		    " community (0,%u)", 64001 + (unsigned)sim_random(PEER_CNT));
		break;
	case 1:
		len += (unsigned)snprintf(attrs + len, sizeof(attrs) - len,
		    " community (65535,%u)", 65281 + (unsigned)sim_random(2));
		break;
	case 2:
		len += (unsigned)snprintf(attrs + len, sizeof(attrs) - len,
		    " large (65000,1,%u)", (unsigned)sim_random(3));
		break;
	case 3: /* LLGR_STALE or NO_LLGR */
		len += (unsigned)snprintf(attrs + len, sizeof(attrs) - len,
		    " community (65535,%u)", 6 + (unsigned)sim_random(2));
		break;
	default:
		break;
	}
	if (!sim_random(3))
		len += (unsigned)snprintf(
		    attrs + len, sizeof(attrs) - len, " med %u", (unsigned)sim_random(3));
	if (!sim_random(m->role ? 3 : 12)) /* as a provider or a peer, or a leak */
		len += (unsigned)snprintf(attrs + len, sizeof(attrs) - len, " otc %u",
		    sim_random(2) ? m->as : 64999);
	if (!sim_random(16))
		fault_attribute(attrs, sizeof(attrs));
	len = (unsigned)strlen(attrs);
	draw_hop(x, p, v6, attrs + len, sizeof(attrs) - len);
	for (; cnt; cnt--, n = (n + 1) % NET_CNT) {
		if (v6)
			snprintf(prefix, sizeof(prefix), "2001:db8:%x:%x::/64", p, n);
		else if (kind == 1)
			snprintf(prefix, sizeof(prefix), "20.%u.%u.0/24", p + 1, n);
		else
			snprintf(prefix, sizeof(prefix), "30.0.%u.0/24", n);
		member_announce(m, prefix, v6 ? 0 : id, withdraws ? NULL : attrs);
	}
}

static void
member_acts(struct pairs *x, unsigned p)
{
	struct member *m = x->peer[p];

	switch (sim_random(20)) {
	case 0:
		member_down(m, sim_random(2));
		break;
	case 1:
		member_down(m, sim_random(2));
		member_up(m);
		break;
	case 2:
		member_up(m);
		break;
	case 3:
		member_reads(m, sim_random(2));
		break;
	case 4:
		sim_net_cut(m->address, sim_random(2));
		break;
	case 5:
		member_refresh(m);
		break;
	case 6:
		fault_happens(m);
		break;
	default:
		change_route(x, p);
	}
}

/* ---- the operator ---- */

/* actor_acts - @words is changed. A step without effect is no step of the script. */
static void
actor_acts(struct actor *a, const char *verb, char *words)
{
	char copy[80];

	strlcpy(copy, words, sizeof(copy));
	if (a->kind->act(a, verb, &words))
		script_step("%s%s%s %s %s", a->kind->word, a->kind->single ? "" : " ",
		    a->kind->single ? "" : a->name, verb, copy);
}

/* race_roa - a ROA comes or goes while members change routes: some routes are on the way
 * to their table when the daemon gets the new records. */
static void
race_roa(struct pairs *x)
{
	char words[64];

	snprintf(words, sizeof(words), "roa 30.0.%u.0/24 max 24 as 64501",
	    (unsigned)sim_random(NET_CNT));
	actor_acts(x->cache, sim_random(2) ? "adds" : "removes", words);
	for (unsigned i = 0; i < RACE_CNT; i++) {
		change_route(x, (unsigned)sim_random(PEER_CNT));
		sim_sleep(sim_now() + sim_random(RACE_NS));
	}
}

static void
changes_file(struct pairs *x)
{
	switch (sim_random(4)) {
	case 0:
		x->s.limit = x->s.limit == WIDE ? 2 + (unsigned)sim_random(8) : WIDE;
		break;
	case 1:
		x->s.left ^= 1u << sim_random(PEER_CNT);
		break;
	default:
		x->s.list++;
	}
	if (sim_random(4)) {
		pairs_configure(x, "");
	} else {
		pairs_configure(x, " soft");
		x->soft = true;
	}
}

static void
operator_acts(struct pairs *x)
{
	static const char *const ask[] = { "show protocols all",
		"show route all table all", "show route count", "show status",
		"show health", "show route filtered", "show reasons", "show bfd sessions",
		"show static", "show table" };
	static const char *const verb[] = { "reload", "reload in", "reload out",
		"disable", "enable", "restart" };
	unsigned p = (unsigned)sim_random(PEER_CNT), v = (unsigned)sim_random(6);
	char line[80];

	switch (sim_random(5)) {
	case 0:
		if (sim_random(6))
			changes_file(x);
		else if (trouble_happens(&x->trouble, &x->w))
			x->soft = false;
		break;
	case 1:
		snprintf(line, sizeof(line), "%s %s", verb[v], x->peer[p]->name);
		world_command(&x->w, line);
		break;
	case 2:
		if (x->kernel && sim_random(2)) {
			char route[] = "40.9.0.0/16 via 10.0.9.3 table 200";

			actor_acts(x->kernel, sim_random(2) ? "adds" : "removes", route);
		} else if (x->cache) {
			race_roa(x);
		}
		break;
	default:
		world_command(&x->w, ask[sim_random(sizeof(ask) / sizeof(ask[0]))]);
	}
}

/* draw_pause_ns - between two events: about 60 events, whatever the time. Most follow one
 * another soon; some wait until timers have expired. */
static uint64_t
draw_pause_ns(unsigned minutes)
{
	uint64_t most_ns = SIM_S * minutes * (sim_random(4) ? 2 : 18) / 3;

	return sim_random(most_ns);
}

/* ---- a run ---- */

static struct actor *
make_actor(
    struct pairs *x, const struct actor_kind *kind, const char *name, const char *at)
{
	char copy[80], *words = copy;

	strlcpy(copy, at, sizeof(copy));
	if (!kind->single)
		script_head("%s %s %s", kind->word, name, at);
	if (!world_actor_add(&x->w, kind, name, &words))
		sim_fail("no actor %s", name);
	return world_actor(&x->w, kind, name);
}

/* draw_capabilities - of three of four members whose session has the feature: the daemon
 * must also do without a capability. A member asks for a long-lived restart even if the
 * daemon does not ask members. */
static void
draw_capabilities(struct pairs *x, unsigned p)
{
	struct member *m = x->peer[p];
	enum member_role role = choice_role(&x->c, p);
	bool is_long = choice_tag(&x->c, (int)p, LONG_LIVED);

	m->restarts = choice_tag(&x->c, (int)p, MEMBER_RESTARTS);
	if ((m->restarts || is_long) && sim_random(4)) {
		m->restarts = true;
		m->forgets = !sim_random(4);
		m->long_lived_s = 30 + (uint32_t)sim_random(300);
	}
	m->enhanced_refresh = sim_random(2);
	if (choice_tag(&x->c, (int)p, EXTENDED_MESSAGES) && sim_random(4))
		m->extended_messages = true;
	if (role && sim_random(4))
		m->role = role;
	if (choice_tag(&x->c, (int)p, EXTENDED_HOP) && sim_random(4))
		m->extended_hop = true;
}

/* make_bfd - the member's side of BFD. */
static void
make_bfd(struct pairs *x, unsigned p)
{
	char words[160];

	snprintf(words, sizeof(words), "at %s to %s interval 1000ms", x->peer[p]->address,
	    x->peer[p]->server);
	make_actor(x, &bfd_kind, x->peer[p]->name, words);
}

static void
make_peers(struct pairs *x)
{
	char name[24], address[64];

	for (unsigned p = 0; p < PEER_CNT; p++) {
		bool internal = choice_tag(&x->c, (int)p, INTERNAL),
		     confed = choice_tag(&x->c, -1, CONFEDERATION),
		     is_local = choice_tag(&x->c, (int)p, LINK_LOCAL);
		struct member *m;

		snprintf(name, sizeof(name), "m%u", p + 1);
		snprintf(address, sizeof(address),
		    is_local ? "fe80::1:%u%%eth0" : "10.0.1.%u", 1 + p);
		m = world_add(&x->w, name,
		    internal ? (confed ? 65100 : 65000) : 64001 + p, address,
		    is_local ? "fe80::1%eth0" : "10.0.0.1");
		x->peer[p] = m;
		m->ipv6 = choice_tag(&x->c, (int)p, IPV6);
		m->add_path = choice_tag(&x->c, (int)p, PATHS_IN) ||
			      choice_tag(&x->c, (int)p, PATHS_OUT);
		draw_capabilities(x, p);
		m->ttl = choice_tag(&x->c, (int)p, TTL) ? 255 : 0;
		if (choice_tag(&x->c, (int)p, PASSWORD))
			snprintf(m->password, sizeof(m->password), "secret");
		if (choice_tag(&x->c, (int)p, SKEWED))
			m->timer_percent = sim_random(2) ? 80 : 125;
		if (choice_tag(&x->c, (int)p, BFD_PEER))
			make_bfd(x, p);
		member_up(m);
	}
}

/* pairs_restart - routes that an older filter let through go. A restart also empties the
 * ROA table of the validator: the records come back before pairs_mend restarts the peers
 * without route refresh, whose verdicts then stay. */
static void
pairs_restart(struct pairs *x)
{
	world_command(&x->w, "restart all");
	x->soft = false;
	if (!x->cache)
		return;
	script_step("settle");
	(void)world_settles(&x->w, LOOK_NS);
}

/* pairs_mend - everybody is back. */
static void
pairs_mend(struct pairs *x)
{
	for (unsigned p = 0; p < PEER_CNT; p++) {
		struct member *m = x->peer[p];

		sim_net_cut(m->address, false);
		member_reads(m, true);
		member_mute(m, false);
		if (x->s.left & 1u << p)
			member_down(m, true);
		else
			member_up(m);
	}
	world_command(&x->w, "enable all");
	if (x->soft)
		pairs_restart(x);
	if (x->cache)
		race_roa(x);
	/* Changed ROAs do not change routes of a peer without route refresh. */
	for (unsigned p = 0; p < PEER_CNT; p++)
		if (choice_tag(&x->c, (int)p, NO_REFRESH) && x->peer[p]->wanted) {
			member_down(x->peer[p], true);
			member_up(x->peer[p]);
		}
}

/* pairs_rest - compare the daemon with the oracle when nothing moves. The daemon asks a
 * member for its routes because of changed ROAs at most once a minute: the world waits
 * for that question first. */
static void
pairs_rest(struct pairs *x, const char *when)
{
	sim_sleep(sim_now() + REFRESH_NS);
	script_step("settle");
	if (world_settles(&x->w, LOOK_NS))
		oracle_check(&x->w, when);
}

/* pairs_try - a changed list for a time. Then the list stays, or goes by a command or by
 * the end of the time. */
static void
pairs_try(struct pairs *x)
{
	unsigned how = (unsigned)sim_random(3);
	struct shape before = x->s;

	x->s.list++;
	pairs_configure(x, " timeout 600");
	pairs_mend(x);
	pairs_rest(x, "a rest before the end of a time");
	if (how == 0) {
		world_command(&x->w, "configure confirm");
		return;
	}
	if (how == 1)
		world_command(&x->w, "configure undo");
	else
		sim_sleep(sim_now() + 610 * SIM_S);
	x->s = before;
	free(pairs_put_file(x));
	pairs_mend(x);
	pairs_rest(x, "a rest behind the end of a time");
}

/* pairs_look - a rest within the hour, with limits in force. A limit that ends sessions
 * again and again leaves no rest: then nobody looks. */
static void
pairs_look(struct pairs *x)
{
	trouble_ends(&x->trouble);
	if (x->s.limit == WIDE)
		x->s.limit = 2 + (unsigned)sim_random(8);
	if (sim_random(2))
		x->s.left |= 1u << sim_random(PEER_CNT);
	pairs_configure(x, "");
	pairs_mend(x);
	pairs_rest(x, "a rest within the hour");
	if (!sim_random(3))
		pairs_try(x);
}

/* make_rest - no limit is in force, and nobody has left. */
static void
make_rest(struct pairs *x)
{
	trouble_ends(&x->trouble);
	x->s.limit = WIDE;
	x->s.left = 0;
	pairs_configure(x, "");
	pairs_mend(x);
	sim_sleep(sim_now() + REFRESH_NS);
	world_settle(&x->w);
}

void
pairs_run(uint64_t seed, unsigned minutes)
{
	struct pairs *x = calloc(1, sizeof(*x));
	uint64_t until;
	char *text;

	choice_draw(&x->c, seed);
	x->s.limit = WIDE;
	sim_link_add("lo", "127.0.0.1", 8, NULL, 0);
	sim_link_add("eth0", "10.0.0.1", 16, "2001:db8::1", 64);
	script_head("link lo 127.0.0.1/8\nlink eth0 10.0.0.1/16 2001:db8::1/64");
	if (choice_tag(&x->c, -1, LINK_LOCAL)) {
		link_address_add(0, "eth0", "fe80::1", NULL, 64);
		script_head("link eth0 gets fe80::1/64");
	}
	if (choice_tag(&x->c, -1, ROA_CACHE))
		x->cache = make_actor(x, &rtr_kind, "v1", "at 10.0.2.1");
	if (choice_tag(&x->c, -1, KERNEL))
		x->kernel = make_actor(x, &kernel_kind, "kernel", "");
	for (unsigned i = 1; choice_tag(&x->c, -1, STATION) && i <= 4; i++) {
		char name[8], at[24];

		snprintf(name, sizeof(name), "b%u", i);
		snprintf(at, sizeof(at), "at 10.0.3.%u", i);
		make_actor(x, &station_kind, name, at);
	}
	make_peers(x);
	text = choice_config(&x->c, &x->s, x->peer);
	sim_file_put("/sim/tern.conf", text);
	for (char *line = text, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		sim_event("file: %.*s", (int)(end - line), line);
	}
	free(text);
	sim_daemon_start(NULL);
	until = sim_now() + minutes * 60 * SIM_S;
	while (sim_now() < until) {
		if (sim_random(8))
			member_acts(x, (unsigned)sim_random(PEER_CNT));
		else
			operator_acts(x);
		sim_sleep(sim_now() + draw_pause_ns(minutes));
		if (!sim_random(LOOKS_IN))
			pairs_look(x);
	}
	make_rest(x);
	rest_check(&x->w, "the end of the hour", 300);
}
