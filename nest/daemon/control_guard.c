/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards on sets: a `configure` whose generated sets have lost their content is refused.
 *
 * I1  Constants of the new configuration are compared with constants of equal names in
 *     force. A set that has gone with its content trips the guard, too: by default with a
 *     warning, because a member who leaves takes the sets along.
 * I2  A set that is empty in force may stay empty: members without routes have such sets.
 * I3  The first configuration, undo and the end of a timeout are not refused: the daemon
 *     shall start, and a former configuration was in force before.
 * I4  A constant that was a set and is now a list of communities (`-empty-`) counts as an
 *     empty set.
 *
 * Loop: the control worker's. Tested by test/net/test_guard.py. */
#include "nest/daemon/control_priv.h"

#include "filter/lang/sym.h"
#include "filter/set/set.h"
#include "filter/value/type.h"
#include "lib/base/plural.h"
#include "lib/base/strbuf.h"
#include "lib/wire/cli_code.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/top/conf_guard.h"
#include "nest/core/control.h"
#include "sysdep/log/log.h"

#include <stdio.h>

#define GUARD_LINES 20u /* of an answer, for each kind of line */

/* A walk over the sets of a configuration. Owner: a function. Life: on the stack. */
struct guard_walk {
	const struct config *was, *conf; /* was: NULL: none is in force */
	struct control_req *r; /* NULL: log only */
	uint32_t file; /* entries of conf->guard.file that the walk has passed */
	uint32_t refused, warned; /* guards that sets trip */
	struct strbuf first; /* the first refusal */
	unsigned place_len; /* octets of its place */
};

static void
guard_trip(
    struct guard_walk *w, const struct sym *s, enum guard_act act, const char *what)
{
	bool refuses = act == GUARD_REFUSE && w->r && !w->r->force;
	uint32_t nr = act == GUARD_REFUSE ? w->refused++ : w->warned++;
	struct strbuf b;

	if (nr >= GUARD_LINES)
		return;
	strbuf_init(&b);
	strbuf_addf(&b, "%s:%u:%u", s->pos.file, s->pos.line, s->pos.col);
	if (refuses && !nr)
		w->place_len = (unsigned)b.len;
	strbuf_addf(&b, " guard: set %s %s", s->name, what);
	if (refuses && !nr)
		strbuf_add(&w->first, b.s, b.len);
	if (!w->r || w->r->kind != CTL_CHECK)
		/* the names of a file that the client may not read reach no log */
		log_msg(refuses ? LOG_C_ERR : LOG_C_WARN, "%s%s",
		    w->r && w->r->answer.withheld ? "guard: a set of a withheld file"
						  : b.s,
		    act == GUARD_REFUSE && !refuses && w->r ? " (forced)" : "");
	if (w->r && !w->r->answer.withheld && (!refuses || nr))
		control_answer(
		    w->r, CLI_READING, "%s%s", refuses ? "" : "Warning: ", b.s);
	strbuf_fini(&b);
}

/* guard_before - *@size becomes the number of elements that the set of the name of @s has
 * in the running configuration. Returns: false: the running configuration has no such
 * set. */
static bool
guard_before(uint64_t *size, const struct guard_walk *w, const struct sym *s)
{
	const struct sym *was = w->was ? sym_find(w->was->symbols, s->name) : NULL;

	*size = 0;
	if (!was || was->class != SYM_CONSTANT || !ftype_is_set(was->value.type))
		return false;
	*size = fset_size(was->value.set);
	return true;
}

static uint64_t
guard_entries(const struct sym *s)
{
	return ftype_is_set(s->value.type) ? fset_size(s->value.set) : 0;
}

static void
guard_size(struct guard_walk *w, const struct sym *s, const struct conf_guard_set *g)
{
	uint64_t now = guard_entries(s), was;
	bool known = guard_before(&was, w, s), is_set = ftype_is_set(s->value.type),
	     empties = g->empty && !now && (was || (!known && is_set));
	char what[160] = "is new and empty";

	if (empties) {
		if (known)
			snprintf(what, sizeof(what), "is %s, %llu entr%s before",
			    is_set ? "empty" : "no longer a set", (unsigned long long)was,
			    plural(was, "y", "ies"));
		guard_trip(w, s, (enum guard_act)g->empty, what);
	}
	/* an empty set is also smaller: the stronger reaction counts */
	if ((!empties || g->shrink > g->empty) && g->shrink &&
	    now * 100 < was * (100 - g->percent)) {
		snprintf(what, sizeof(what),
		    "has %llu entr%s, %llu before: %llu %% less, at most %u %%",
		    (unsigned long long)now, plural(now, "y", "ies"),
		    (unsigned long long)was,
		    (unsigned long long)((was - now) * 100 / was), g->percent);
		guard_trip(w, s, (enum guard_act)g->shrink, what);
	}
}

/* guard_age_text - @s seconds in @unit and, if the unit leaves a rest, in the largest
 * smaller unit of the rest: "48 h 20 min". An age above a bound in @unit so differs from
 * the bound. Returns: @to. */
static const char *
guard_age_text(char *to, size_t size, uint64_t s, const char *unit)
{
	static const struct {
		const char *word;
		uint32_t s;
	} units[] = { { "d", 86400 }, { "h", 3600 }, { "min", 60 }, { "s", 1 } };
	size_t i = 0, j;
	uint64_t rest;

	while (strcmp(units[i].word, unit))
		i++;
	rest = s % units[i].s;
	for (j = i; j + 1 < ARRAY_LEN(units) && rest < units[j].s; j++)
		continue;
	if (rest)
		snprintf(to, size, "%llu %s %llu %s",
		    (unsigned long long)(s / units[i].s), unit,
		    (unsigned long long)(rest / units[j].s), units[j].word);
	else
		snprintf(to, size, "%llu %s", (unsigned long long)(s / units[i].s), unit);
	return to;
}

static void
guard_age(struct guard_walk *w, const struct sym *s, const struct conf_guard_set *g)
{
	const struct conf_guard *all = &w->conf->guard;
	const struct conf_guard_file *f = w->file ? all->file[w->file - 1] : NULL;
	char what[160], age[60], most[60];

	if (!conf_guard_file_is(f, s))
		f = all->file[w->file++];
	if (f->age_s <= g->older_s)
		return;
	snprintf(what, sizeof(what), "is of a file that is %s old, at most %s",
	    guard_age_text(age, sizeof(age), f->age_s, g->older_unit),
	    guard_age_text(most, sizeof(most), g->older_s, g->older_unit));
	guard_trip(w, s, (enum guard_act)g->older, what);
}

/* guard_gone - does the constant @was, of the configuration in force, lack a set in the
 * new configuration? The place is the constant's place now, or else before. */
static void
guard_gone(struct guard_walk *w, const struct sym *was)
{
	const struct conf_guard_set *g = conf_guard_of(w->conf, was);
	const struct sym *now = sym_find(w->conf->symbols, was->name);
	uint64_t cnt = g ? guard_entries(was) : 0;
	char what[160];

	if (!cnt || (now && conf_guard_of(w->conf, now)))
		return;
	snprintf(what, sizeof(what), "%s, %llu entr%s before",
	    now ? "is no longer a set" : "has gone", (unsigned long long)cnt,
	    plural(cnt, "y", "ies"));
	guard_trip(
	    w, now ? now : was, g->gone ? (enum guard_act)g->gone : GUARD_WARN, what);
}

static void
guard_walk(struct guard_walk *w)
{
	strbuf_init(&w->first);
	for (const struct sym *s = w->conf->guard.set_cnt ? w->conf->symbols->first
							  : NULL;
	     s; s = s->defined) {
		const struct conf_guard_set *g = conf_guard_of(w->conf, s);

		if (!g)
			continue;
		guard_size(w, s, g);
		if (g->older)
			guard_age(w, s, g);
	}
	for (const struct sym *s =
		 w->conf->guard.set_cnt && w->was ? w->was->symbols->first : NULL;
	     s; s = s->defined)
		guard_gone(w, s);
}

/* guard_refuse - the last line of the answer. */
static void
guard_refuse(struct guard_walk *w)
{
	struct strbuf b;

	strbuf_init(&b);
	if (w->r->answer.withheld)
		strbuf_adds(&b, "A guard refuses the configuration");
	else
		strbuf_add(&b, w->first.s, w->first.len);
	if (w->refused > 1)
		strbuf_addf(&b, ", and %u more", w->refused - 1);
	strbuf_adds(&b, "; `configure force` commits the configuration");
	w->r->answer.place_len = w->r->answer.withheld ? 0 : w->place_len;
	control_answer(w->r, CLI_BAD_CONF, "%s", b.s);
	strbuf_fini(&b);
}

bool
control_guard_check(struct control *c, const struct config *conf, struct control_req *r)
{
	struct guard_walk w = { .was = c->conf->conf, .conf = conf, .r = r };
	bool refused;

	guard_walk(&w);
	refused = w.refused && !r->force;
	if (refused)
		guard_refuse(&w);
	strbuf_fini(&w.first);
	return !refused;
}

void
control_guard_first(const struct config *conf)
{
	struct guard_walk w = { .conf = conf };

	guard_walk(&w);
	strbuf_fini(&w.first);
}
