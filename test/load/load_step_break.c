/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that disturb: sessions that end and come back, clients that stop reading,
 * refreshes, and a storm of prefixes that come and go. */
#include "test/load/load_step.h"

#include "lib/mem/mem.h"

#include <sys/socket.h>

/* @cnt different clients, at random, that are up. Returns: how many. */
static uint32_t
load_step_break_choose(struct load_run *r, uint32_t *out, uint32_t cnt)
{
	uint32_t c, n = 0;

	for (c = 0; c < r->clients; c++)
		if (r->client[c].state == CL_ESTABLISHED && !r->client[c].stalled)
			out[n++] = c;
	load_rng_shuffle(&r->rng, out, n);
	return n < cnt ? n : cnt;
}

static void
drop_start(struct load_run *r, struct load_step *s)
{
	uint32_t *who = mem_alloc(MEM_OTHER, r->clients * sizeof(*who)), n, i;
	struct linger reset = { 1, 0 };
	struct load_client *c;

	n = load_step_break_choose(r, who, (uint32_t)s->a);
	for (i = 0; i < n; i++) {
		c = &r->client[who[i]];
		c->dropped = true;
		if (i % 2)
			load_client_cease(r, c);
		else
			setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		load_client_close(r, c, NULL);
		c->retry_ns = r->now + (uint64_t)((s->b < 0 ? 0.5 : s->b) * (double)NS_S);
	}
	mem_free(MEM_OTHER, who);
}

static bool
all_back(struct load_run *r, struct load_step *s)
{
	uint32_t c;

	(void)s;
	for (c = 0; c < r->clients; c++)
		if (r->client[c].dropped)
			return false;
	return r->up_cnt == r->clients && load_steps_quiet(r);
}

static void
die_start(struct load_run *r, struct load_step *s)
{
	uint32_t *who = mem_alloc(MEM_OTHER, r->clients * sizeof(*who)), n, i;
	struct linger reset = { 1, 0 };
	struct load_client *c;

	n = load_step_break_choose(r, who, (uint32_t)s->a);
	for (i = 0; i < n; i++) /* before the clock runs */
		load_model_client(&r->model, who[i], false, r->now);
	s->start_ns = r->now = load_now();
	for (i = 0; i < n; i++) {
		c = &r->client[who[i]];
		c->dropped = c->away = true;
		r->away_cnt++;
		if (i % 2)
			load_client_cease(r, c);
		else
			setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		load_client_hang_up(c);
	}
	for (i = 0; i < n; i++) /* all are gone: what we note of it takes them no time */
		load_client_close(r, &r->client[who[i]], NULL);
	mem_free(MEM_OTHER, who);
}

static bool
die_done(struct load_run *r, struct load_step *s)
{
	(void)s;
	return load_steps_quiet(r);
}

/* What all must hold then is computed before the clock runs. */
static void
join_start(struct load_run *r, struct load_step *s)
{
	uint32_t c;

	for (c = 0; c < r->clients; c++)
		r->facts[c].up = r->facts[c].up || r->client[c].away;
	load_model_decide_all(&r->model, r->now);
	s->start_ns = r->now = load_now();
	for (c = 0; c < r->clients; c++) {
		if (!r->client[c].away)
			continue;
		r->client[c].away = false;
		r->client[c].dropped = true;
		r->client[c].retry_ns = 0;
		r->away_cnt--;
	}
}

static bool
load_step_break_feed_done(struct load_run *r, struct load_step *s)
{
	(void)r;
	(void)s;
	return true;
}

enum garbage { G_NOISE, G_MARKER, G_SHORT, G_LONG, G_TYPE, G_OPEN, G_CUT, G_CNT };

/* Octets that no BGP speaker may accept. Returns: how many. */
static unsigned
make_garbage(struct load_rng *g, uint8_t *m, enum garbage kind)
{
	unsigned i;

	for (i = 0; i < 100; i++)
		m[i] = (uint8_t)load_rng_u64(g);
	m[0] = 0; /* in case noise looks like a marker */
	if (kind == G_NOISE)
		return 100;
	msg_put_header(m, 100, MSG_UPDATE);
	if (kind == G_MARKER)
		m[7] = 0;
	if (kind == G_SHORT)
		put_be16(m + 16, MSG_HEADER - 1);
	if (kind == G_LONG)
		put_be16(m + 16, 0xfff0);
	if (kind == G_TYPE)
		m[18] = 77;
	if (kind == G_OPEN)
		m[18] = MSG_OPEN; /* no state expects one by now */
	return kind == G_CUT ? 50 : 100;
}

/* Some say what makes no sense and wait for what happens, others end in the middle of a
 * message. */
static void
garbage_start(struct load_run *r, struct load_step *s)
{
	uint32_t *who = mem_alloc(MEM_OTHER, r->clients * sizeof(*who)), n, i;
	struct load_client *c;

	n = load_step_break_choose(r, who, (uint32_t)s->a);
	for (i = 0; i < n; i++) {
		enum garbage kind = (enum garbage)load_rng_below(&r->rng, G_CNT);

		c = &r->client[who[i]];
		c->dropped = true;
		load_client_queue(c, make_garbage(&r->rng, load_client_room(c), kind));
		load_client_flush(r, c);
		if (kind == G_CUT)
			load_client_close(r, c, NULL);
	}
	mem_free(MEM_OTHER, who);
}

static void
mute_start(struct load_run *r, struct load_step *s)
{
	uint32_t *who = mem_alloc(MEM_OTHER, r->clients * sizeof(*who)), n, i;
	struct load_client *c;

	n = load_step_break_choose(r, who, (uint32_t)s->a);
	for (i = 0; i < n; i++) {
		c = &r->client[who[i]];
		c->dropped = true;
		load_client_close(r, c, NULL);
		c->mute_ns = r->now + (uint64_t)((s->b < 0 ? 1 : s->b) * (double)NS_S);
	}
	mem_free(MEM_OTHER, who);
}

/* The client that a step is about: its value, or any if there is no such. */
static struct load_client *
load_step_break_client_of(struct load_run *r, double nr)
{
	if (nr >= 0 && nr < r->clients)
		return &r->client[(uint32_t)nr];
	return &r->client[load_rng_below(&r->rng, r->clients)];
}

static void
stall_start(struct load_run *r, struct load_step *s)
{
	load_client_stall(r, load_step_break_client_of(r, s->a), true);
}

static bool
stall_done(struct load_run *r, struct load_step *s)
{
	return s->b < 0 || r->now >= s->start_ns + (uint64_t)(s->b * (double)NS_S);
}

static void
unstall_start(struct load_run *r, struct load_step *s)
{
	uint32_t c;

	(void)s;
	for (c = 0; c < r->clients; c++) {
		if (!r->client[c].stalled)
			continue;
		r->client[c].rx_ns = r->now; /* its hold timer stood still */
		load_client_stall(r, &r->client[c], false);
	}
}

static uint64_t
expected_cnt(const struct load_run *r, uint32_t client)
{
	uint64_t cnt = 0;
	uint32_t n;

	for (n = 0; n < r->nets.cnt; n++)
		cnt += load_board_wanted(&r->board, client, n);
	return cnt;
}

static void
refresh_start(struct load_run *r, struct load_step *s)
{
	uint32_t *who = mem_alloc(MEM_OTHER, r->clients * sizeof(*who)), n, i;
	struct load_client *c;
	unsigned fam;

	n = load_step_break_choose(r, who, (uint32_t)s->a);
	for (i = 0; i < n; i++) {
		c = &r->client[who[i]];
		c->rx_refresh_mark = r->board.row[c->nr].prefixes +
				     expected_cnt(r, c->nr);
		for (fam = 0; fam < FAM_CNT; fam++)
			if (r->opt->families >> fam & 1)
				load_client_queue(c, msg_put_refresh(load_client_room(c),
							 (enum family)fam));
		load_client_flush(r, c);
	}
	mem_free(MEM_OTHER, who);
}

/* Everything that it holds must have come once more. */
static bool
refresh_done(struct load_run *r, struct load_step *s)
{
	uint32_t c;

	(void)s;
	for (c = 0; c < r->clients; c++)
		if (r->board.row[c].prefixes < r->client[c].rx_refresh_mark)
			return false;
	return load_steps_quiet(r);
}

#define STORM_BLOCK 4096

/* One block of /30 of 126.0.0.0/8, announced or withdrawn. */
static void
storm_block(struct load_client *c, struct span attrs, uint32_t first, bool announce)
{
	uint32_t i = 0;

	while (i < STORM_BLOCK) {
		uint8_t *m = load_client_room(c);
		unsigned mp_at, at = MSG_HEADER + 2, len;

		if (announce)
			at = attr_put_update(m, attrs, c->as4, FAM_IP4, &mp_at);
		len = at;
		for (; i < STORM_BLOCK && len + 11 <= MSG_MAX; i++) {
			if (c->ids_out) {
				put_be32(m + len, 0);
				len += 4;
			}
			len += msg_put_prefix(m + len,
			    (uint64_t)(126u << 24 | ((first + i) << 2 & 0xffffff)) << 32,
			    0, 30);
		}
		if (announce) {
			load_client_queue(c, attr_finish_update(m, len, at, 0));
			continue;
		}
		put_be16(m + MSG_HEADER, (uint16_t)(len - at));
		put_be16(m + len, 0);
		load_client_queue(c, msg_put_header(m, len + 2, MSG_UPDATE));
	}
}

static void
storm_start(struct load_run *r, struct load_step *s)
{
	struct load_client *c = load_step_break_client_of(r, s->b < 0 ? 0 : s->b);

	(void)r;
	s->left = (uint32_t)s->a / STORM_BLOCK + 1;
	s->set = c->route_cnt ? r->model.route[c->route[0]].set : 0;
	s->route = c->nr;
}

static bool
storm_done(struct load_run *r, struct load_step *s)
{
	struct load_client *c = &r->client[s->route];

	if (!s->set || c->state != CL_ESTABLISHED)
		return true;
	while (s->left && c->tx_pos == c->tx_len) {
		s->left--;
		storm_block(c, r->sets.set[s->set].canon, s->left * STORM_BLOCK, true);
		storm_block(c, r->sets.set[s->set].canon, s->left * STORM_BLOCK, false);
		r->steps->changes += 2 * STORM_BLOCK;
		load_client_flush(r, c);
	}
	return !s->left && c->tx_pos == c->tx_len && load_steps_quiet(r);
}

const struct step_kind step_drop = { "drop",
	"N:S: N clients go, half of the clients rudely, and return after S seconds", 1,
	drop_start, all_back };
const struct step_kind step_die = { "die",
	"N: N clients go, half of the clients rudely, and stay away", 1, die_start,
	die_done };
const struct step_kind step_join = { "join", "all absent clients connect and announce", 0,
	join_start, all_back };
const struct step_kind step_feed = { "feed", "like join, but don't wait for the end", 0,
	join_start, load_step_break_feed_done };
const struct step_kind step_garbage = { "garbage",
	"N: N clients send messages that a server must refuse, and return", 1,
	garbage_start, all_back };
const struct step_kind step_mute = { "mute",
	"N:S: N clients go, connect without a word for S seconds, and return", 1,
	mute_start, all_back };
const struct step_kind step_stall = { "stall",
	"C:S: client number C stops reading; go on after S seconds", 0, stall_start,
	stall_done };
const struct step_kind step_unstall = { "unstall", "all read again", 0, unstall_start,
	all_back };
const struct step_kind step_refresh = { "refresh", "N: N clients ask for all routes anew",
	1, refresh_start, refresh_done };
const struct step_kind step_storm = { "storm",
	"N:C: client C announces and withdraws N other prefixes", 100000, storm_start,
	storm_done };
