/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A drawn day of an exchange: members join, leave, announce, withdraw, stop reading, send
 * malformed messages or say no OPEN; links fail; operators configure, ask, crash and
 * restart the daemon. Now and then everybody is well and the world rests, and the oracle
 * judges the members' tables. At the end the tables also equal those of a fresh daemon
 * with the same configuration and the same members.
 *
 * On a crowded day CROWD members announce routes of few networks: a network with many
 * paths has structures of its own in the daemon. */
#include "test/sim/fault.h"
#include "test/sim/oracle/oracle.h"
#include "test/sim/script.h"
#include "test/sim/sim_net.h"
#include "test/sim/sim_priv.h"
#include "test/sim/trouble.h"
#include "test/sim/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX_CNT 40
#define CROWD      48
#define CROWD_CNT  2 /* prefixes of each half */
#define CROWD_IN   8 /* a crowded day in so many */
#define RESTS_IN   100 /* a rest in so many acts */
#define WRONG_IN   16 /* a malformed attribute in so many announcements */

static const char *const variant[] = {
	/* what the members' template gets, by draw */
	"import all; export all;",
	"import filter { if net ~ [10.2.0.0/16+] then reject; bgp_local_pref = 100; "
	"accept; }; export all;",
	"import all; export filter { if bgp_path.len > 3 then reject; "
	"bgp_community.add((65000,1)); accept; };",
	"import keep filtered on; import where bgp_path.len < 4; export all;",
	"import limit 30 action block; import all; export all;",
	"import table on; import all; export all;",
	"secondary on; import all; export where !((0, 65011) ~ bgp_community);",
	"export table on; import all; export all;",
	"add paths tx; import all; export all;",
	"import limit 9 action block; import where bgp_path.len < 4; export all;",
	"receive limit 8 action block; import where bgp_path.len < 4; export all;",
	"export limit 12 action block; import all; export all;",
	"import limit 7 action restart; import where bgp_path.len < 4; export all;",
	"receive limit 9 action disable; import all; export all;",
	"import limit 10 action warn; export limit 15 action warn; import all; export "
	"all;",
};

/* A member that announces more than so many routes may lose its session. */
#define LIMIT_LEAST 7

struct day {
	struct world w;
	unsigned threads, variant;
	bool is_crowded, restarts;
	struct trouble trouble;
};

static void
write_config(struct day *d)
{
	char text[2000];

	snprintf(text, sizeof(text),
	    "router id 10.0.0.1;\n%slog \"/sim/log\" all;\n"
	    "ipv4 table master4 sorted;\nprotocol device {}\n"
	    "template bgp member { local 10.0.0.1 as 65000; rs client; passive; connect "
	    "delay time 1;\n"
	    "\tgraceful restart %s;\n\tipv4 { %s };\n}\nMEMBERS\n",
	    d->threads == 0   ? ""
	    : d->threads == 1 ? "threads 1;\n"
			      : "threads 2;\n",
	    d->restarts ? "on" : "aware", variant[d->variant]);
	world_config(&d->w, text);
}

static struct member *
draw_member(struct day *d)
{
	struct member *m = d->w.members;
	unsigned cnt = 0;

	for (; m; m = m->next)
		cnt++;
	cnt = (unsigned)sim_random(cnt);
	for (m = d->w.members; cnt--; m = m->next)
		;
	return m;
}

static void
day_announce(const struct day *d, struct member *m)
{
	/* One draw a statement: the order of arguments is the compiler's choice. */
	unsigned half = 1 + (unsigned)sim_random(2),
		 third = (unsigned)sim_random(d->is_crowded ? CROWD_CNT : PREFIX_CNT);
	char prefix[64], attrs[200];
	size_t len;

	snprintf(prefix, sizeof(prefix), "10.%u.%u.0/24", half, third);
	if (!sim_random(3)) {
		member_announce(m, prefix, 0, NULL);
		return;
	}
	snprintf(attrs, sizeof(attrs), "path %u", m->as);
	for (uint64_t n = sim_random(4); n; n--) {
		len = strlen(attrs);
		snprintf(attrs + len, sizeof(attrs) - len, " %u",
		    64500 + (unsigned)sim_random(8));
	}
	len = strlen(attrs);
	if (!sim_random(4))
		snprintf(attrs + len, sizeof(attrs) - len, " community (0,65011)");
	len = strlen(attrs);
	if (!sim_random(4))
		snprintf(
		    attrs + len, sizeof(attrs) - len, " med %u", (unsigned)sim_random(3));
	if (!sim_random(WRONG_IN))
		fault_attribute(attrs, sizeof(attrs));
	member_announce(m, prefix, 0, attrs);
}

/* operate - something that an operator does. */
static void
day_operate(struct day *d)
{
	/* Not `show memory`: its numbers depend on the compiler. */
	static const char *const ask[] = { "show route count", "show protocols all",
		"show route all", "show status", "reload in all", "reload out all",
		"show health" };
	char line[64];

	switch (sim_random(8)) {
	case 0:
		d->variant = (unsigned)sim_random(sizeof(variant) / sizeof(variant[0]));
		write_config(d);
		world_command(&d->w, "configure");
		break;
	case 1:
		snprintf(line, sizeof(line), "restart %s", draw_member(d)->name);
		world_command(&d->w, line);
		break;
	case 2:
		if (!sim_random(3))
			trouble_happens(&d->trouble, &d->w);
		break;
	default:
		world_command(&d->w, ask[sim_random(sizeof(ask) / sizeof(ask[0]))]);
	}
}

static void
day_act(struct day *d)
{
	struct member *m = draw_member(d);

	switch (sim_random(24)) {
	case 0:
		member_down(m, sim_random(2));
		break;
	case 1:
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
		day_operate(d);
		break;
	case 6:
		member_refresh(m);
		break;
	case 7: /* an error wait follows a malformed header: not too often */
		if (!sim_random(3))
			fault_happens(m);
		break;
	default:
		day_announce(d, m);
	}
}

static bool
day_has(const struct day *d, const char *word)
{
	return strstr(variant[d->variant], word);
}

/* day_shrink - a member withdraws routes until no limit ends its session. */
static void
day_shrink(struct member *m)
{
	while (m->announced.cnt > LIMIT_LEAST) {
		uint32_t at = 0;
		struct rib_key k = rib_next(&m->announced, &at)->key;
		char prefix[64];

		rib_prefix(prefix, &k);
		member_announce(m, prefix, k.id, NULL);
	}
}

/* day_end_limits - no limit ends a session any more. */
static void
day_end_limits(struct day *d)
{
	for (struct member *m = d->w.members; m; m = m->next)
		day_shrink(m);
	for (struct member *m = d->w.members; day_has(d, "disable") && m; m = m->next) {
		char line[64];

		snprintf(line, sizeof(line), "enable %s", m->name);
		world_command(&d->w, line);
	}
}

/* rest - everybody is well, and nothing changes any more. */
static char *
day_rest(struct day *d, const char *when, const struct member *away)
{
	for (struct member *m = d->w.members; m; m = m->next) {
		member_reads(m, true);
		sim_net_cut(m->address, false);
		if (m->mute)
			member_mute(m, false);
		if (m != away)
			member_up(m);
	}
	trouble_ends(&d->trouble);
	if (day_has(d, "restart") || day_has(d, "disable"))
		day_end_limits(d);
	script_step("settle");
	world_settle(&d->w);
	oracle_check(&d->w, when);
	return world_picture(&d->w);
}

/* day_look - a rest of the day. Now and then a member with graceful restart stays away
 * until its routes are past their time. */
static void
day_look(struct day *d)
{
	struct member *away = d->restarts && sim_random(2) ? draw_member(d) : NULL;

	if (away && away->restarts && away->up) {
		member_reads(away, true);
		sim_net_cut(away->address, false);
		member_down(away, true);
		sim_sleep(sim_now() + (MEMBER_RESTART_S + away->hold_s + 60) * SIM_S);
	} else {
		away = NULL;
	}
	free(day_rest(d, "a rest of the day", away));
}

static void
day_compare(const char *a, const char *b)
{
	size_t at = 0;

	if (!strcmp(a, b))
		return;
	while (a[at] == b[at])
		at++;
	while (at && a[at - 1] != '\n')
		at--;
	sim_fail(
	    "a fresh daemon tells its members something else:\nhere:  %.*s\nfresh: %.*s",
	    (int)strcspn(a + at, "\n"), a + at, (int)strcspn(b + at, "\n"), b + at);
}

void
day_run(unsigned members, uint64_t ns)
{
	struct day *d = calloc(1, sizeof(*d));
	uint64_t until = sim_now() + ns, pause_ns = 4 * SIM_S;
	char *here, *fresh;

	d->threads = (unsigned)sim_random(3);
	d->variant = (unsigned)sim_random(sizeof(variant) / sizeof(variant[0]));
	d->is_crowded = !sim_random(CROWD_IN);
	d->restarts = !sim_random(3);
	if (d->is_crowded) {
		members += CROWD;
		pause_ns /= 2;
	}
	sim_link_add("lo", "127.0.0.1", 8, NULL, 0);
	sim_link_add("eth0", "10.0.0.1", 16, NULL, 0);
	script_head("link lo 127.0.0.1/8\nlink eth0 10.0.0.1/16");
	for (unsigned i = 0; i < members; i++) {
		char name[24], address[64];
		struct member *m;

		snprintf(name, sizeof(name), "as%u", 65011 + i);
		snprintf(address, sizeof(address), "10.0.1.%u", 1 + i);
		m = world_add(&d->w, name, 65011 + i, address, "10.0.0.1");
		if (!sim_random(4))
			m->timer_percent = sim_random(2) ? 80 : 125;
		m->restarts = d->restarts && sim_random(4);
		m->forgets = m->restarts && !sim_random(3);
		member_up(m);
	}
	write_config(d);
	sim_daemon_start(NULL);
	while (sim_now() < until) {
		day_act(d);
		sim_sleep(sim_now() + sim_random(pause_ns));
		if (!sim_random(RESTS_IN))
			day_look(d);
	}
	here = day_rest(d, "the end of the day", NULL);
	script_step("fresh");
	script_state(&d->w);
	script_end();
	sim_daemon_crash(1);
	sim_daemon_start(NULL);
	fresh = day_rest(d, "the fresh daemon", NULL);
	sim_event("at rest: %zu octets of tables", strlen(here));
	if (!day_has(d, "block")) /* the order of arrival decides */
		day_compare(here, fresh);
}
