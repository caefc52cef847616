/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A dump: the steps (mrt_dump.c), the records of nets (mrt_dump_nets.c) and the buffer
 * (mrt_dump_buf.c). Loop: the dump's. */
#ifndef TERN_NEST_MRT_MRT_DUMP_PRIV_H
#define TERN_NEST_MRT_MRT_DUMP_PRIV_H

#include "lib/mem/arena.h"
#include "lib/mt/rcu.h"
#include "lib/wire/wbuf.h"
#include "nest/mrt/mrt_dump.h"
#include "nest/mrt/mrt_file.h"
#include "nest/mrt/mrt_peers.h"
#include "sysdep/loop/loop.h"

struct filter_thread;
struct overlay;
struct table;
struct tern;

#define MRT_BUFFER_MIN (1u << 20)
#define MRT_BUFFER_MAX (1u << 30)
/* limit for the records of one net; 65,535 typical entries need a tenth */
#define MRT_NET_MAX (1u << 28)

enum phase { PHASE_NEXT, PHASE_PEERS, PHASE_WALK, PHASE_END };

/* Owner: the worker of the dump. Life: from mrt_dump_start until the worker ends. Freed
 * by: mrt_dump_gone. */
struct mrt_dump {
	struct worker worker;
	struct tern *tern;
	struct mrt_ask *ask;
	enum phase phase;
	/* real_ns: difference of real time and monotonic time */
	uint64_t began_ns, real_ns;
	uint32_t time_s;
	/* names of the tables to dump: */
	char **name; /* MEM_OTHER */
	uint32_t name_cnt, next;
	/* the present table: */
	uint64_t table_nr;
	uint32_t pos, seq;
	struct mrt_peers peers;
	bool has_peers;
	/* overlay state of the present table at its start; NULL: no overlay */
	struct overlay *over;
	/* the present file: */
	struct mrt_file file;
	uint8_t *buf;
	size_t cap;
	struct wbuf out;
	/* for filters: */
	struct filter_thread *ft;
	struct arena arena;
	size_t net_at; /* octets in the buffer before the present net */
	uint64_t lost; /* entries left out because a record was full */
};

/* A table found by a step. Owner: the step, on the stack. Life: until the RCU section
 * ends. */
struct mrt_found {
	const struct table *table; /* NULL: the table does not exist */
	struct rcu_loan loan;
};

/* mrt_dump_table - the borrowed table. The loan has not ended. */
static inline const struct table *
mrt_dump_table(const struct mrt_found *f)
{
	DCHECK(rcu_is_lent(&f->loan));
	return f->table;
}

/* mrt_dump_grow - enlarge the buffer and keep its contents. */
void mrt_dump_grow(struct mrt_dump *d);

/* mrt_dump_net - write the records of the net with number @id in @f. mrt_dump_net_over -
 * write the records of the net with number @pos in the overlay @o. Under RCU. */
void mrt_dump_net(struct mrt_dump *d, const struct mrt_found *f, uint32_t id);
void mrt_dump_net_over(struct mrt_dump *d, const struct overlay *o, uint32_t pos);

#endif
