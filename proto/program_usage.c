/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the options of the command line of ternd and ternshadow, and the version. Loop:
 * the thread of main. Tested by test/net/test_start.py. */
#include "proto/program_usage.h"

#include "lib/base/strbuf.h"
#include "nest/cli/cmd_list.h"
#include "sysdep/os/daemon.h"

#include <string.h>

static const char usage_head[] =
    "[-c FILE] [-d] [-D FILE] [-f] [-g GROUP] [-h] [-l] [-n NAME]\n"
    "             [--no-sandbox] [-p [--bird 2.17]] [-P FILE] [-R] [-s SOCKET] [-t]\n"
    "             [-T THREADS] [-u USER] ";
static const char usage_text[] =
    " [--version]\n"
    "  -c FILE     configuration\n"
    "  -d          stay in the foreground, log to stderr\n"
    "  -D FILE     log all messages to FILE\n"
    "  -f          stay in the foreground\n"
    "  -g, -u      run as this group, this user; keep the rights for sockets\n"
    "  -l          configuration and control socket in the current directory\n"
    "  -n NAME     one of several daemons: configuration NAME.conf, own socket\n"
    "  --no-sandbox  permit all system calls, and writing in all folders\n"
    "  -p          only read the configuration; the exit status is the result\n"
    "  --bird 2.17 with -p: name each word of FILE that BIRD 2.17 refuses\n"
    "  -P FILE     write the process id to FILE\n"
    "  -R          after a graceful restart: wait for peers before sending routes\n"
    "  -s SOCKET   control socket\n"
    "  -t          only run the self-tests of FILE; the exit status is the result\n"
    "  -T THREADS  run all tables and sessions on THREADS threads (0: a thread each)\n";

void
program_usage(
    const char *name, const char *extra_option, const char *extra_text, int status)
{
	struct strbuf b;

	strbuf_init(&b);
	strbuf_addf(&b, "Usage: %s %s%s%s%s", name, usage_head, extra_option, usage_text,
	    extra_text);
	daemon_say(status, b.s);
	strbuf_fini(&b);
	daemon_exit(status);
}

void
program_version(bool bird)
{
	if (bird)
		daemon_say(true, "BIRD version " CMD_BIRD_VERSION "\n");
	else
		daemon_say(false, "tern version " TERN_VERSION "\n");
	daemon_exit(0);
}

void
program_unexpected(
    const char *name, const char *extra_option, const char *extra_text, const char *arg)
{
	struct strbuf b;

	strbuf_init(&b);
	strbuf_addf(&b, "%s: unexpected argument '%s'\n", name, arg);
	daemon_say(true, b.s);
	strbuf_fini(&b);
	program_usage(name, extra_option, extra_text, 1);
}

bool
program_is_bird(const char *argv0)
{
	const char *name = strrchr(argv0, '/');

	return !strcmp(name ? name + 1 : argv0, "bird");
}
