/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of a run, in order: announce, wait, change, break, and check again. */
#ifndef TERN_TEST_LOAD_STEP_H
#define TERN_TEST_LOAD_STEP_H

#include "test/load/load_proc.h"
#include "test/load/load_run.h"

#define LOAD_STEPS_MAX 128

struct load_flood;
struct load_step;

struct step_kind {
	const char *name, *help;
	double value; /* when none is given */
	void (*start)(struct load_run *r, struct load_step *s);
	bool (*done)(struct load_run *r, struct load_step *s);
};

/* owner: struct load_steps. */
struct load_step {
	const struct step_kind *kind;
	double a, b; /* `name=a:b`; b is negative when it wasn't given */
	bool started, finished;
	uint64_t start_ns, end_ns;
	uint64_t median_ns, last_ns; /* until clients were complete */
	uint64_t rx_octets, rx_msgs, prefixes, withdrawn; /* received during the step */
	uint64_t lacked; /* as in load_board.h, during the step */
	uint64_t changes; /* announcements and withdrawals by steps, meanwhile */
	struct load_usage usage; /* at its end */

	/* flaps and the pair: one sample per flap and client, and the last client of each
	 * flap */
	uint64_t *sample, *last;
	uint32_t sample_cnt, sample_cap, flap_cnt;
	uint64_t lag_ns; /* longest turn of our own loop meanwhile */
	uint64_t gap_ns, gap_median_ns; /* longest between UPDATEs; looked for if not 0 */

	/* private to the kinds */
	uint32_t left, route, set;
	uint64_t at_ns;
	bool busy;
};

struct load_steps {
	struct load_step step[LOAD_STEPS_MAX];
	uint32_t cnt, cur;
	double rate; /* changes a second in the background */
	uint64_t rate_ns;
	double beacon; /* changes a second of one route */
	uint64_t beacon_ns;
	uint32_t beacon_route, beacon_set;
	struct load_flood *flood; /* clients that flood */
	uint32_t flood_cnt;
	bool settled; /* everything that is announced at first is where it must be */
	uint64_t lacked_before; /* load_steps_lacked's, until then */
	uint64_t held_ns; /* spent in `hold`, which no time limit ends */
	uint64_t changes; /* announcements and withdrawals by steps */
};

extern const struct step_kind *const load_step_kinds[];

/* load_steps_parse - "announce,settle=200,flap=100,drop=10:0.5". Returns: 0, or -EINVAL
 * after saying why on stderr. */
int load_steps_parse(struct load_steps *ss, const char *text);
/* load_steps_in_parts - can several ternloads do these steps together? If not, it says
 * so on stderr: only what is drawn alike by all can be. */
bool load_steps_in_parts(const struct load_steps *ss);
void load_steps_fini(struct load_steps *ss);
/* load_steps_tick - go on as far as possible. Returns: false when all steps are done. */
bool load_steps_tick(struct load_run *r);
/* load_steps_lacked - nets that clients lost (load_board.h) since `settle` ended for the
 * first time. */
uint64_t load_steps_lacked(const struct load_run *r);
/* load_steps_quiet - is every client complete, apart from those that were stopped on
 * purpose? */
bool load_steps_quiet(const struct load_run *r);
/* load_steps_lag - a turn of the loop that began at @began_ns is over. */
void load_steps_lag(struct load_steps *ss, uint64_t began_ns);
bool load_step_is_hold(const struct load_step *s);
/* load_percentile - of @cnt sorted values; 0 if there are none. */
uint64_t load_percentile(const uint64_t *v, uint32_t cnt, double p);
void load_sort(uint64_t *v, uint32_t cnt);

/* Steps that change something (load_step_change.c) or break something
 * (load_step_break.c), or the server's policy (load_step_policy.c). */
extern const struct step_kind step_churn, step_flap, step_busyflap, step_rate;
extern const struct step_kind step_garbage, step_mute;
extern const struct step_kind step_drop, step_stall, step_unstall, step_refresh,
    step_storm;
extern const struct step_kind step_die, step_join, step_feed;
/* load_step_unlist - the first @cnt routes of client 0 aren't in its list of prefixes. */
void load_step_unlist(struct load_run *r, uint32_t cnt);
extern const struct step_kind step_beacon, step_mark, step_unlisted, step_irr;
/* Steps that keep the server busy (load_step_busy.c). */
extern const struct step_kind step_flood, step_pair;
/* load_flood_tick - more of what clients flood with, where the socket has taken all. */
void load_flood_tick(struct load_run *r);
void load_flood_fini(struct load_steps *ss);
/* load_beacon_tick - change the beacon's route if it is time. */
void load_beacon_tick(struct load_run *r);
/* load_choose_route - the best route of some net that everyone sees, of a client that
 * is up; @not_first: client 0, whose table may be under way, has none for that net.
 * Returns: LOAD_NONE if none is found. */
uint32_t load_choose_route(struct load_run *r, bool not_first);
/* load_churn - change @cnt random routes. */
void load_churn(struct load_run *r, uint32_t cnt);

#endif
