/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The incidents of a long day of an exchange. A function per incident runs a stage in
 * each call, and finally restores the exchange.
 *
 * An incident that may end sessions declares the end (member.falls). Any other end of a
 * session fails the run. */
#include "test/sim/exchange.h"

#include "test/sim/fault.h"
#include "test/sim/sim_net.h"
#include "test/sim/sim_priv.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* must_configure - the daemon takes what the operator means. */
static void
must_configure(struct exchange *x)
{
	if (!exchange_configure(x))
		sim_fail("a configuration is refused:\n%s", x->w.answer);
}

static unsigned
some_s(unsigned least_s, unsigned more_s)
{
	return least_s + (unsigned)sim_random(more_s);
}

/* ---- members ---- */

static unsigned
incident_leaves(struct exchange *x, struct incident *i)
{
	if (i->stage == 0) {
		member_down(i->g->m, sim_random(2));
		return some_s(5, 60);
	}
	if (i->stage == 1) {
		i->g->joined = false;
		must_configure(x);
		return some_s(60, 600);
	}
	i->g->joined = true;
	must_configure(x);
	member_up(i->g->m);
	return 0;
}

static unsigned
incident_joins(struct exchange *x, struct incident *i)
{
	for (unsigned n = 0; n < x->cnt; n++)
		if (!x->guest[n].joined && !x->guest[n].busy) {
			x->guest[n].joined = true;
			must_configure(x);
			member_up(x->guest[n].m);
			break;
		}
	(void)i;
	return 0;
}

/* leaks - other members' prefixes, with paths through this member. */
static unsigned
incident_leaks(struct exchange *x, struct incident *i)
{
	char prefix[64], attrs[64];

	snprintf(attrs, sizeof(attrs), "path %u 64500 64501", i->g->m->as);
	for (unsigned n = 0; n < x->cnt; n++)
		for (unsigned k = 0; k < OWN_CNT; k++) {
			if (x->guest[n].nr == i->g->nr)
				continue;
			snprintf(
			    prefix, sizeof(prefix), "20.%u.%u.0/24", x->guest[n].nr, k);
			member_announce(i->g->m, prefix, 0, i->stage ? NULL : attrs);
		}
	return i->stage ? 0 : some_s(30, 300);
}

static unsigned
incident_flaps(struct exchange *x, struct incident *i)
{
	(void)x;
	member_down(i->g->m, i->stage % 2);
	member_up(i->g->m);
	return i->stage == 8 ? 0 : some_s(1, 30);
}

static unsigned
stops_reading(struct exchange *x, struct incident *i)
{
	(void)x;
	i->g->m->reads = i->stage;
	i->g->m->work = true;
	return i->stage ? 0 : some_s(5, 50);
}

static unsigned
incident_refreshes(struct exchange *x, struct incident *i)
{
	(void)x;
	member_refresh(i->g->m);
	return i->stage == 3 ? 0 : some_s(1, 10);
}

/* malformed_header - the session ends, and comes back behind the error wait. */
static unsigned
malformed_header(struct exchange *x, struct incident *i)
{
	(void)x;
	if (!i->stage)
		i->g->m->falls = MEMBER_MAY_FALL;
	if (i->stage < 3)
		fault_header(i->g->m);
	if (i->stage < 3)
		return i->stage == 2 ? 330 : some_s(5, 200);
	i->g->m->falls = MEMBER_STANDS;
	return 0;
}

/* incident_mute - new connections without an OPEN. */
static unsigned
incident_mute(struct exchange *x, struct incident *i)
{
	struct member *m = i->g->m;

	(void)x;
	if (i->stage == 2) {
		m->falls = MEMBER_STANDS;
		return 0;
	}
	member_mute(m, !i->stage);
	if (i->stage)
		return 330;
	m->falls = MEMBER_MAY_FALL;
	member_down(m, sim_random(2));
	member_up(m);
	return some_s(5, 600);
}

/* ---- links and clocks ---- */

/* short_cut - shorter than what is left of a hold time in the worst case: 72 s of a fast
 * clock less 30 s, 90 s less 37.5 s between KEEPALIVEs of a slow clock. */
static unsigned
short_cut(struct exchange *x, struct incident *i)
{
	(void)x;
	sim_net_cut(i->g->m->address, !i->stage);
	return i->stage ? 0 : some_s(5, 35);
}

static unsigned
long_cut(struct exchange *x, struct incident *i)
{
	(void)x;
	if (!i->stage)
		i->g->m->falls = MEMBER_MAY_FALL;
	if (i->stage < 2)
		sim_net_cut(i->g->m->address, !i->stage);
	if (i->stage == 2 && i->g->m->up)
		i->g->m->falls = MEMBER_STANDS;
	return i->stage == 2 ? 0 : i->stage ? 200 : some_s(100, 300);
}

static unsigned
incident_carrier(struct exchange *x, struct incident *i)
{
	if (!i->stage)
		for (unsigned n = 0; n < x->cnt; n++)
			x->guest[n].m->falls = MEMBER_MAY_FALL;
	if (i->stage < 2)
		sim_link_set("eth0", i->stage);
	if (i->stage < 2)
		return i->stage ? 240 : some_s(1, 60);
	for (unsigned n = 0; n < x->cnt; n++)
		x->guest[n].m->falls = MEMBER_STANDS;
	return 0;
}

static unsigned
clock_step(struct exchange *x, struct incident *i)
{
	int64_t by_s = (int64_t)sim_random(14400) - 7200;

	(void)x;
	(void)i;
	sim_clock_set(sim_clock_step() + by_s * (int64_t)SIM_S);
	return 0;
}

/* ---- validators ---- */

static unsigned
roa_churn(struct exchange *x, struct incident *i)
{
	static const char *const verb[] = { "adds", "removes" };
	char words[80];

	/* Each validator has the same records in the end. */
	for (unsigned c = 0; c < 2; c++) {
		snprintf(words, sizeof(words), "roa 30.0.%u.0/24 max 24 as 64503",
		    7 * c + i->stage / 2);
		exchange_act(x->cache[c], verb[i->stage % 2], words);
	}
	return i->stage == 11 ? 0 : some_s(5, 60);
}

static unsigned
validator_gone(struct exchange *x, struct incident *i)
{
	static const char *const verb[] = { "stops", "starts" };

	exchange_act(x->cache[0], verb[i->stage], "");
	return i->stage ? 0 : some_s(60, 900);
}

/* validators_gone - longer than the expire interval: no route is invalid any more. */
static unsigned
validators_gone(struct exchange *x, struct incident *i)
{
	static const char *const verb[] = { "stops", "starts" };

	if (i->stage < 2)
		for (unsigned c = 0; c < 2; c++)
			exchange_act(x->cache[c], verb[i->stage], "");
	return i->stage == 2 ? 0 : i->stage ? 120 : some_s(60, 2400);
}

/* ---- operators ---- */

static unsigned
empty_list(struct exchange *x, struct incident *i)
{
	i->g->empty_list = !i->stage;
	must_configure(x);
	return i->stage ? 0 : some_s(10, 600);
}

static unsigned
low_limit(struct exchange *x, struct incident *i)
{
	static const char *const action[] = { "warn", "block", "restart", "disable" };

	i->g->m->falls = MEMBER_MAY_FALL;
	if (!i->stage) {
		i->g->limit = 1 + (unsigned)sim_random(20);
		i->g->action = action[sim_random(4)];
	} else {
		i->g->limit = 0;
	}
	if (i->stage < 2)
		must_configure(x);
	if (i->stage < 2)
		return i->stage ? 330 : some_s(10, 600);
	i->g->m->falls = MEMBER_STANDS;
	return 0;
}

static unsigned
incident_maintenance(struct exchange *x, struct incident *i)
{
	char line[64];

	i->g->m->falls = MEMBER_MAY_FALL_ONCE;
	snprintf(
	    line, sizeof(line), "%s %s", i->stage ? "enable" : "disable", i->g->m->name);
	world_command(&x->w, line);
	return i->stage ? 0 : some_s(5, 300);
}

static unsigned
incident_commands(struct exchange *x, struct incident *i)
{
	static const char *const verb[] = { "reload in", "reload out", "reload",
		"restart" };
	unsigned v = (unsigned)sim_random(4);
	char line[64];

	if (v == 3)
		i->g->m->falls = MEMBER_MAY_FALL_ONCE;
	snprintf(line, sizeof(line), "%s %s", verb[v], i->g->m->name);
	world_command(&x->w, line);
	return i->stage == 5 ? 0 : some_s(15, 30);
}

/* renumbered - the file first, or the member first. */
static unsigned
incident_renumbered(struct exchange *x, struct incident *i)
{
	struct member *m = i->g->m;
	bool away = !strncmp(m->address, "10.0.1.", 7);

	if (!i->stage) {
		m->falls = MEMBER_MAY_FALL_ONCE;
		member_down(m, false);
		snprintf(
		    m->address, sizeof(m->address), "10.0.%u.%u", away ? 3 : 1, i->g->nr);
		return some_s(1, 60);
	}
	must_configure(x);
	member_up(m);
	return 0;
}

/* misconfigured - the operator sets @wrong, a mistake in the configuration of the
 * incident's member, and corrects the mistake at the next stage. */
static unsigned
incident_misconfigured(struct exchange *x, struct incident *i, bool *wrong)
{
	i->g->m->falls = MEMBER_MAY_FALL;
	*wrong = !i->stage;
	if (i->stage < 2)
		must_configure(x);
	if (i->stage < 2)
		return i->stage ? 330 : some_s(10, 300);
	i->g->m->falls = MEMBER_STANDS;
	return 0;
}

static unsigned
wrong_as(struct exchange *x, struct incident *i)
{
	return incident_misconfigured(x, i, &i->g->wrong_as);
}

static unsigned
wrong_password(struct exchange *x, struct incident *i)
{
	return incident_misconfigured(x, i, &i->g->password);
}

/* garbled - a file with an error changes nothing. */
static unsigned
incident_garbled(struct exchange *x, struct incident *i)
{
	bool taken;

	x->garbled = !i->stage;
	taken = exchange_configure(x);
	if (taken != !x->garbled)
		sim_fail("a file with a syntax error: %s", x->w.answer);
	return i->stage ? 0 : some_s(10, 100);
}

/* twice - two sessions with one address: refused, or the second one never comes up. */
static unsigned
incident_twice(struct exchange *x, struct incident *i)
{
	x->twice = !i->stage;
	exchange_configure(x);
	return i->stage ? 0 : some_s(10, 100);
}

static bool
incident_daemon_gone(void *arg)
{
	(void)arg;
	return !sim_daemon_runs(1);
}

/* restarted - with the members' help (-R), without, or by a crash. */
static unsigned
incident_restarted(struct exchange *x, struct incident *i)
{
	unsigned how = (unsigned)sim_random(3);

	if (i->stage)
		return 0;
	exchange_all_fall(x);
	if (how == 2)
		sim_daemon_crash(1);
	else
		world_command(&x->w, how ? "down" : "graceful restart");
	if (!sim_wait(incident_daemon_gone, NULL, sim_now() + 60 * SIM_S))
		sim_fail("ternd does not end within 60 s");
	sim_sleep(sim_now() + sim_random(20 * SIM_S));
	sim_daemon_start(how ? NULL : "-R");
	return 300;
}

const struct incident_kind incident_kind[] = {
	{ "leaves", true, false, incident_leaves },
	{ "joins", false, false, incident_joins },
	{ "leaks", true, false, incident_leaks },
	{ "flaps", true, false, incident_flaps },
	{ "stops reading", true, false, stops_reading },
	{ "refreshes", true, false, incident_refreshes },
	{ "malformed header", true, false, malformed_header },
	{ "mute", true, false, incident_mute },
	{ "short cut", true, false, short_cut },
	{ "long cut", true, false, long_cut },
	{ "carrier", false, true, incident_carrier },
	{ "clock step", false, false, clock_step },
	{ "roa churn", false, true, roa_churn },
	{ "validator gone", false, true, validator_gone },
	{ "validators gone", false, true, validators_gone },
	{ "empty list", true, false, empty_list },
	{ "low limit", true, false, low_limit },
	{ "maintenance", true, false, incident_maintenance },
	{ "commands", true, false, incident_commands },
	{ "renumbered", true, false, incident_renumbered },
	{ "wrong as", true, false, wrong_as },
	{ "wrong password", true, false, wrong_password },
	{ "garbled", false, true, incident_garbled },
	{ "twice", false, true, incident_twice },
	{ "restarted", false, true, incident_restarted },
};

const unsigned incident_kind_cnt = sizeof(incident_kind) / sizeof(incident_kind[0]);
