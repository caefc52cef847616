/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ternload: plays the clients of a BGP route server, and checks that each gets exactly
 * what it must.
 *
 * One thread drives all sessions. What clients announce is known, a model of a route
 * server (load_model.c) says which routes of each net every client must hold, and a board
 * (load_board.c) counts for each client the nets that aren't so. It shares no code with
 * the daemon beyond plain values and containers.
 *
 *     options  load_opt -> load_setup: clients and routes (load_gen, load_mrt), expected
 *              state
 *     sockets  load_client -> load_update: octets -> load_seen, or load_msg -> load_attr,
 *              load_set -> load_board, and with add-path load_addpath
 *     steps    load_step*    -> load_update: changes -> octets
 *     telling  load_report, load_proc; load_conf prints configurations for daemons */
#include "test/load/load_conf.h"
#include "test/load/load_dump.h"
#include "test/load/load_mrt.h"
#include "test/load/load_report.h"
#include "test/load/load_setup.h"

#include <bsd/unistd.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Nothing is read or sent meanwhile: the command should be short. */
static void
run_command(const char *command)
{
	int pid = fork(), status;

	if (pid == 0) {
		dup2(2, 1);
		closefrom(STDERR_FILENO + 1);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		perror("ternload: --then");
}

static bool
ternload_play(struct load_run *r)
{
	uint64_t cnt[DIFF_CNT];
	bool ok;
	uint32_t c;

	ok = load_run_loop(r);
	/* Being told to end while only staying is no failure. */
	if (r->stopped && r->steps->cur < r->steps->cnt &&
	    load_step_is_hold(&r->steps->step[r->steps->cur]))
		ok = true;
	if (!ok && !r->fatal)
		fprintf(stderr, "ternload: %s\n", r->stopped ? "stopped" : "time is up");
	ok = load_report_differences(r, cnt) && ok &&
	     r->up_cnt + r->elsewhere_cnt == r->clients && !r->malformed &&
	     (!r->lost || r->opt->allow_loss) &&
	     (!load_addpath_unknown(&r->board) || r->opt->allow_unknown);
	if (r->lost)
		fprintf(stderr, "ternload: %llu sessions went down\n",
		    (unsigned long long)r->lost);
	load_report_json(r, ok, cnt);
	/* Whoever leaves early takes its routes from those whom others play. */
	if (r->opt->stepwise && !r->fatal && !r->stopped)
		load_run_stay(r, "end");
	if (r->opt->then)
		run_command(r->opt->then);
	for (c = 0; c < r->clients; c++)
		load_client_cease(r, &r->client[c]);
	return ok;
}

static int
ternload_run(const struct load_opt *o, const struct mrt_file *mrt)
{
	static struct load_steps steps; /* style: big, and there is one run */
	struct load_run r = { .opt = o, .steps = &steps };
	int err;

	err = load_steps_parse(&steps, o->steps);
	if (!err && o->extra_steps[0])
		err = load_steps_parse(&steps, o->extra_steps + 1) ||
		      load_steps_parse(&steps, "settle");
	if (!err && o->play_end && !load_steps_in_parts(&steps))
		err = -EINVAL;
	if (err)
		return 1;
	err = load_setup(&r, mrt);
	if (!err && o->conf)
		err = load_conf_print(&r);
	else if (!err && o->routes)
		load_dump_routes(&r);
	else if (!err)
		err = load_setup_net(&r) || !ternload_play(&r);
	load_setup_fini(&r);
	load_steps_fini(&steps);
	if (fflush(stdout) || ferror(stdout)) {
		perror("ternload: the result could not be written");
		err = 1;
	}
	return err ? 1 : 0;
}

int
main(int argc, char **argv)
{
	struct load_opt o;
	struct mrt_file mrt;
	uint32_t i;
	int err;

	setproctitle_init(argc, argv, environ);
	err = load_opt_parse(&o, argc, argv);
	if (err)
		return err < 0;
	signal(SIGPIPE, SIG_IGN);
	if (!o.mrt)
		return ternload_run(&o, NULL);
	if (mrt_file_read(&mrt, o.mrt))
		return 1;
	for (i = 0; i < mrt.peer_cnt; i++)
		o.families |= mrt.peer[i].families;
	err = ternload_run(&o, &mrt);
	mrt_file_fini(&mrt);
	return err;
}
