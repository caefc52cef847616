/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selecting and sorting instances by published state.
 *
 * Loop: the session's, under RCU. Tests: test/net/test_json.py. */
#include "nest/cli/show/cmd_proto_pick.h"

#include "filter/lang/sym.h"
#include "lib/base/scan.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_names.h"
#include "nest/cli/cmd_parse.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/core/tern.h"
#include "nest/rib/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

static const char *const field_name[] = {
	[PROTO_BY_NAME] = "name",
	[PROTO_BY_KIND] = "protocol",
	[PROTO_BY_STATE] = "state",
	[PROTO_BY_SINCE] = "since",
	[PROTO_BY_ROUTES] = "routes",
	[PROTO_BY_FILTERED] = "filtered",
	[PROTO_BY_EXPORTED] = "exported",
	[PROTO_BY_PREFERRED] = "preferred",
	[PROTO_BY_STALE] = "stale",
	[PROTO_BY_DIRTY] = "dirty",
};

static const char *const state_name[] = {
	[PS_DOWN] = "down", [PS_START] = "start", [PS_UP] = "up", [PS_STOP] = "stop"
};

/* pick_is_count - true: the field is compared as a number. */
static bool
pick_is_count(enum proto_field f)
{
	return f >= PROTO_BY_ROUTES;
}

/* ---- facts ---- */

static uint64_t
pick_count_in(const struct channel *ch, enum proto_field f)
{
	const struct channel_stats *st = channel_stats_get(ch);

	switch (f) {
	case PROTO_BY_ROUTES:
		return counter64_get(&st->in.imported);
	case PROTO_BY_FILTERED:
		return counter64_get(&st->in.filtered);
	case PROTO_BY_EXPORTED:
		return counter64_get(&st->exported);
	case PROTO_BY_PREFERRED:
		return channel_preferred(ch);
	case PROTO_BY_STALE:
		return counter64_get(&st->in.stale);
	default:
		return counter64_get(&st->dirty);
	}
}

static uint64_t
cmd_proto_pick_count_of(const struct proto *p, enum proto_field f)
{
	uint64_t sum = 0;

	for (struct channel *ch = proto_first_channel(p); ch; ch = channel_after(p, ch))
		sum += pick_count_in(ch, f);
	return sum;
}

static const char *
pick_word_of(const struct proto *p, enum proto_field f)
{
	if (f == PROTO_BY_STATE)
		return state_name[proto_status_get(p)->state];
	return f == PROTO_BY_KIND ? p->cls->conf->name : p->name;
}

/* ---- choosing ---- */

static bool
pick_fits_op(char op, int cmp)
{
	switch (op) {
	case '=':
		return cmp == 0;
	case '!':
		return cmp != 0;
	case '<':
		return cmp < 0;
	case '>':
		return cmp > 0;
	default:
		return op == 'l' ? cmp <= 0 : cmp >= 0;
	}
}

static int
pick_cmp_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static bool
cmd_proto_pick_fits(const struct proto_cond *c, const struct proto *p)
{
	if (pick_is_count(c->field))
		return pick_fits_op(
		    c->op, pick_cmp_u64(cmd_proto_pick_count_of(p, c->field), c->num));
	return pick_fits_op(c->op, strcasecmp(pick_word_of(p, c->field), c->word) != 0);
}

static bool
cmd_proto_pick_wanted(const struct proto *p, const void *arg)
{
	const struct proto_pick *k = arg;

	if (k->pattern && !scan_glob(k->pattern, p->name))
		return false;
	for (unsigned i = 0; i < k->cond_cnt; i++)
		if (!cmd_proto_pick_fits(&k->cond[i], p))
			return false;
	return true;
}

/* ---- sorting ---- */

struct row {
	char *name;
	uint64_t num;
	const char *word;
	uint32_t at; /* original position */
};

static int
pick_by_word(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int c = strcmp(x->word, y->word);

	return c ? c : pick_cmp_u64(x->at, y->at);
}

static int
pick_by_num(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int c = pick_cmp_u64(y->num, x->num);

	return c ? c : pick_cmp_u64(x->at, y->at);
}

static void
pick_fill_row(struct row *r, const struct proto *p, enum proto_field f)
{
	if (pick_is_count(f))
		r->num = cmd_proto_pick_count_of(p, f);
	else if (f == PROTO_BY_SINCE)
		r->num = proto_status_get(p)->since_ns;
	else
		r->word = pick_word_of(p, f);
}

/* cmd_proto_pick_sort - by words ascending, by counts and times the greatest first. */
static void
cmd_proto_pick_sort(struct cmd_names *n, const struct tern_view *v, enum proto_field f)
{
	struct row *row = mem_zalloc(MEM_OTHER, (n->cnt + 1) * sizeof(*row));
	bool words = !pick_is_count(f) && f != PROTO_BY_SINCE;

	for (n->pos = 0; n->pos < n->cnt; n->pos++) {
		const struct proto *p = cmd_names_proto(n, v);

		row[n->pos] = (struct row){
			.name = n->name[n->pos], .at = n->pos, .word = ""
		};
		if (p)
			pick_fill_row(&row[n->pos], p, f);
	}
	qsort(row, n->cnt, sizeof(*row), words ? pick_by_word : pick_by_num);
	for (uint32_t i = 0; i < n->cnt; i++)
		n->name[i] = row[i].name;
	n->pos = 0;
	mem_free(MEM_OTHER, row);
}

void
proto_pick_names(
    const struct proto_pick *k, struct cmd_names *n, const struct tern_view *v)
{
	cmd_names_init(n, v, cmd_proto_pick_wanted, k);
	if (k->sort != PROTO_BY_NONE)
		cmd_proto_pick_sort(n, v, k->sort);
}

/* ---- reading ---- */

static bool
pick_take_field(struct cli_session *s, struct cli_scan *sc, enum proto_field *f)
{
	for (unsigned i = PROTO_BY_NAME; i < ARRAY_LEN(field_name); i++)
		if (cli_scan_word(sc, field_name[i])) {
			*f = (enum proto_field)i;
			return true;
		}
	cli_end(s, CLI_BAD_COMMAND,
	    "name, protocol, state, since, routes, filtered, exported, preferred, stale "
	    "or dirty expected");
	return false;
}

/* pick_take_op - = != < > <= >=, the last two as 'l' and 'g'. */
static bool
pick_take_op(struct cli_session *s, struct cli_scan *sc, struct proto_cond *c)
{
	c->op = sc->tok == TOK_CHAR ? sc->chr : 0;
	if (c->op && strchr("=!<>", c->op)) {
		cli_scan_step(sc);
		if (c->op == '=' || (c->op != '!' && !cli_scan_char(sc, '=')))
			return true;
		if (c->op != '!') {
			c->op = c->op == '<' ? 'l' : 'g';
			return true;
		}
		if (cli_scan_char(sc, '='))
			return true;
	}
	cli_syntax(s, sc, "'=' or '!=' or '<' or '>'");
	return false;
}

static bool
cmd_proto_pick_take_value(
    struct cli_session *s, struct cli_scan *sc, struct proto_cond *c)
{
	if (pick_is_count(c->field) ? sc->tok != TOK_NUM
				    : !cli_scan_is_name(sc) && sc->tok != TOK_TEXT) {
		cli_syntax(s, sc,
		    pick_is_count(c->field) ? "a number" : "a name or a text in quotes");
		return false;
	}
	if (!pick_is_count(c->field) &&
	    (c->field == PROTO_BY_SINCE || strchr("<>lg", c->op))) {
		cli_end(
		    s, CLI_BAD_COMMAND, "This comparison needs a count, such as routes");
		return false;
	}
	c->num = sc->num;
	snprintf(c->word, sizeof(c->word), "%.*s", (int)sizeof(c->word) - 1, sc->text);
	cli_scan_step(sc);
	return true;
}

static bool
pick_take_where(struct cli_session *s, struct cli_scan *sc, struct proto_pick *k)
{
	do {
		struct proto_cond *c = &k->cond[k->cond_cnt];

		if (k->cond_cnt == PROTO_PICK_CONDS) {
			cli_end(s, CLI_BAD_COMMAND, "More than %u conditions",
			    PROTO_PICK_CONDS);
			return false;
		}
		if (!pick_take_field(s, sc, &c->field) || !pick_take_op(s, sc, c) ||
		    !cmd_proto_pick_take_value(s, sc, c))
			return false;
		k->cond_cnt++;
	} while (cli_scan_word(sc, "and"));
	return true;
}

/* pick_is_clause - true: the present token is `where` or `sort`, and no protocol's name.
 */
static bool
pick_is_clause(const struct cli_session *s, const struct cli_scan *sc)
{
	const struct sym *y;

	if (sc->tok != TOK_WORD ||
	    (strcmp(sc->text, "where") && strcmp(sc->text, "sort")))
		return false;
	y = sym_find(s->conf->conf->symbols, sc->text);
	return !y || y->class != SYM_PROTOCOL || sc->next[strspn(sc->next, " \t")];
}

static bool
cmd_proto_pick_take_pattern(
    struct cli_session *s, struct cli_scan *sc, struct proto_pick *k, bool all)
{
	if (sc->tok == TOK_TEXT) {
		k->pattern = mem_strdup(MEM_OTHER, sc->text);
		cli_scan_step(sc);
		return true;
	}
	return sc->tok == TOK_END || pick_is_clause(s, sc) ||
	       cmd_parse_symbol(s, sc, SYM_PROTOCOL, "Protocol name required",
		   all ? "a protocol, a pattern in quotes or the end of the command"
		       : "a protocol, a pattern in quotes, 'all' or the end of the "
			 "command",
		   &k->pattern);
}

bool
proto_pick_take(
    struct cli_session *s, struct cli_scan *sc, struct proto_pick *k, bool all)
{
	*k = (struct proto_pick){ 0 };
	if (!cmd_proto_pick_take_pattern(s, sc, k, all))
		return false;
	if (cli_scan_word(sc, "where") && !pick_take_where(s, sc, k))
		return false;
	if (cli_scan_word(sc, "sort") && !pick_take_field(s, sc, &k->sort))
		return false;
	return cli_at_end(s, sc);
}

void
proto_pick_fini(struct proto_pick *k)
{
	mem_free(MEM_OTHER, k->pattern);
}
