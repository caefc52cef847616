/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of ternload. */
#ifndef TERN_TEST_LOAD_OPT_H
#define TERN_TEST_LOAD_OPT_H

#include "lib/net/ip.h"

#define LOAD_PIDS_MAX  16
#define LOAD_PATHS_MAX 16

/* owner: main; lives: for the run. Texts point into argv. */
struct load_opt {
	struct ip_addr server;
	uint32_t port, server_as;
	uint32_t clients;
	struct ip_addr first_address;
	uint32_t first_as;
	uint32_t as2; /* so many clients, the first, speak 2-octet AS numbers only */
	uint32_t hold_s;
	uint32_t ttl; /* 0: the system's */
	const char *password;
	uint32_t burst; /* connects at a time */
	/* octets that the system holds of what a client sends; 0: as it likes */
	uint32_t sndbuf;
	uint32_t rcvbuf; /* octets that the system takes for a client; 0: as it likes */
	bool at_once; /* announce as soon as a session is up */
	bool allow_loss;

	unsigned families; /* 1 << enum family */
	const char *prefixes;
	uint32_t nets;
	double ratio;
	double share;
	uint32_t sets_per_client;
	bool interleave;
	bool plain;
	bool filter;
	bool own_filter;
	bool no_prepends; /* nobody asks for a longer path */
	uint32_t full; /* prefixes of client 0; 0: it is as the others are */
	bool lists;
	uint32_t unlisted;
	/* prefixes in all lists, with --lists; 0: those that are announced */
	uint32_t irr;
	/* the lists and the community are those after so many reloads */
	uint32_t irr_reload;
	bool pair;
	uint32_t mark;
	bool lenient;
	/* what the server does, as in its OPEN: ADD_PATH_* (load_msg.h) */
	uint32_t add_paths;
	bool allow_unknown; /* withdrawals of what isn't held are no failure */
	uint32_t no_add_paths; /* so many clients, the first, don't know of it */
	uint32_t paths; /* of a client and net, at most */
	bool secondary;
	bool imex; /* import and export tables, in a configuration */
	bool multi;
	bool direct;
	uint32_t silent; /* so many clients, the last, announce nothing */
	/* clients that are played here; the others are elsewhere */
	uint32_t play_first, play_end;
	bool stepwise; /* wait to be told before steps (load_gate.h) */
	uint32_t curve_ms; /* 0: no curve */
	const char *hashes; /* file for what each client held */
	bool routes; /* print what is announced and leave */
	uint64_t seed;
	const char *mrt;
	bool shuffle;
	uint64_t shuffle_seed;

	const char *steps;
	char extra_steps[256]; /* of --flap and its like: ",flap=100" */
	uint32_t time_limit_s;
	int pid[LOAD_PIDS_MAX];
	unsigned pid_cnt;
	uint32_t report; /* differences to name */
	const char *then;
	bool quiet;

	const char *reload;
	bool conf_change; /* print what changes only */
	const char *conf; /* print a configuration for this daemon and leave */
	const char *run_dir;
	uint32_t error_wait_s; /* 0: the daemon's own */
};

/* load_opt_parse - Returns: 0; 1: help was printed; -EINVAL: said so on stderr. */
int load_opt_parse(struct load_opt *o, int argc, char **argv);

#endif
