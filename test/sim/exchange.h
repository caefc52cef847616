/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A long day of an exchange: the exchange (exchange.c) and the day's incidents
 * (incident.c). */
#ifndef TERN_TEST_SIM_EXCHANGE_H
#define TERN_TEST_SIM_EXCHANGE_H

#include "test/sim/rest.h"

#define EXCHANGE_MAX 200 /* members */
#define OWN_CNT      48 /* prefixes of a member */
#define TRANSIT_CNT  64 /* prefixes that every member may announce */

/* A member as the operator knows the member. */
struct guest {
	struct member *m;
	unsigned nr; /* from 1 on */
	bool joined; /* the configuration has the member */
	bool busy; /* an incident concerns the member */
	bool ipv6;
	/* operator errors */
	bool empty_list, password, wrong_as;
	unsigned limit; /* 0: none */
	const char *action; /* of the limit */
	uint64_t list; /* bit n: the member's list has the member's n-th prefix */
};

struct exchange {
	struct world w;
	struct guest guest[EXCHANGE_MAX];
	unsigned cnt, threads, style;
	bool twice; /* two members with one address in the file */
	bool garbled; /* a syntax error in the file */
	struct actor *cache[2];
	unsigned incidents; /* under way */
	uint64_t changes; /* announced and withdrawn routes */
};

/* An incident under way. owner: the exchange. */
struct incident {
	const struct incident_kind *kind;
	struct guest *g; /* the concerned member, or NULL */
	unsigned stage;
	uint64_t due_ns;
};

struct incident_kind {
	const char *name;
	bool of_guest; /* concerns a member that has joined */
	bool alone; /* no other incident meanwhile */
	/* step - Returns: seconds until the next stage; 0: the incident is over. */
	unsigned (*step)(struct exchange *x, struct incident *i);
};

extern const struct incident_kind incident_kind[];
extern const unsigned incident_kind_cnt;

/* exchange_configure - write all files and have the daemon read the files. Returns: did
 * the daemon accept? */
bool exchange_configure(struct exchange *x);
/* exchange_write - the files alone. */
void exchange_write(struct exchange *x);
/* exchange_draw_list - draw a new list of prefixes for the member. */
void exchange_draw_list(struct guest *g);
/* exchange_burst - the member changes up to @cnt routes. Returns: the number of
 * changes. */
unsigned exchange_burst(struct guest *g, unsigned cnt);
/* exchange_act - let an actor of the exchange perform @verb; a failure fails the run. */
void exchange_act(struct actor *a, const char *verb, const char *words);
/* exchange_all_fall - allow every session a single end. */
void exchange_all_fall(struct exchange *x);

/* exchange_run - @hours hours with @members members and @rate changes a second. */
void exchange_run(unsigned members, unsigned hours, unsigned rate);

#endif
