/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of test/sim share this header: the one root of the simulation's state. */
#ifndef TERN_TEST_SIM_PRIV_H
#define TERN_TEST_SIM_PRIV_H

#include "test/sim/sim.h"

/* The file in force (conf_now.c). Owner: the world. Life: the run. */
struct sim_conf_now {
	char *now; /* NULL: the daemon has read no file */
	char *safe; /* the confirmed file, while another file is in force for a time */
	char *prev; /* what `configure undo` goes back to */
	uint64_t since_ns; /* when the daemon read the file */
	uint64_t undo_ns; /* when the confirmed file comes back; 0: never */
	const char *unsure; /* why nobody knows what is in force; NULL: the file is */
};

/* owner: the process. lives: from sim_init on; life.c keeps the pointer across lives of
 * the daemon. */
struct sim_state {
	struct sched *sched; /* sched.c */
	struct sim_trace *trace; /* trace.c */
	struct sim_attrs *attrs; /* rib.c */
	struct sim_threads *threads[SIM_DAEMON_MAX]; /* thread.c */
	struct sim_fds *fds; /* fd.c */
	struct epoll *epolls; /* epoll.c */
	struct sim_net *net; /* sock.c */
	void *udp; /* udp.c */
	struct kroutes *routes; /* kroutes.c */
	struct sim_disk *disk; /* file.c */
	struct sim_links *links; /* link.c */
	void *netlink; /* netlink.c */
	struct neighbors *neighbors; /* neigh.c */
	struct sim_life *life; /* life.c */
	struct sim_memory *memory; /* memory.c */
	void *story; /* story.c */
	const char *place; /* the line of the story under way, "NAME:LINE"; or NULL */
	void (*pump)(void); /* called before each choice of a task */
	int64_t clock_step_ns; /* calendar time, beside the start of the world */
	FILE *script; /* script.c; NULL: no script */
	bool script_pauses;
	uint64_t script_ns; /* begin of the script */
	struct sim_conf_now file;
	bool has_orders; /* of operators, which outlive the daemon (world.c) */
	bool alone; /* the running task is the last task: nobody else ever runs */
	bool reap; /* tasks were marked as done by another */
	void (*failed)(void); /* called once before a failed run ends; may be NULL */
};

extern struct sim_state *sim;

/* sim_root - the part of the state at @at, made of @len zero octets at the first call. */
void *sim_root(void *at, size_t len);

#endif
