/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of overrides (override.h): searched in order, because a set has few members. Loop:
 * any thread. Tested by test/unit/test_override.c. */
#include "nest/core/override.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/prefix.h"
#include "sysdep/os/clock.h"

#include <string.h>
#include <time.h>

OWNED struct overrides *
overrides_new(uint32_t cnt)
{
	struct overrides *s = mem_zalloc(MEM_CONFIG, sizeof(*s) + cnt * sizeof(s->at[0]));

	counter32_add(&s->refs, 1);
	s->cnt = cnt;
	return s;
}

OWNED struct overrides *
overrides_ref(struct overrides *s)
{
	counter32_add(&s->refs, 1);
	return s;
}

static void
overrides_free(struct rcu_node *n)
{
	struct overrides *s = container_of(n, struct overrides, rcu);

	for (uint32_t i = 0; i < s->cnt; i++)
		override_fini(&s->at[i]);
	mem_free(MEM_CONFIG, s);
}

void
overrides_unref(TAKE struct overrides *s)
{
	if (s && counter32_sub_acq_rel(&s->refs, 1) == 1)
		rcu_free_later(&s->rcu, overrides_free);
}

static OWNED char *
override_dup(const char *text)
{
	return text ? mem_strdup(MEM_CONFIG, text) : NULL;
}

void
override_copy(struct override *to, const struct override *o)
{
	*to = *o;
	to->proto = override_dup(o->proto);
	to->reason = override_dup(o->reason);
	to->by = override_dup(o->by);
	to->text = override_dup(o->text);
}

void
override_fini(struct override *o)
{
	mem_free(MEM_CONFIG, o->proto);
	mem_free(MEM_CONFIG, o->reason);
	mem_free(MEM_CONFIG, o->by);
	mem_free(MEM_CONFIG, o->text);
}

void
override_finish(struct override *o)
{
	char until[32];
	struct strbuf b;
	struct tm tm;

	clock_local(&tm, o->until_s);
	strftime(until, sizeof(until), "%F %T", &tm);
	strbuf_init(&b);
	strbuf_addf(&b, "override %u until %s: %s", o->id, until,
	    o->reason ? o->reason : "no reason");
	mem_free(MEM_CONFIG, o->text);
	o->text = mem_strdup(MEM_CONFIG, b.s);
	strbuf_fini(&b);
}

static const char *const override_keys[OVERRIDE_KINDS] = { [OVERRIDE_BLOCK] = "block",
	[OVERRIDE_ACCEPT] = "accept",
	[OVERRIDE_LIMIT] = "limit",
	[OVERRIDE_NO_EXPORT] = "no_export" };

const char *
override_kind_key(enum override_kind k)
{
	return override_keys[k];
}

enum override_kind
override_kind_of(const char *word)
{
	unsigned k = 0;

	while (k < OVERRIDE_KINDS && strcmp(override_keys[k], word) != 0)
		k++;
	return (enum override_kind)k;
}

void
override_print(struct strbuf *b, const struct override *o)
{
	char net[PREFIX_STR_MAX];
	bool to = o->kind == OVERRIDE_NO_EXPORT;

	strbuf_adds(b, to ? "no export" : override_kind_key(o->kind));
	if (o->kind == OVERRIDE_LIMIT)
		strbuf_addf(b, " %u", o->limit);
	if (o->has_net)
		strbuf_addf(b, " %s%s", prefix_str(net, &o->net), o->longer ? "+" : "");
	strbuf_adds(b, to ? " to " : " from ");
	if (o->proto)
		strbuf_adds(b, o->proto);
	else
		strbuf_addf(b, "as%u", o->as);
}

bool
override_concerns(const struct override *o, const char *proto, uint32_t as)
{
	return o->proto ? !strcmp(o->proto, proto) : o->as == as;
}

bool
override_covers(const struct override *o, const struct prefix *net)
{
	if (!o->has_net)
		return true;
	return o->longer ? prefix_contains(&o->net, net) : prefix_equal(&o->net, net);
}

const struct override *
overrides_find(const struct overrides *s, enum override_kind k, const char *proto,
    uint32_t as, const struct prefix *net)
{
	for (uint32_t i = 0; s && i < s->cnt; i++)
		if (s->at[i].kind == k && override_concerns(&s->at[i], proto, as) &&
		    (!net || override_covers(&s->at[i], net)))
			return &s->at[i];
	return NULL;
}

/* overrides_next - the first override of @s from *@i on, of the kind about this session;
 * *@i moves behind the override. */
static const struct override *
overrides_next(const struct overrides *s, uint32_t *i, enum override_kind k,
    const char *proto, uint32_t as)
{
	while (s && *i < s->cnt) {
		const struct override *o = &s->at[(*i)++];

		if (o->kind == k && override_concerns(o, proto, as))
			return o;
	}
	return NULL;
}

bool
overrides_same(const struct overrides *a, const struct overrides *b, enum override_kind k,
    const char *proto, uint32_t as)
{
	const struct override *x, *y;
	uint32_t i = 0, j = 0;

	do {
		x = overrides_next(a, &i, k, proto, as);
		y = overrides_next(b, &j, k, proto, as);
	} while (x && y && x->id == y->id);
	return !x && !y;
}
