/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The world at rest, and the comparison with a fresh daemon.
 *
 * I1  The fresh daemon runs in a copy of the process (fork). The world that is compared
 *     goes on as if nobody had looked.
 * I2  What is compared: each member's table with all attributes; the answers of the
 *     commands in `ask` without times, and without the counters of what has happened. A
 *     filtered route keeps the gateway that the route had when it came: gateways of
 *     filtered routes are not compared.
 * I3  A daemon at rest owes nobody anything: no network is dirty, no number of a network
 *     waits, no session sends. Its memory is at most MEMORY_TIMES the fresh daemon's and
 *     MEMORY_MORE octets. */
#include "test/sim/rest.h"

#include "test/sim/oracle/oracle.h"
#include "test/sim/script.h"
#include "test/sim/sim_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEMORY_TIMES 2
#define MEMORY_MORE  (24.0 * (1 << 20))

/* What is asked (I2). */
static const char *const ask[] = { "show protocols all", "show route all table all",
	"show route filtered all table all", "show static", "show interfaces",
	"show bfd sessions", "show health" };

#define ASK_CNT (sizeof(ask) / sizeof(ask[0]))

/* Lines that tell what has happened, or a time: beginnings, behind the blanks. */
static const char *const passing[] = { "Import updates", "Import withdraws",
	"Export updates", "Export withdraws", "Route change", "Last ", "Down at",
	"Received", "Message", "Segment", "Decisions", "Sent", "Hold timer",
	"Keepalive timer", "Send hold", "Error wait", "Connect delay", "Connect retry",
	"Retry timer", "Refresh timer", "Expire timer", "Restart timer", "Stale timer",
	"Changes:", "Batches:", "Networks a segment", "Withdraw segments",
	"Journal octets", "Readers cut", "Wake-up rounds", "Cuts", "Network ids",
	"CPU time", "Configured:", "Log lines", "Serial number", "Session ID", "Lag",
	"Start", "Data of ", "Connected:", "Restart recovery", "AF preserved",
	"Problem: a limit has restarted", "Routing changes", "Session changes", "History",
	"Up since", "Source port" };

struct picture {
	char *members;
	char *answer[ASK_CNT];
};

static bool
is_passing(const char *line)
{
	line += strspn(line, " \t");
	for (size_t i = 0; i < sizeof(passing) / sizeof(passing[0]); i++)
		if (*line == *passing[i] &&
		    !strncmp(line, passing[i], strlen(passing[i])))
			return true;
	/* Problems that are over: the log was flooded, or the disk was full. */
	if (!strncmp(line, "Problem: ", 9)) {
		line += 9 + strspn(line + 9, "0123456789");
		return !strncmp(line, " log lines dropped", 18) ||
		       !strncmp(line, " log lines could not be written", 31);
	}
	return !strncmp(line, "No problems", 11) ||
	       !strncmp(line + strspn(line, "0123456789"), " problem", 8);
}

/* form_len - the length of @form if the text has the form (0: a digit), else 0. */
static size_t
form_len(const char *p, const char *form)
{
	size_t n = 0;

	for (; form[n]; n++)
		if (form[n] == '0' ? !isdigit((unsigned char)p[n]) : p[n] != form[n])
			return 0;
	return n;
}

/* time_len - the octets of "2026-03-01 00:00:03.810", "2026-03-01" or "00:00:03.810";
 * 0: no time. */
static size_t
time_len(const char *p)
{
	size_t date = form_len(p, "0000-00-00"), at = date + (date && p[date] == ' '),
	       clock = form_len(p + at, "00:00:00");

	if (!clock)
		return date;
	at += clock;
	return at + (p[at] == '.' ? 1 + strspn(p + at + 1, "0123456789") : 0);
}

static bool
is_gateway(const char *line)
{
	return !strncmp(line + strspn(line, " \t"), "via ", 4);
}

/* dest_len - the octets of the word before a protocol's name: "unreachable [m1". */
static size_t
dest_len(const char *p)
{
	size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz");

	return n && !strncmp(p + n, " [", 2) ? n : 0;
}

/* plain - an answer without times and without passing lines; @but_gateways: without
 * gateways, too. The caller frees the text. */
static char *
rest_plain(const char *answer, bool but_gateways)
{
	char *out = NULL;
	size_t len, n, t;
	FILE *f = open_memstream(&out, &len);

	for (const char *line = answer; *line; line += n + (line[n] != 0)) {
		n = strcspn(line, "\n");
		/* The code of a reply, once for several lines: not what is compared. */
		if (n >= 5 && strspn(line, "0123456789") == 4) {
			line += 5;
			n -= 5;
		} else if (n && *line == ' ') {
			line++;
			n--;
		}
		if (!n || is_passing(line) || (but_gateways && is_gateway(line)))
			continue;
		for (size_t i = 0; i < n;) {
			t = i && (isspace((unsigned char)line[i - 1]))
				? time_len(line + i)
				: 0;
			if (t && t <= n - i) {
				fputs("TIME", f);
				i += t;
			} else if (but_gateways && dest_len(line + i)) {
				i += dest_len(line + i);
			} else {
				putc_unlocked(line[i++], f);
			}
		}
		putc_unlocked('\n', f);
	}
	fclose(f);
	return out;
}

/* total_octets - of `show memory`. */
static double
total_octets(const char *answer)
{
	const char *p = strstr(answer, "Total:");
	char unit[4] = "";
	double v = 0;

	if (!p || sscanf(p, "Total: %lf %3s", &v, unit) != 2)
		sim_fail("show memory has no total:\n%s", answer);
	return v * (unit[0] == 'k'      ? 1024
		       : unit[0] == 'M' ? 1048576
		       : unit[0] == 'G' ? 1073741824.0
					: 1);
}

/* owes_nothing - I3. */
static void
owes_nothing(const char *answer)
{
	static const char *const queue[] = { "Dirty networks:", "Waiting ids:" };

	for (size_t i = 0; i < sizeof(queue) / sizeof(queue[0]); i++)
		for (const char *p = answer; (p = strstr(p, queue[i])); p++)
			if (atoi(
				p + strlen(queue[i]) + strspn(p + strlen(queue[i]), " ")))
				sim_fail("not at rest: %.60s\n%s", p, answer);
}

static void
take_picture(struct world *w, struct picture *p)
{
	world_settle(w);
	p->members = world_picture(w);
	for (size_t i = 0; i < ASK_CNT; i++) {
		world_command(w, ask[i]);
		owes_nothing(w->answer);
		p->answer[i] = rest_plain(w->answer, strstr(ask[i], "filtered"));
		if (strstr(ask[i], "bfd"))
			p->answer[i] = world_in_order(p->answer[i]);
	}
	owes_nothing(world_command(w, "show table"));
}

/* around - print the first different line of two texts, with the lines before. */
static void
rest_around(const char *whose, const char *text, size_t at)
{
	size_t from = at;

	for (unsigned lines = 0; from && lines < 12; from--)
		lines += text[from - 1] == '\n';
	while (from && from < at && text[from - 1] != '\n')
		from++;
	fprintf(stderr, "%s:\n%.*s\n  -> %.*s\n", whose, (int)(at - from), text + from,
	    (int)strcspn(text + at, "\n"), text + at);
}

static bool
rest_same(const char *what, const char *here, const char *fresh)
{
	size_t at = 0;

	if (!strcmp(here, fresh))
		return true;
	while (here[at] == fresh[at])
		at++;
	while (at && here[at - 1] != '\n')
		at--;
	fprintf(stderr, "a fresh daemon differs in %s\n", what);
	rest_around("here", here, at);
	rest_around("fresh", fresh, at);
	return false;
}

/* fresh_same - in the copy: a fresh daemon is as @here says. The numbers of `show memory`
 * depend on the compiler: the copy alone asks, since the copy has no trace. */
static bool
fresh_same(struct world *w, const struct picture *here)
{
	double octets, of_fresh;
	struct picture fresh;
	bool ok;

	w->is_copy = true;
	octets = total_octets(world_command(w, "show memory"));
	for (struct member *m = w->members; m; m = m->next)
		m->falls = MEMBER_MAY_FALL;
	sim_daemon_crash(1);
	sim_daemon_start(NULL);
	take_picture(w, &fresh);
	ok = rest_same("what members and actors hold", here->members, fresh.members);
	for (size_t i = 0; i < ASK_CNT; i++)
		ok &= rest_same(ask[i], here->answer[i], fresh.answer[i]);
	of_fresh = total_octets(world_command(w, "show memory"));
	if (ok && octets > MEMORY_TIMES * of_fresh + MEMORY_MORE) {
		fprintf(stderr, "memory: %.0f octets, and %.0f in a fresh daemon\n",
		    octets, of_fresh);
		ok = false;
	}
	return ok;
}

/* The copy of the process, which lives in the world's scheduler. */
void
rest_check(struct world *w, const char *when, unsigned slow_s)
{
	struct picture here;
	int status;
	pid_t pid;

	script_step("fresh %u", slow_s);
	sim_sleep(sim_now() + slow_s * SIM_S);
	script_pause(true);
	take_picture(w, &here);
	script_pause(false);
	sim_event("at rest, %s: %zu octets of tables", when, strlen(here.members));
	oracle_check(w, when);
	fflush(stdout);
	fflush(stderr);
	pid = fork();
	if (pid < 0)
		sim_fail("no process for a fresh daemon");
	if (!pid) {
		sim_trace(false, false);
		script_end();
		_Exit(!fresh_same(w, &here));
	}
	if (waitpid(pid, &status, 0) != pid || status)
		sim_fail("%s: the daemon is not what a fresh one would be", when);
	free(here.members);
	for (size_t i = 0; i < ASK_CNT; i++)
		free(here.answer[i]);
}
