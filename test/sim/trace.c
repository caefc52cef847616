/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace: one line an event, "NANOSECONDS TASK TEXT", printed, hashed, or neither. */
#include "lib/crypto/digest.h"
#include "test/sim/sim_priv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct sim_trace {
	bool prints, hashes;
	struct sha256 *hash;
};

static struct sim_trace *
trace_get(void)
{
	return sim_root(&sim->trace, sizeof(struct sim_trace));
}

void
sim_trace(bool prints, bool hashes)
{
	trace_get()->prints = prints;
	trace_get()->hashes = hashes;
	sha256_free(trace_get()->hash);
	trace_get()->hash = sha256_new();
}

bool
sim_traces(void)
{
	return trace_get()->prints || trace_get()->hashes;
}

void
sim_event(const char *fmt, ...)
{
	struct sim_trace *t = trace_get();
	char text[400];
	va_list ap;
	int len, more;

	if (!t->prints && !t->hashes)
		return;
	len = snprintf(text, sizeof(text), "%llu %s ", (unsigned long long)sim_now(),
	    sim_self() ? sim_task_name_of(sim_self()) : "world");
	va_start(ap, fmt);
	more = vsnprintf(text + len, sizeof(text) - (size_t)len, fmt, ap);
	va_end(ap);
	len = len + more < (int)sizeof(text) - 1 ? len + more : (int)sizeof(text) - 2;
	text[len++] = '\n';
	text[len] = 0;
	if (t->hashes)
		sha256_add(t->hash, text, (size_t)len);
	if (t->prints)
		sim_print(text, stdout);
}

void
sim_trace_hash(char out[65])
{
	if (!sha256_end(trace_get()->hash, out))
		sim_fail("libcrypto does not compute SHA-256");
}

void
sim_fail(const char *fmt, ...)
{
	char *what = NULL, *text = NULL;
	va_list ap;

	fflush(stdout);
	va_start(ap, fmt);
	if (vasprintf(&what, fmt, ap) < 0)
		what = NULL;
	va_end(ap);
	/* One write: runs of other seeds write at the same time. */
	if (asprintf(&text, "seed %llu, %.6f s: %s%s%s\n", (unsigned long long)sim_seed(),
		(double)sim_now() / 1e9, sim->place ? sim->place : "",
		sim->place ? ": " : "", what ? what : fmt) > 0)
		sim_print(text, stderr);
	fflush(stderr);
	if (sim->failed)
		sim->failed();
	_Exit(1);
}
