/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The curve of a run: the share of correct nets over time (--curve). */
#ifndef TERN_TEST_LOAD_CURVE_H
#define TERN_TEST_LOAD_CURVE_H

#include "lib/base/base.h"

struct load_run;

struct load_point {
	uint64_t at_ns;
	uint64_t wrong; /* nets of all clients that aren't as they must be */
	uint32_t complete; /* clients that are */
};

/* owner: struct load_run. */
struct load_curve {
	struct load_point *point;
	uint32_t cnt, cap;
};

/* load_curve_take - note a point if it is time and something has changed. */
void load_curve_take(struct load_run *r);
/* load_curve_json - as a member of an object: seconds since @start_ns, nets, clients. */
void load_curve_json(const struct load_curve *v, uint64_t start_ns);
void load_curve_fini(struct load_curve *v);

#endif
