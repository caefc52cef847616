/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file in force of daemon 1, as commands of the story and time change the file.
 *
 * I1  `configure timeout` keeps the file that was in force as the confirmed file. Behind
 *     the time the confirmed file is in force again, unless `configure`, `configure
 *     confirm` or `configure undo` came.
 * I2  Close to the end of the time the daemon may have either file: nobody knows.
 * I3  An undone file may include files that have changed since: nobody knows. */
#include "test/sim/sim.h"
#include "test/sim/sim_priv.h"

#include <stdlib.h>
#include <string.h>

#define TIMEOUT_S 300 /* of `configure timeout` */
#define CLOSE_NS  (2 * SIM_S) /* I2 */

/* conf_now_move - *@to takes the text *@from. */
static void
conf_now_move(char **to, char **from)
{
	free(*to);
	*to = *from;
	*from = NULL;
}

/* conf_now_confirm - no file waits for the end of a time. */
static void
conf_now_confirm(void)
{
	free(sim->file.safe);
	sim->file.safe = NULL;
	sim->file.undo_ns = 0;
}

/* conf_now_back - the text *@from of an earlier file is in force again since @ns. */
static void
conf_now_back(char **from, uint64_t ns)
{
	conf_now_move(&sim->file.now, from);
	free(sim->file.prev);
	sim->file.prev = NULL;
	sim->file.since_ns = ns;
	if (strstr(sim->file.now, "include "))
		sim->file.unsure = "an undone file with included files"; /* I3 */
	conf_now_confirm();
}

/* conf_now_taken - the daemon has taken the file of the disk; @timeout_s 0: for good. */
static void
conf_now_taken(unsigned timeout_s, const char *unsure)
{
	const char *text = sim_file_text("/sim/tern.conf");

	if (!timeout_s)
		conf_now_confirm();
	else if (!sim->file.safe && sim->file.now)
		sim->file.safe = strdup(sim->file.now);
	if (timeout_s)
		sim->file.undo_ns = sim_now() + timeout_s * SIM_S;
	conf_now_move(&sim->file.prev, &sim->file.now);
	sim->file.now = text ? strdup(text) : NULL;
	sim->file.unsure = unsure;
	sim->file.since_ns = sim_now();
}

/* conf_now_pass - the time may have ended. */
static void
conf_now_pass(void)
{
	if (sim->file.undo_ns && sim_now() >= sim->file.undo_ns + CLOSE_NS)
		conf_now_back(&sim->file.safe, sim->file.undo_ns + CLOSE_NS);
}

void
sim_daemon_begins(void)
{
	conf_now_taken(0, NULL);
	free(sim->file.prev);
	sim->file.prev = NULL;
}

/* conf_now_configured - `configure @words` has an answer. */
static void
conf_now_configured(const char *words, const char *answer)
{
	bool taken = strstr(answer, "\n0003 ") || strstr(answer, "\n0004 ") ||
		     strstr(answer, "\n0005 ");
	unsigned timeout_s = TIMEOUT_S;

	if (!*words || !strcmp(words, " soft")) {
		if (taken)
			conf_now_taken(0, *words ? "configure soft" : NULL);
	} else if (!strncmp(words, " timeout", 8) && !strchr(words, '"')) {
		if (words[8])
			timeout_s = (unsigned)strtoul(words + 8, NULL, 10);
		if (taken)
			conf_now_taken(timeout_s, NULL);
	} else if (!strcmp(words, " confirm")) {
		if (strstr(answer, "Reconfiguration confirmed"))
			conf_now_confirm();
	} else if (!strcmp(words, " undo")) {
		if (taken && sim->file.prev)
			conf_now_back(&sim->file.prev, sim_now());
	} else if (strncmp(words, " check", 6) != 0 &&
		   strncmp(words, " status", 7) != 0) {
		sim->file.unsure = "configure with words";
	}
}

void
sim_daemon_told(const char *line, const char *answer)
{
	conf_now_pass();
	if (!strncmp(line, "override", 8) || !strncmp(line, "drain", 5) ||
	    !strncmp(line, "hold", 4))
		sim->has_orders = true; /* beside the file; the model knows none */
	else if (!strncmp(line, "configure", 9))
		conf_now_configured(line + 9, answer);
	else if (!strcmp(line, "restart all") && sim->file.unsure &&
		 !strcmp(sim->file.unsure, "configure soft"))
		sim->file.unsure = NULL;
}

const char *
sim_daemon_file(const char **unsure)
{
	conf_now_pass();
	*unsure = sim->has_orders ? "orders beside the file" : sim->file.unsure;
	if (!*unsure && sim->file.undo_ns && sim_now() + CLOSE_NS > sim->file.undo_ns)
		*unsure = "the end of configure timeout"; /* I2 */
	return sim->file.now;
}
