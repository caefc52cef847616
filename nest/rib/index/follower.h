/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A follower keeps a structure derived from a table: a worker whose reader tells each
 * changed net.
 *
 *      follower_start   the table is used; the worker runs
 *      attached         the table knows the reader, which follows the journal
 *      leaving          ops->leave; the reader leaves the table
 *      left             the table has forgotten the reader; grace periods may be open
 *      gone             ops->free, in the last turn of the worker
 *
 * G1  ops->net comes for each net that changes. The table does not reuse the net's id
 *     until ops->flush after a withdrawal has returned.
 * G2  ops->leave comes once, after ops->attached. No ops->net comes after ops->leave.
 * G3  ops->free comes when the reader has left and each follower_grace_begin has a
 *     follower_grace_end.
 *
 * Loop: the follower's worker, unless a function says otherwise. Owner: the object that
 * embeds the follower. Life: until ops->free returns, or longer. */
#ifndef TERN_NEST_RIB_INDEX_FOLLOWER_H
#define TERN_NEST_RIB_INDEX_FOLLOWER_H

#include "lib/base/check.h"
#include "lib/mem/arena.h"
#include "nest/rib/read.h"
#include "sysdep/loop/loop.h"

struct follower;
struct table;
struct tern;

/* Constant. */
struct follower_ops {
	/* nets between two flushes, plus the rest of a segment */
	uint32_t flush_nets;
	/* net - net @id may have changed; @has: the segment says that the net has a
	 * route. If the table is newer than the segment, a further call follows. */
	void (*net)(struct follower *f, uint32_t id, bool has);
	/* holds - number of nets of the range whose withdrawal matters. */
	uint32_t (*holds)(const struct follower *f, uint32_t id, uint32_t cnt);
	/* flush - all nets of a batch were told. */
	void (*flush)(struct follower *f);
	/* start - first call in the worker. NULL: no call. */
	void (*start)(struct follower *f);
	/* attached - the reader follows the journal from its present end; reader_all
	 * tells the nets that exist. */
	void (*attached)(struct follower *f);
	/* run - at the end of each turn. @idle: no segment is left. NULL: no call. */
	void (*run)(struct follower *f, bool idle);
	/* leave - other threads must not find the follower from now on. */
	void (*leave)(struct follower *f);
	/* free - free the parts, and the follower if no other thread has a reference. */
	void (*free)(struct follower *f);
};

/* Owner: the worker; other threads use only constant fields and post messages. Life:
 * embedded in the index. Freed by: follower_gone, which calls ops->free. */
struct follower {
	struct worker worker;
	struct reader reader;
	struct arena arena; /* of the reader, for one callback */
	const struct follower_ops *ops; /* constant */
	struct tern *tern; /* constant */
	struct table *table; /* constant; used (table_use) until the worker ends */
	bool attached, leaving, left;
	bool asked; /* follower_leave came before the table's answer */
	uint32_t graces; /* open grace periods */
};

/* follower_init - use @t, and initialise the reader. Control worker, or the thread that
 * makes the follower. */
void follower_init(struct follower *f, struct tern *tern, struct table *t,
    const struct follower_ops *ops);
/* follower_start - launch the worker with name @name. After follower_init, when all parts
 * are ready. Any thread. */
void follower_start(struct follower *f, const char *name);
/* follower_leave - leave the table, now or when the table has answered. Further calls
 * have no effect. */
void follower_leave(struct follower *f);
/* follower_grace_begin - a message to the worker follows a grace period.
 * follower_grace_end - the message came. */
void follower_grace_begin(struct follower *f);
void follower_grace_end(struct follower *f);
/* follower_msg - a message for a follower; @fn frees the message by follower_msg_free.
 * Any thread. */
OWNED struct msg *follower_msg(void (*fn)(struct worker *w, TAKE struct msg *m));
void follower_msg_free(TAKE struct msg *m);

static inline struct follower *
follower_of_worker(struct worker *w)
{
	return container_of(w, struct follower, worker);
}

#endif
