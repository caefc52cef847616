/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of a story that make a member, and that a member performs. The story's task
 * runs the steps. */
#include "test/sim/member_role.h"
#include "test/sim/story.h"
#include "test/sim/words.h"

#include <bsd/string.h>
#include <stdlib.h>
#include <string.h>

static enum member_role
step_role(char **at)
{
	const char *word = words_next(at);
	enum member_role r = role_of(word);

	if (!r)
		sim_fail(
		    "'%s' is no role: provider, rs_server, rs_client, customer, peer",
		    word);
	return r;
}

/* step_percent - "80%". */
static uint32_t
step_percent(char **at)
{
	const char *word = words_next(at);
	char *end;
	unsigned long v = strtoul(word, &end, 10);

	if (v < 1 || v > 1000 || strcmp(end, "%") || *word < '0' || *word > '9')
		sim_fail("'%s' is no part of the due time: 1%% to 1000%%", word);
	return (uint32_t)v;
}

void
story_member(struct story *s, char **at)
{
	char *name = words_next(at), *w;
	struct member *m;

	if (world_find(&s->w, name) || actor_kind_of(name))
		sim_fail("'%s' has a meaning already", name);
	m = world_add(&s->w, name, 0, "", "");
	while (*(w = words_next(at))) {
		if (!strcmp(w, "as"))
			m->as = words_u32(at);
		else if (!strcmp(w, "at"))
			words_address(at, m->address);
		else if (!strcmp(w, "to"))
			words_address(at, m->server);
		else if (!strcmp(w, "hold"))
			m->hold_s = (uint16_t)words_upto(at, UINT16_MAX);
		else if (!strcmp(w, "password"))
			strlcpy(m->password, words_next(at), sizeof(m->password));
		else if (!strcmp(w, "add-path"))
			m->add_path = true;
		else if (!strcmp(w, "restarts"))
			m->restarts = true;
		else if (!strcmp(w, "forgets"))
			m->forgets = true;
		else if (!strcmp(w, "ipv6"))
			m->ipv6 = true;
		else if (!strcmp(w, "extended-next-hop"))
			m->extended_hop = true;
		else if (!strcmp(w, "extended-messages"))
			m->extended_messages = true;
		else if (!strcmp(w, "enhanced-refresh"))
			m->enhanced_refresh = true;
		else if (!strcmp(w, "long-lived"))
			m->long_lived_s = words_u32(at);
		else if (!strcmp(w, "role"))
			m->role = step_role(at);
		else if (!strcmp(w, "ttl"))
			m->ttl = (int)words_upto(at, UINT8_MAX);
		else if (!strcmp(w, "timers"))
			m->timer_percent = step_percent(at);
		else
			story_bad_word(s, *at);
	}
	if (m->long_lived_s && (!m->restarts || m->long_lived_s >> 24))
		sim_fail(
		    "a long-lived member restarts, and its time is below 16777216 s");
	if (!m->as || !*m->address)
		sim_fail("a member has an AS and an address: member NAME as N at "
			 "ADDRESS");
	/* the daemon's addresses in most stories */
	if (!*m->server)
		strlcpy(m->server, strchr(m->address, ':') ? "2001:db8::1" : "10.0.0.1",
		    sizeof(m->server));
	for (const struct member *o = s->w.members; o; o = o->next)
		if (o != m && !strcmp(o->address, m->address))
			sim_fail("%s is at '%s' already", o->name, m->address);
	if (!strchr(m->address, ':') != !strchr(m->server, ':'))
		sim_fail("%s and %s are of different families", m->address, m->server);
}

static void
send_hex(struct member *m, const char *text)
{
	uint8_t buf[WORDS_HEX_MAX];
	uint32_t len;

	if (!words_hex(text, buf, sizeof(buf), &len))
		sim_fail("'%s' are no octets", text);
	m->sent_raw = true;
	member_send_raw(m, buf, len);
}

/* step_id - "[id N]" of a route of the member; 0: none. The member has the capabilities
 * that the route needs, and the prefix has no bits behind the length. */
static uint32_t
step_id(const struct member *m, const char *prefix, char **at)
{
	bool has_id = words_skip(at, "id");
	uint32_t id = has_id ? words_u32(at) : 0;
	struct rib_key k;

	if (has_id && !m->add_path)
		sim_fail("id %u: %s lacks add-path", id, m->name);
	if (!rib_key_of(&k, prefix, id))
		sim_fail("%s is no prefix", prefix);
	if (k.v6 && !m->ipv6)
		sim_fail("%s: %s lacks ipv6", prefix, m->name);
	for (unsigned bit = k.len; bit < 128; bit++)
		if (k.octet[bit / 8] & 0x80 >> bit % 8)
			sim_fail("%s has bits behind the length", prefix);
	return id;
}

/* step_check_withdrawal - fail the run if the member is down, or does not announce the
 * route. */
static void
step_check_withdrawal(const struct member *m, const char *prefix, uint32_t id)
{
	struct rib_key k;

	if (!m->wanted)
		sim_fail(
		    "%s is down and withdraws nothing; 'drops' forgets a route", m->name);
	if (!rib_key_of(&k, prefix, id) || !rib_get(&m->announced, &k))
		sim_fail(id ? "%s does not announce '%s' id %u"
			    : "%s does not announce '%s'%.0u",
		    m->name, prefix, id);
}

/* step_fill_from - announce or withdraw @cnt prefixes of the length of @first, one after
 * the other. Returns: false: @first is no prefix. */
static bool
step_fill_from(struct member *m, const char *first, uint32_t cnt, const char *attrs)
{
	struct rib_key k;
	char prefix[64];

	if (!rib_key_of(&k, first, 0))
		return false;
	for (uint32_t i = 0; i < cnt; i++) {
		unsigned bit = 8 - (k.len + 7u) % 8 - 1, at = (k.len + 7u) / 8 - 1;

		rib_prefix(prefix, &k);
		if (!attrs)
			step_check_withdrawal(m, prefix, 0);
		member_announce(m, prefix, 0, attrs);
		/* the next prefix of that length */
		for (unsigned carry = 1u << bit; carry; at--) {
			carry += k.octet[at];
			k.octet[at] = (uint8_t)carry;
			carry = at ? carry >> 8 : 0;
		}
	}
	return true;
}

static void
step_announce(struct member *m, char **at)
{
	char *prefix = words_next(at);
	uint32_t id = step_id(m, prefix, at);
	char *attrs = words_rest(at);

	if (!*attrs)
		sim_fail("a route has a path: MEMBER announces PREFIX path ...");
	member_announce(m, prefix, id, attrs);
}

static void
step_withdraw(struct member *m, char **at)
{
	const char *prefix = words_next(at);
	uint32_t id = step_id(m, prefix, at);

	step_check_withdrawal(m, prefix, id);
	member_announce(m, prefix, id, NULL);
}

/* step_drop - the member forgets a route without a withdrawal. */
static void
step_drop(struct member *m, char **at)
{
	const char *prefix = words_next(at);
	struct rib_key k;

	if (!rib_key_of(&k, prefix, words_skip(at, "id") ? words_u32(at) : 0) ||
	    !rib_drop(&m->announced, &k))
		sim_fail("%s does not announce '%s'", m->name, prefix);
}

/* fill_ids - "PREFIX ATTRIBUTES": @cnt routes of one prefix. */
static void
fill_ids(struct member *m, uint32_t cnt, bool fills, char **at)
{
	const char *prefix = words_next(at), *attrs = fills ? words_rest(at) : NULL;

	if (!m->add_path)
		sim_fail("%s lacks add-path, and a prefix has one route", m->name);
	for (uint32_t id = 1; id <= cnt; id++) {
		if (!fills)
			step_check_withdrawal(m, prefix, id);
		member_announce(m, prefix, id, attrs);
	}
}

static void
step_fill(struct story *s, struct member *m, bool fills, char **at)
{
	uint32_t cnt = words_u32(at);
	char *prefix;

	if (words_skip(at, "ids")) {
		if (!words_skip(at, "of"))
			story_bad_word(s, *at);
		fill_ids(m, cnt, fills, at);
		return;
	}
	if (!words_skip(at, "from"))
		story_bad_word(s, *at);
	prefix = words_next(at);
	if (!step_fill_from(m, prefix, cnt, fills ? words_rest(at) : NULL))
		sim_fail("'%s' is no prefix", prefix);
}

void
story_of_member(struct story *s, struct member *m, char **at)
{
	char *verb = words_next(at);

	if (!strcmp(verb, "up")) {
		member_up(m);
	} else if (!strcmp(verb, "down")) {
		member_down(m, false);
	} else if (!strcmp(verb, "reset")) {
		member_down(m, true);
		member_up(m);
	} else if (!strcmp(verb, "lost")) {
		member_down(m, true);
	} else if (!strcmp(verb, "silent")) {
		m->silent = true;
	} else if (!strcmp(verb, "mute") || !strcmp(verb, "speaks")) {
		member_mute(m, *verb == 'm');
	} else if (!strcmp(verb, "stops") && words_skip(at, "reading")) {
		m->reads = false;
		m->work = true;
	} else if (!strcmp(verb, "reads")) {
		m->reads = m->work = true;
	} else if (!strcmp(verb, "ttl")) {
		member_set_ttl(m, (int)words_upto(at, UINT8_MAX));
	} else if (!strcmp(verb, "refreshes")) {
		member_refresh(m);
	} else if (!strcmp(verb, "sends")) {
		send_hex(m, words_rest(at));
	} else if (!strcmp(verb, "announces")) {
		step_announce(m, at);
	} else if (!strcmp(verb, "drops")) {
		step_drop(m, at);
	} else if (!strcmp(verb, "fills") || !strcmp(verb, "empties")) {
		step_fill(s, m, *verb == 'f', at);
	} else if (!strcmp(verb, "withdraws")) {
		step_withdraw(m, at);
	} else {
		story_bad_word(s, *at);
	}
}
