/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joins the sessions of a member that has one session for each family.
 *
 * Two sessions of one AS share a line if one of them has IPv4 alone, the other has IPv6
 * alone, and
 *   - the AS has no other session among the listed sessions, or
 *   - both names differ in one character: 4 and 6, as `as64501_4` and `as64501_6`.
 * So two routers of one AS have two lines, with two sessions in each line.
 *
 * Loop: the session's, under RCU. Tested by test/net/test_members.py. */
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/cli/show/member/cmd_members_join.h"

#include <stdlib.h>
#include <string.h>

/* A listed session. */
struct join_session {
	const struct proto *p;
	uint32_t as; /* 0: not known */
	uint32_t nr; /* in the order of the view */
	bool has[FAM_CNT];
	struct join_session *other; /* of the same line; NULL: none */
};

static bool
join_has_only(const struct join_session *s, enum family f)
{
	return s->as && s->has[f] && !s->has[f == FAM_IP4 ? FAM_IP6 : FAM_IP4];
}

static void
join_session_get(struct join_session *s, const struct proto *p, uint32_t nr)
{
	struct proto_member m = { 0 };

	*s = (struct join_session){ .p = p, .nr = nr };
	if (p->cls->member.describe && p->cls->member.describe(p, &m))
		s->as = m.as;
	for (struct channel *ch = proto_first_channel(p); ch; ch = channel_after(p, ch))
		if (channel_family(ch) < FAM_CNT)
			s->has[channel_family(ch)] = true;
}

/* join_names_fit - do the names differ in one character, 4 and 6? */
static bool
join_names_fit(const char *name4, const char *name6)
{
	size_t len = strlen(name4), same = 0;

	if (strlen(name6) != len)
		return false;
	while (same < len && name4[same] == name6[same])
		same++;
	return same < len && name4[same] == '4' && name6[same] == '6' &&
	       !strcmp(name4 + same + 1, name6 + same + 1);
}

static int
join_by_as(const void *a, const void *b)
{
	const struct join_session *x = a, *y = b;

	return x->as != y->as ? (x->as > y->as) - (x->as < y->as)
			      : (x->nr > y->nr) - (x->nr < y->nr);
}

static int
join_by_nr(const void *a, const void *b)
{
	const struct join_session *const *x = a, *const *y = b;

	return ((*x)->nr > (*y)->nr) - ((*x)->nr < (*y)->nr);
}

/* join_one_as - join the @cnt sessions @s of one AS. */
static void
join_one_as(struct join_session *s, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++) {
		for (uint32_t k = 0; k < cnt && !s[i].other; k++) {
			if (!join_has_only(&s[i], FAM_IP4) ||
			    !join_has_only(&s[k], FAM_IP6) || s[k].other)
				continue;
			if (cnt != 2 && !join_names_fit(s[i].p->name, s[k].p->name))
				continue;
			s[i].other = &s[k];
			s[k].other = &s[i];
		}
	}
}

static void
members_join_add(struct members_join *j, const struct join_session *s, bool with_next)
{
	uint32_t at = j->names.cnt++;

	j->proto[at] = s->p;
	j->names.name[at] = mem_strdup(MEM_OTHER, s->p->name);
	j->with_next[at] = with_next;
}

/* join_put - the line of @s, if @s is the line's first session in the view. */
static void
join_put(struct members_join *j, const struct join_session *s)
{
	const struct join_session *o = s->other;

	if (!o) {
		members_join_add(j, s, false);
	} else if (s->nr < o->nr) {
		members_join_add(j, join_has_only(s, FAM_IP4) ? s : o, true);
		members_join_add(j, join_has_only(s, FAM_IP4) ? o : s, false);
	}
}

void
members_join_init(struct members_join *j, const struct tern_view *v,
    bool (*wanted)(const struct proto *p, const void *arg), const void *arg)
{
	struct join_session *s = mem_alloc(MEM_OTHER, (v->proto_cnt + 1) * sizeof(*s));
	struct join_session **by_nr;
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < v->proto_cnt; i++)
		if (wanted(v->proto[i], arg)) {
			join_session_get(&s[cnt], v->proto[i], cnt);
			cnt++;
		}
	qsort(s, cnt, sizeof(*s), join_by_as);
	for (uint32_t i = 0, k; i < cnt; i = k) {
		for (k = i + 1; k < cnt && s[k].as == s[i].as;)
			k++;
		if (s[i].as)
			join_one_as(s + i, k - i);
	}
	by_nr = mem_alloc(MEM_OTHER, (cnt + 1) * sizeof(struct join_session *));
	for (uint32_t i = 0; i < cnt; i++)
		by_nr[i] = &s[i];
	qsort(by_nr, cnt, sizeof(struct join_session *), join_by_nr);
	*j = (struct members_join){
		.names.name = mem_alloc(MEM_OTHER, (cnt + 1) * sizeof(char *)),
		.with_next = mem_alloc(MEM_OTHER, (cnt + 1) * sizeof(bool)),
		.proto = mem_alloc(MEM_OTHER, (cnt + 1) * sizeof(struct proto *)),
	};
	for (uint32_t i = 0; i < cnt; i++)
		join_put(j, by_nr[i]);
	mem_free(MEM_OTHER, (void *)by_nr);
	mem_free(MEM_OTHER, s);
}

void
members_join_fini(struct members_join *j)
{
	cmd_names_fini(&j->names);
	mem_free(MEM_OTHER, j->with_next);
	mem_free(MEM_OTHER, (void *)j->proto);
}
