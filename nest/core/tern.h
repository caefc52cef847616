/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The daemon as a whole: objects that all parts share. main makes a single struct tern
 * and passes the object to all parts. nest/core is the lowest folder of nest, and
 * includes no file of the folders above.
 *
 * Loop: any thread reads; each function names the threads that may call the function. */
#ifndef TERN_NEST_CORE_TERN_H
#define TERN_NEST_CORE_TERN_H

#include "lib/base/check.h"
#include "lib/base/htab.h"
#include "lib/mt/atomic.h"
#include "lib/mt/bump.h"
#include "lib/mt/rcu.h"
#include "lib/mt/spare.h"
#include "nest/core/exe_file.h"
#include "nest/core/recovery.h"
#include "sysdep/iface/iface.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/page_file.h"
#include "sysdep/os/sandbox.h"

struct attr_store;
struct cmd;
struct config_ref;
struct control_ops;
struct event_ring;
struct overrides;
struct proto;
struct proto_class;
struct rpki_index;
struct seg_class;
struct table;

/* A program's addition to the daemon: a worker and commands. Owner: the program. Lives:
 * from shadow_part_new until part_free (struct program). */
struct tern_part {
	/* start - in main, before the control worker starts; the part counts its worker
	 * (tern_last_worker_start). */
	void (*start)(struct tern_part *p);
	/* stop - in the control worker, when instances and tables are gone. */
	void (*stop)(struct tern_part *p);
	const struct cmd *commands; /* nest/cli/cmd_list.h; ends with words NULL */
};

/* The readers' list of instances and tables. Immutable; the control worker replaces the
 * whole list. Owner: the control worker. Lives: until a grace period after the
 * publication of the next view; an RCU callback frees the view. */
struct tern_view {
	struct rcu_node rcu;
	struct config_ref *conf; /* counted by the view */
	char *conf_bad; /* failure of the last `configure`; NULL: success. MEM_CONFIG */
	unsigned conf_bad_place_len; /* octets of conf_bad that are its place */
	uint64_t conf_bad_ns; /* when */
	char *state_bad; /* fault of the state file; or NULL. MEM_CONFIG */
	/* about MAC addresses: lines with the name of a member, a tab, a text; or NULL.
	 * MEM_CONFIG */
	char *lan;
	uint64_t conf_time_ns; /* of the last reconfiguration */
	uint64_t nr; /* number of the view */
	uint32_t proto_cnt, table_cnt;
	struct proto **proto;
	struct table **table;
	uint32_t rpki_cnt;
	struct rpki_index **rpki; /* those of tables with an index */
};

/* Shared messages to peers. Owner: main. Life: as struct tern. Part of struct tern, freed
 * by main. */
struct tern_messages {
	/* where shared messages lie; NULL: in malloc's memory */
	struct page_file *file;
	struct bump_pages pages; /* for the messages of lib/mt/bump.h */
};

/* Idle objects, for the next worker that needs one. Any thread. Owner: main. Life: as
 * struct tern. Part of struct tern, freed by main. */
struct tern_spares {
	struct spare filter_threads; /* idle struct filter_thread */
	struct spare arena_chunks; /* idle chunks of channels' arenas */
	struct spare tx_lists; /* idle lists of bgp_tx */
};

/* Monitors of sessions. nest/monitor/monitor.c. Owner: main. Life: as struct tern. Part
 * of struct tern, freed by main. */
struct tern_monitors {
	struct pubptr list; /* nest/monitor/monitor.h; NULL: no list yet */
	struct pub32 nr; /* number of the list */
	struct counter32 lives; /* numbers of lives of sessions */
};

/* Instances of BFD. nest/bfd/bfd_ask.c. Owner: main. Life: as struct tern. Part of struct
 * tern, freed by main. */
struct tern_bfd {
	struct pubptr list; /* nest/bfd/bfd_ask.h; NULL: no instance is up */
	struct pub32 nr; /* number of the list */
};

/* Numbers and names of tables. Owner: the control worker. Life: as struct tern. Part of
 * struct tern, freed by main. */
struct tern_tables {
	struct counter64 numbers; /* number of the newest table */
	struct htab by_name; /* struct tern_table by name */
};

/* Workers that have not ended. nest/core/life.c. Owner: main. Life: as struct tern. Part
 * of struct tern, freed by main. */
struct tern_workers {
	/* tables, instances, CLI sessions that have not ended; without `last` */
	struct counter32 cnt;
	/* workers that end when `cnt` is 0, the control worker among them */
	struct counter32 last;
};

/* The process: constant after start. Owner: main. Life: as struct tern. */
struct tern_process {
	uint64_t start_ns; /* monotonic */
	const char *instance; /* of `ternd -n`; NULL: none */
	struct exe_file program;
	uint32_t thread_limit; /* 0: a thread a worker */
	struct sandbox_active sandbox;
};

/* Clients of all control sockets. nest/cli/cli.c. Owner: main. Life: as struct tern. Part
 * of struct tern, freed by main. */
struct tern_clients {
	struct counter32 cnt;
	/* most clients, by descriptors left beside members; control's */
	struct pub32 max;
};

/* The control plane, for other folders. Constant. Owner: main. Life: as struct tern. */
struct tern_control {
	struct worker *worker; /* takes struct msg of nest/core/control.h */
	const struct control_ops *ops; /* for the control worker */
	const struct cmd *commands; /* nest/cli/cmd_list.h */
};

/* Owner: main. Lives: as long as the process. Freed by: main. */
struct tern {
	struct attr_store *store; /* constant */
	struct origins *origins; /* constant; nest/rib/source.h */
	struct tern_messages messages;
	struct tern_spares spare;
	/* constant; proto/bgp/out/session_class.h */
	struct class_registry *session_classes;
	/* constant; nest/rib/stream/segment.h. NULL: sinks store nothing in segments */
	const struct seg_class *seg_class;
	/* listener of a class for its instances (bgp_listen.h) */
	struct pubptr listener;
	struct pubptr mrt_log; /* nest/mrt/mrt_log.h; NULL: no log yet */
	struct tern_monitors monitors;
	struct tern_bfd bfd;
	struct tern_tables tables;
	/* The daemon opens no session: connections are pairs of sockets
	 * (bgp_listen_inject). The daemon writes no file that a live server with an equal
	 * configuration writes. Constant */
	bool dry_run;
	struct tern_part *part; /* NULL: none. Constant */
	struct pubptr view; /* struct tern_view * */
	struct tern_workers workers;
	struct tern_process process;
	struct pub32 router_id;
	struct tern_clients clients;
	struct pub32 shutting_down;
	/* struct overrides *: in force; NULL: none. By the control worker */
	struct pubptr overrides;
	struct recovery recovery; /* from our own graceful restart */
	const struct proto_class *const *classes; /* ends with NULL; constant */
	struct iface_source ifaces; /* runs in its own worker */
	/* nest/event/event_ring.h; NULL: no events are kept. Constant after start */
	struct event_ring *events;
	struct tern_control control;
};

/* tern_overrides_get - the overrides in force; NULL: none. Any thread, under RCU. */
static inline const struct overrides *
tern_overrides_get(const struct tern *t)
{
	return load_acquire_ptr(&t->overrides); /* pairs: TOVERRIDE */
}

/* tern_view_get - under RCU; never NULL after start. */
static inline const struct tern_view *
tern_view_get(const struct tern *t)
{
	DCHECK(rcu_is_online());
	return load_acquire_ptr(&t->view); /* pairs: TVIEW */
}

/* A table under its name. Owner: the control worker, which embeds the struct. Lives: from
 * tern_table_add to tern_table_del. */
struct tern_table {
	/* private */
	struct htab_node by_name;
	const char *name;
	struct table *table;
};

/* tern_table_add - @name lives until tern_table_del. Control worker. */
void tern_table_add(
    struct tern *t, struct tern_table *tt, const char *name, struct table *table);
void tern_table_del(struct tern *t, struct tern_table *tt);
/* tern_table_find - NULL: no table has this name. Control worker. */
struct tern_table *tern_table_find(const struct tern *t, const char *name);
/* tern_table_of - the existing table that a configuration calls @name. Control worker or
 * cls->make. */
struct table *tern_table_of(const struct tern *t, const char *name);

/* tern_worker_start, tern_worker_gone - count a worker. The control worker and the other
 * last workers end when the count is 0. Any thread. */
static inline void
tern_worker_start(struct tern *t)
{
	counter32_add(&t->workers.cnt, 1);
}

/* tern_last_worker_start - count a worker that ends last: the control worker sends the
 * worker the message to end. Control worker, or before the control worker's start. */
static inline void
tern_last_worker_start(struct tern *t)
{
	counter32_add(&t->workers.last, 1);
}

/* tern_part_start, tern_part_stop - call the functions of the program's part, if any. */
static inline void
tern_part_start(struct tern *t)
{
	if (t->part)
		t->part->start(t->part);
}

static inline void
tern_part_stop(struct tern *t)
{
	if (t->part)
		t->part->stop(t->part);
}

void tern_worker_gone(struct tern *t);
/* tern_last_worker_gone - a worker that tern_last_worker_start counted has ended. The
 * last call lets the process end. Any thread. */
void tern_last_worker_gone(struct tern *t);
/* tern_proto_gone - an instance's worker is gone: remove @p from all lists, then free @p.
 * Any thread. */
void tern_proto_gone(struct tern *t, TAKE struct proto *p);

#endif
