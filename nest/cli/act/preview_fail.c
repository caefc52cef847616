/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions on a preview (preview_fail.h): conditions separated by commas; a condition
 * is WORD > NUMBER [%].
 *
 * Loop: the session's. Tested by test/net/test_preview.py. */
#include "nest/cli/act/preview_fail.h"

#include "nest/preview/preview.h"

#include <stdlib.h>
#include <string.h>

#define FAIL_NAMES 5 /* members that the words of a condition name */

static const char *const fail_word[] = { "gained", "lost", "changed", "closed" };

/* ---- parser ---- */

static const char *
fail_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

/* fail_take - step over @word. */
static bool
fail_take(const char **s, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*s, word, len) != 0)
		return false;
	*s = fail_blanks(*s + len);
	return true;
}

/* fail_condition - Returns: false: *@s is the place of an error. */
static bool
fail_condition(struct preview_condition *c, const char **s)
{
	unsigned k = 0;
	char *end;

	*c = (struct preview_condition){ .member = fail_take(s, "member.") };
	while (k < ARRAY_LEN(fail_word) && !fail_take(s, fail_word[k]))
		k++;
	if (k == ARRAY_LEN(fail_word) || (c->member && k == PREVIEW_CHANGES) ||
	    !fail_take(s, ">") || **s < '0' || **s > '9')
		return false;
	c->what = (uint8_t)k;
	c->number = strtoull(*s, &end, 10);
	*s = fail_blanks(end);
	c->percent = fail_take(s, "%");
	return true;
}

bool
preview_fail_parse(struct preview_fail *f, const char *text, const char **bad)
{
	const char *s = fail_blanks(text);

	f->cnt = 0;
	do {
		if (f->cnt == PREVIEW_CONDITIONS || !fail_condition(&f->at[f->cnt], &s)) {
			*bad = s;
			return false;
		}
		f->cnt++;
	} while (fail_take(&s, ","));
	*bad = s;
	return !*s;
}

/* ---- evaluation ---- */

static bool
fail_exceeds(const struct preview_condition *c, uint64_t value, uint64_t of)
{
	return c->percent ? value * 100 > of * c->number : value > c->number;
}

static void
fail_say(struct strbuf *out, const struct preview_condition *c)
{
	strbuf_addf(out, "%s%s > %llu%s", c->member ? "member." : "", fail_word[c->what],
	    (unsigned long long)c->number, c->percent ? " %" : "");
}

/* fail_members - append the members that exceed the number. Returns: their number. */
static unsigned
fail_members(
    const struct preview_condition *c, const struct preview *pv, struct strbuf *out)
{
	unsigned cnt = 0;

	for (unsigned i = 0; i < preview_member_cnt(pv); i++) {
		const struct preview_member *m = preview_member_at(pv, i);
		uint64_t value = 0, of = 0;

		for (unsigned k = 0; k < m->channel_cnt; k++) {
			value += m->channel[k].out.cnt[c->what];
			of += m->channel[k].out.now;
		}
		if (!fail_exceeds(c, value, of) || cnt++ >= FAIL_NAMES)
			continue;
		strbuf_addf(out, "%s%s %llu of %llu", cnt == 1 ? ": " : ", ", m->name,
		    (unsigned long long)value, (unsigned long long)of);
	}
	if (cnt > FAIL_NAMES)
		strbuf_addf(out, " and %u more", cnt - FAIL_NAMES);
	return cnt;
}

bool
preview_fail_met(const struct preview_fail *f, unsigned i, const struct preview *pv,
    struct strbuf *out)
{
	const struct preview_condition *c = &f->at[i];
	struct preview_sums m = preview_sums(pv);
	bool closed = c->what == PREVIEW_CHANGES;
	uint64_t value = closed ? m.closed : m.cnt[c->what];
	uint64_t of = closed ? m.sessions : m.now;

	fail_say(out, c);
	if (c->member)
		return fail_members(c, pv, out) > 0;
	strbuf_addf(
	    out, ": %llu of %llu", (unsigned long long)value, (unsigned long long)of);
	return fail_exceeds(c, value, of);
}
