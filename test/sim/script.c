/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of a drawn run as a story (sim --script FILE): links, members and files come
 * first, then each step with its time. The story plays without the draws of the run:
 * another order of events, so that a fault may need some seeds.
 *
 * Functions that stories and drawn runs share write their steps: member_up,
 * member_announce, sim_net_cut, world_command and so on. test/sim/shrink.py makes the
 * story small. */
#include "test/sim/script.h"

#include "test/sim/codec.h"
#include "test/sim/member_role.h"
#include "test/sim/sim_priv.h"
#include "test/sim/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

FILE *__real_fopen(const char *path, const char *mode);

void
script_begin(const char *path)
{
	sim->script = __real_fopen(path, "w");
	if (!sim->script)
		sim_fail("can't write %s", path);
	setvbuf(sim->script, NULL, _IOLBF, BUFSIZ);
	sim->script_ns = sim_now();
}

void
script_end(void)
{
	sim->script = NULL;
}

void
script_pause(bool pause)
{
	sim->script_pauses = pause;
}

void
script_head(const char *fmt, ...)
{
	va_list ap;

	if (!sim->script || sim->script_pauses)
		return;
	va_start(ap, fmt);
	vfprintf(sim->script, fmt, ap);
	va_end(ap);
	fputc('\n', sim->script);
}

void
script_step(const char *fmt, ...)
{
	va_list ap;

	if (!sim->script || sim->script_pauses)
		return;
	fprintf(sim->script, "at %.6fms ",
	    (double)(sim_now() - sim->script_ns) / (double)SIM_MS);
	va_start(ap, fmt);
	vfprintf(sim->script, fmt, ap);
	va_end(ap);
	fputc('\n', sim->script);
}

void
script_file(const char *path, const char *text)
{
	if (!sim->script || sim->script_pauses)
		return;
	if (!strcmp(path, "/sim/tern.conf"))
		script_step("config");
	else
		script_step("file %s", path);
	fprintf(sim->script, "%s%s.\n", text,
	    *text && text[strlen(text) - 1] != '\n' ? "\n" : "");
}

void
script_state(const struct world *w)
{
	const struct rib_route *r;
	char prefix[64];

	for (const struct member *m = sim->script ? w->members : NULL; m; m = m->next) {
		for (uint32_t at = 0; (r = rib_next(&m->told, &at));) {
			rib_prefix(prefix, &r->key);
			script_head("# %s told %s %s", m->name, prefix, r->attrs->text);
		}
		for (uint32_t at = 0; (r = rib_next(&m->received, &at));) {
			rib_prefix(prefix, &r->key);
			script_head(
			    "# %s holds %s %s", m->name, prefix, codec_text(r->attrs));
		}
	}
}

void
script_member(const struct member *m)
{
	FILE *f = sim->script;

	if (!f)
		return;
	fprintf(f, "member %s as %u at %s to %s hold %u timers %u%%", m->name, m->as,
	    m->address, m->server, m->hold_s, m->timer_percent);
	if (*m->password)
		fprintf(f, " password %s", m->password);
	if (m->ttl)
		fprintf(f, " ttl %d", m->ttl);
	if (m->long_lived_s)
		fprintf(f, " long-lived %u", m->long_lived_s);
	if (m->role)
		fprintf(f, " role %s", role_name(m->role));
	fprintf(f, "%s%s%s%s%s%s%s\n", m->add_path ? " add-path" : "",
	    m->restarts ? " restarts" : "", m->forgets ? " forgets" : "",
	    m->ipv6 ? " ipv6" : "", m->extended_hop ? " extended-next-hop" : "",
	    m->extended_messages ? " extended-messages" : "",
	    m->enhanced_refresh ? " enhanced-refresh" : "");
}
