/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of ternload: one table gives names, places and help. */
#include "test/load/load_opt.h"

#include "lib/base/scan.h"
#include "test/load/load_step.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum opt_type {
	T_U32,
	T_U64,
	T_REAL,
	T_TEXT,
	T_ADDRESS,
	T_FLAG,
	T_NO_FLAG,
	T_STEP,
	T_OTHER
};

struct opt_def {
	const char *name;
	const char *arg; /* NULL: takes none */
	const char *help;
	size_t at;
	uint64_t max;
	enum opt_type type;
};

#define AT(member) offsetof(struct load_opt, member)

static const struct opt_def opt_defs[] = {
	{ "server", "ADDR", "the route server (127.0.0.1)", AT(server), 0, T_ADDRESS },
	{ "port", "N", "port of the server (1790)", AT(port), 65535, T_U32 },
	{ "server-as", "N", "AS number of the server (65000)", AT(server_as), UINT32_MAX,
	    T_U32 },
	{ "clients", "N", "clients to play (10)", AT(clients), 65000, T_U32 },
	{ "first-address", "ADDR",
	    "address of the first client, the other clients follow (127.0.1.1)",
	    AT(first_address), 0, T_ADDRESS },
	{ "first-as", "N", "AS of the first client, the other clients follow (100000)",
	    AT(first_as), UINT32_MAX - 65536, T_U32 },
	{ "as2", "N", "the first N clients speak 2-octet AS numbers only (AS 20000 ...)",
	    AT(as2), 40000, T_U32 },
	{ "hold-time", "S", "(180)", AT(hold_s), 65535, T_U32 },
	{ "ttl", "N", "of packets sent", AT(ttl), 255, T_U32 },
	{ "password", "TEXT", "TCP MD5 (RFC 2385)", AT(password), 0, T_TEXT },
	{ "connect-burst", "N", "sessions being set up at a time (64)", AT(burst), 65000,
	    T_U32 },
	{ "rcvbuf", "OCTETS",
	    "received ahead of a client at most, as by a router (as the system likes)",
	    AT(rcvbuf), 1u << 30, T_U32 },
	{ "sndbuf", "OCTETS", "held of a client's output, at most (as the system likes)",
	    AT(sndbuf), 1u << 30, T_U32 },
	{ "at-once", NULL, "announce when a session is up, not when all are", AT(at_once),
	    0, T_FLAG },
	{ "allow-loss", NULL, "sessions that go down and return are no failure",
	    AT(allow_loss), 0, T_FLAG },
	{ "family", "4|6|both", "(4)", AT(families), 0, T_OTHER },
	{ "prefixes", "FILE",
	    "prefixes, one a line, .gz allowed; without FILE ternload makes prefixes up",
	    AT(prefixes), 0, T_TEXT },
	{ "nets", "N", "different prefixes (1000)", AT(nets), 20000000, T_U32 },
	{ "ratio", "R", "clients that announce a net, on average (2.4)", AT(ratio), 64,
	    T_REAL },
	{ "share", "K",
	    "prefixes of a client that share their attributes, on average (4)", AT(share),
	    100000, T_REAL },
	{ "sets-per-client", "N", "attribute sets of each client, of equal size",
	    AT(sets_per_client), UINT32_MAX, T_U32 },
	{ "interleave", NULL, "no two prefixes share an UPDATE", AT(interleave), 0,
	    T_FLAG },
	{ "plain", NULL,
	    "no unusual attributes, and no route that the import filter rejects",
	    AT(plain), 0, T_FLAG },
	{ "no-filter", NULL, "the server has no import filter", AT(filter), 0,
	    T_NO_FLAG },
	{ "own-filter", NULL,
	    "each client's export filter obeys control communities (RFC 7948, 4.6)",
	    AT(own_filter), 0, T_FLAG },
	{ "no-prepends", NULL, "no client asks for a longer path, with --own-filter",
	    AT(no_prepends), 0, T_FLAG },
	{ "full", "N",
	    "client 0 announces N prefixes, including the prefixes of all clients, and "
	    "is away at first",
	    AT(full), 20000000, T_U32 },
	{ "lists", NULL, "each client's import filter has a list of its prefixes",
	    AT(lists), 0, T_FLAG },
	{ "unlisted", "N", "the first N prefixes of client 0 aren't in its list",
	    AT(unlisted), UINT32_MAX, T_U32 },
	{ "irr", "N",
	    "as --lists, with N prefixes in all, and a community that reloads change",
	    AT(irr), 100000000, T_U32 },
	{ "irr-reload", "N", "as after N reloads", AT(irr_reload), 1000, T_U32 },
	{ "pair", NULL, "two more members, for step pair", AT(pair), 0, T_FLAG },
	{ "mark", "N", "the server adds community (server AS, N) to all routes sent",
	    AT(mark), 65535, T_U32 },
	{ "lenient", NULL,
	    "for other daemons: any route may go to a client with the best route; "
	    "LOCAL_PREF is ignored",
	    AT(lenient), 0, T_FLAG },
	{ "add-paths", "tx|rx|on",
	    "the server's own setting (RFC 7911). tx: the server sends clients all paths "
	    "of a net; rx: the server takes several paths of a client; on: both",
	    AT(add_paths), 0, T_OTHER },
	{ "allow-unknown", NULL,
	    "withdrawals of paths that a client doesn't hold are no failure: bird2 "
	    "withdraws paths that were never sent",
	    AT(allow_unknown), 0, T_FLAG },
	{ "no-add-paths", "N", "the first N clients lack ADD-PATH", AT(no_add_paths),
	    65000, T_U32 },
	{ "paths", "N", "of a client and net, at most, with --add-paths rx or on (1)",
	    AT(paths), LOAD_PATHS_MAX, T_U32 },
	{ "secondary", NULL,
	    "a client that may not have the best path gets the next allowed path",
	    AT(secondary), 0, T_FLAG },
	{ "imex", NULL, "import and export tables, in a configuration", AT(imex), 0,
	    T_FLAG },
	{ "multi", NULL,
	    "a table for each client; the pipe lets the allowed routes in: if the "
	    "client's own route is the best allowed route, the client gets no route",
	    AT(multi), 0, T_FLAG },
	{ "silent", "N", "the last N clients announce no route", AT(silent), 65000,
	    T_U32 },
	{ "play", "A:B",
	    "play only clients A to B - 1; other ternloads with equal options play the "
	    "other clients",
	    0, 0, T_OTHER },
	{ "stepwise", NULL,
	    "before connecting, before steps that change routes and before the end: "
	    "report on stdout, and wait for `go TIME` on stdin",
	    AT(stepwise), 0, T_FLAG },
	{ "curve", "MS", "tell every so often how much is right", AT(curve_ms), 100000,
	    T_U32 },
	{ "hashes", "FILE", "write a hash of each client's routes at the end to FILE",
	    AT(hashes), 0, T_TEXT },
	{ "routes", NULL, "print each client's announcements, and leave", AT(routes), 0,
	    T_FLAG },
	{ "direct", NULL,
	    "clients and server are in a real network, not on loopback: `direct` in a "
	    "configuration (with --first-address 100.64.0.1 next hops are in the "
	    "network, too)",
	    AT(direct), 0, T_FLAG },
	{ "seed", "N", "of all that is random (1)", AT(seed), UINT64_MAX, T_U64 },
	{ "mrt", "FILE", "replay the peers of a BGP4MP file", AT(mrt), 0, T_TEXT },
	{ "shuffle", "SEED", "replay in random order between peers", AT(shuffle_seed),
	    UINT64_MAX, T_OTHER },
	{ "do", "STEPS", "steps, divided by commas (announce,settle)", AT(steps), 0,
	    T_TEXT },
	{ "churn", "N", "as a last step but settle", 0, 0, T_STEP },
	{ "flap", "N", "likewise", 0, 0, T_STEP },
	{ "drop", "N", "likewise", 0, 0, T_STEP },
	{ "hold", "S", "likewise", 0, 0, T_STEP },
	{ "time-limit", "S", "for all steps (120)", AT(time_limit_s), 1000000, T_U32 },
	{ "pid", "PID",
	    "tell CPU and memory of this process and its children; repeatable", AT(pid),
	    0, T_OTHER },
	{ "report", "N", "differences to name (10)", AT(report), UINT32_MAX, T_U32 },
	{ "then", "COMMAND",
	    "run by sh while all sessions are still up; the output goes to stderr",
	    AT(then), 0, T_TEXT },
	{ "reload", "COMMAND", "run by sh in steps that change the server's policy",
	    AT(reload), 0, T_TEXT },
	{ "quiet", NULL, "no progress", AT(quiet), 0, T_FLAG },
	{ "conf", "DAEMON",
	    "print a configuration for bird2, tern, frr, openbgpd or gobgp and leave",
	    AT(conf), 0, T_TEXT },
	{ "conf-change", NULL,
	    "only the part that a policy changes, for daemons that take parts",
	    AT(conf_change), 0, T_FLAG },
	{ "error-wait", "S", "in the configuration: `error wait time` for bird2 and tern",
	    AT(error_wait_s), 3600, T_U32 },
	{ "run-dir", "DIR", "folder for logs of the daemon (.)", AT(run_dir), 0, T_TEXT },
	{ "help", NULL, "this", 0, 0, T_OTHER },
	{ "version", NULL, "of ternload", 0, 0, T_OTHER },
};

static void
print_help(void)
{
	unsigned i;

	puts("ternload - play the clients of a BGP route server and check the received "
	     "routes\n");
	for (i = 0; i < ARRAY_LEN(opt_defs); i++) {
		char left[64];

		snprintf(left, sizeof(left), "--%s %s", opt_defs[i].name,
		    opt_defs[i].arg ? opt_defs[i].arg : "");
		printf("  %-24s %s\n", left, opt_defs[i].help);
	}
	puts("\nSteps, as name=value:\n");
	for (i = 0; load_step_kinds[i]; i++)
		printf("  %-10s %s (%g)\n", load_step_kinds[i]->name,
		    load_step_kinds[i]->help, load_step_kinds[i]->value);
	puts("\nExit status 0: every client holds exactly the expected routes.");
}

/* "A:B" */
static int
set_play(struct load_opt *o, const char *v)
{
	const char *colon = strchr(v, ':');
	char first[16];
	uint64_t a, b;

	if (!colon || colon - v >= (int)sizeof(first))
		return -EINVAL;
	memcpy(first, v, (size_t)(colon - v));
	first[colon - v] = 0;
	if (scan_u64(&a, first, UINT16_MAX) || scan_u64(&b, colon + 1, UINT16_MAX) ||
	    a >= b)
		return -EINVAL;
	o->play_first = (uint32_t)a;
	o->play_end = (uint32_t)b;
	return 0;
}

static int
set_other(struct load_opt *o, const struct opt_def *d, const char *v)
{
	uint64_t n;

	if (strcmp(d->name, "family") == 0) {
		o->families = strcmp(v, "4") == 0      ? 1
			      : strcmp(v, "6") == 0    ? 2
			      : strcmp(v, "both") == 0 ? 3
						       : 0;
		return o->families ? 0 : -EINVAL;
	}
	if (strcmp(d->name, "add-paths") == 0) {
		o->add_paths = strcmp(v, "tx") == 0   ? ADD_PATH_TX
			       : strcmp(v, "rx") == 0 ? ADD_PATH_RX
			       : strcmp(v, "on") == 0 ? ADD_PATH_TX | ADD_PATH_RX
						      : 0;
		return o->add_paths ? 0 : -EINVAL;
	}
	if (strcmp(d->name, "play") == 0)
		return set_play(o, v);
	if (scan_u64(&n, v, d->max ? d->max : INT32_MAX))
		return -EINVAL;
	if (strcmp(d->name, "shuffle") == 0) {
		o->shuffle = true;
		o->shuffle_seed = n;
		return 0;
	}
	if (o->pid_cnt == LOAD_PIDS_MAX)
		return -EINVAL;
	o->pid[o->pid_cnt++] = (int)n;
	return 0;
}

/* `--flap 100` is `flap=100` at the end of the steps. */
static int
add_step(struct load_opt *o, const struct opt_def *d, const char *v)
{
	size_t len = strlen(o->extra_steps);

	if (len + strlen(v) + 16 > sizeof(o->extra_steps))
		return -EINVAL;
	snprintf(
	    o->extra_steps + len, sizeof(o->extra_steps) - len, ",%s=%s", d->name, v);
	return 0;
}

static int
set_value(struct load_opt *o, const struct opt_def *d, const char *v)
{
	void *at = (char *)o + d->at;
	uint64_t n = 0;
	char *end;

	switch (d->type) {
	case T_U32:
	case T_U64:
		if (scan_u64(&n, v, d->max))
			return -EINVAL;
		if (d->type == T_U32)
			*(uint32_t *)at = (uint32_t)n;
		else
			*(uint64_t *)at = n;
		return 0;
	case T_REAL:
		*(double *)at = strtod(v, &end);
		return end == v || *end || *(double *)at < 1 ||
			       *(double *)at > (double)d->max
			   ? -EINVAL
			   : 0;
	case T_TEXT:
		*(const char **)at = v;
		return 0;
	case T_ADDRESS:
		return ip_parse((struct ip_addr *)at, v);
	case T_FLAG:
	case T_NO_FLAG:
		*(bool *)at = d->type == T_FLAG;
		return 0;
	case T_STEP:
		return add_step(o, d, v);
	default:
		return set_other(o, d, v);
	}
}

static const struct opt_def *
find_def(const char *word, const char **value)
{
	unsigned i;
	size_t len;

	if (word[0] != '-' || word[1] != '-')
		return NULL;
	len = strcspn(word + 2, "=");
	for (i = 0; i < ARRAY_LEN(opt_defs); i++) {
		if (strlen(opt_defs[i].name) != len ||
		    strncmp(opt_defs[i].name, word + 2, len))
			continue;
		*value = word[2 + len] ? word + 3 + len : NULL;
		return &opt_defs[i];
	}
	return NULL;
}

/* What doesn't go together where more than the best path of a net counts. */
static const char *
check_paths(const struct load_opt *o)
{
	if (o->allow_unknown && !(o->add_paths & ADD_PATH_TX))
		return "--allow-unknown needs --add-paths tx or on";
	if (o->no_add_paths && (!o->add_paths || o->no_add_paths > o->clients))
		return "--no-add-paths N needs --add-paths and at least N --clients";
	if (!o->paths || (o->paths > 1 && !(o->add_paths & ADD_PATH_RX)))
		return "--paths needs --add-paths rx or on, and at least 1";
	if (o->paths > 1 && (o->lists || o->irr || o->full))
		return "--paths goes with no --lists, --irr or --full";
	if (o->mrt && (o->secondary || o->add_paths & ADD_PATH_RX))
		return "--mrt goes with no --secondary, and with --add-paths tx alone";
	if (o->lenient && (o->secondary || o->add_paths & ADD_PATH_TX))
		return "--lenient goes with no --secondary or --add-paths tx";
	if (o->no_prepends && !o->own_filter)
		return "--no-prepends needs --own-filter";
	if (o->multi && (o->secondary || o->add_paths || o->mrt || o->lenient))
		return "--multi goes with no --secondary, --add-paths, --mrt or "
		       "--lenient";
	return NULL;
}

/* What doesn't go together where others play some of the clients. */
static const char *
check_parts(const struct load_opt *o)
{
	bool some = o->play_end || o->silent;

	if (o->play_end > o->clients)
		return "--play names more than --clients";
	if (o->silent >= o->clients)
		return "--silent must be less than --clients";
	if (some && (o->mrt || o->pair || o->full))
		return "--play and --silent go with no --mrt, --pair or --full";
	if ((o->hashes || o->routes) && (o->add_paths || o->mrt))
		return "--hashes and --routes go with no --add-paths or --mrt";
	return NULL;
}

static int
load_opt_check(const struct load_opt *o)
{
	const char *what = NULL;

	if (!o->clients || !o->burst)
		what = "--clients and --connect-burst must be at least 1";
	else if (o->as2 > o->clients)
		what = "--as2 is more than --clients";
	else if (ip_is_v4(o->server) != ip_is_v4(o->first_address))
		what = "--server and --first-address must be of one family";
	else if (!o->mrt && !o->nets)
		what = "--nets must be at least 1";
	else if (o->full && (o->mrt || o->clients < 2))
		what = "--full needs at least 2 clients and no --mrt";
	else if (o->pair && (o->mrt || o->lists || !(o->families & 1)))
		what = "--pair needs IPv4, and no --lists or --mrt";
	else if (o->irr && (o->mark || o->own_filter || o->families != 1 || o->mrt))
		what = "--irr needs IPv4, and no --mark, --own-filter or --mrt";
	else if (o->mark && o->own_filter)
		what = "--mark and --own-filter don't go together";
	else if (o->hold_s && o->hold_s < 3)
		what = "--hold-time must be 0 or at least 3";
	else
		what = check_paths(o);
	if (!what)
		what = check_parts(o);
	if (what)
		fprintf(stderr, "ternload: %s\n", what);
	return what ? -EINVAL : 0;
}

int
load_opt_parse(struct load_opt *o, int argc, char **argv)
{
	const struct opt_def *d;
	const char *v;
	int i;

	*o = (struct load_opt){ .server = ip4(0x7f000001),
		.port = 1790,
		.server_as = 65000,
		.clients = 10,
		.first_address = ip4(0x7f000101),
		.first_as = 100000,
		.hold_s = 180,
		.burst = 64,
		.families = 1,
		.nets = 1000,
		.ratio = 2.4,
		.share = 4,
		.paths = 1,
		.filter = true,
		.seed = 1,
		.steps = "announce,settle",
		.time_limit_s = 120,
		.report = 10,
		.run_dir = "." };
	for (i = 1; i < argc; i++) {
		d = find_def(argv[i], &v);
		if (d && d->arg && !v && i + 1 < argc)
			v = argv[++i];
		if (!d || !d->arg != !v) {
			fprintf(stderr, "ternload: '%s' isn't understood; see --help\n",
			    argv[i]);
			return -EINVAL;
		}
		if (strcmp(d->name, "help") == 0) {
			print_help();
			return 1;
		}
		if (strcmp(d->name, "version") == 0) {
			puts("ternload " TERN_VERSION);
			return 1;
		}
		if (set_value(o, d, v)) {
			fprintf(stderr, "ternload: --%s: '%s' isn't valid\n", d->name, v);
			return -EINVAL;
		}
	}
	o->lists = o->lists || o->irr;
	return load_opt_check(o);
}
