/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table_rest tells whether a table has done all requested work: for tests that compare at
 * rest. */
#ifndef TERN_TEST_LIB_TABLE_REST_H
#define TERN_TEST_LIB_TABLE_REST_H

#include "nest/rib/table_priv.h"
#include <semaphore.h>

/* A question to the table: is it in the middle of removing the paths of those who
 * left? */
struct rest {
	struct msg msg;
	sem_t answered;
	bool walks;
};

static inline void
handle_rest(struct worker *w, TAKE struct msg *m)
{
	struct rest *r = container_of(m, struct rest, msg);

	r->walks = table_walk_is_on(container_of(w, struct table, worker));
	sem_post(&r->answered);
}

/* table_walks - Blocks: until the table's worker has finished what it is at. Not in a
 * worker. */
static inline bool
table_walks(struct table *t)
{
	struct rest r = { .msg.handle = handle_rest };

	sem_init(&r.answered, 0, 0);
	worker_post(&t->worker, &r.msg);
	sem_wait(&r.answered);
	sem_destroy(&r.answered);
	return r.walks;
}

#endif
