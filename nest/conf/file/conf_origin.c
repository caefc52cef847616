/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of prefixes with origins, of files and literals.
 *
 * A file has millions of lines, so a line is read by hand (conf_hand.h). A file with an
 * error gives no set: the message names file, line and column, and the configuration is
 * refused. A file without a line end after the last entry is refused, too: of a file that
 * was cut off within a number another AS would get the right.
 *
 * Loop: the thread that parses. Tested by test/unit/test_conf_origin.c. */
#include "nest/conf/file/conf_origin.h"

#include "filter/lang/diag.h"
#include "filter/lang/ext_words.h"
#include "filter/set/origin_set.h"
#include "filter/set/pfx_pattern.h"
#include "filter/set/set.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "nest/conf/conf_gram_help.h"
#include "nest/conf/conf_hand.h"
#include "nest/conf/opt/conf_file.h"

#define ORIGIN_FILE_OCTETS ((size_t)1 << 32) /* longest file */

/* Entries on their way into a set. Owner: the parser. Life: the parser's arena, or the
 * stack of a function. */
struct origin_lit {
	struct origin_entry *e; /* MEM_CONFIG, or of a literal: the scratch arena */
	uint32_t cnt, cap;
};

/* ---- files ---- */

/* The reader of a file. Texts end with a NUL. */
struct origin_in {
	const char *path, *line_start;
	uint32_t line;
	struct diag *d;
};

static bool
origin_error(struct origin_in *in, const char *at, const char *what)
{
	diag_error(in->d,
	    (struct src_pos){ in->path, in->line, (uint32_t)(at - in->line_start) + 1 },
	    "expected %s", what);
	return false;
}

static const char *
origin_skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t' || *p == '\r')
		p++;
	return p;
}

/* origin_read_lengths - read `+`, `{lo,hi}` or nothing. Returns: false after an error. */
static bool
origin_read_lengths(struct origin_in *in, const char **pp, struct origin_entry *e)
{
	uint32_t max = family_bits((enum family)e->fam), lo = e->len, hi = e->len;
	const char *p = *pp;

	if (*p == '+') {
		hi = max;
		p++;
	} else if (*p == '{') {
		p++;
		if (!hand_number(&p, max, &lo) || lo < e->len || *p != ',')
			return origin_error(
			    in, *pp, "{FROM,TO}, lengths from the prefix's length on");
		p = origin_skip_blanks(p + 1);
		if (!hand_number(&p, max, &hi) || hi < lo || *p != '}')
			return origin_error(
			    in, *pp, "{FROM,TO}, lengths from the prefix's length on");
		p++;
	}
	e->lo = (uint8_t)lo;
	e->hi = (uint8_t)hi;
	*pp = p;
	return true;
}

/* origin_read_entry - read the entry at *@pp up to the end of its line. Returns: false
 * after an error. */
static bool
origin_read_entry(struct origin_in *in, const char **pp, struct origin_entry *e)
{
	const char *p = *pp, *at;
	struct prefix net;

	if (!hand_prefix(&p, &net))
		return origin_error(in, p,
		    "a prefix without bits beyond its length, such as 192.0.2.0/24");
	*e = (struct origin_entry){ .addr = net.addr, .len = net.len, .fam = net.fam };
	if (!origin_read_lengths(in, &p, e))
		return false;
	at = origin_skip_blanks(p);
	if (at == p)
		return origin_error(in, p, "a blank and the number of an AS");
	p = at;
	if ((p[0] | 0x20) == 'a' && (p[1] | 0x20) == 's')
		p += 2;
	if (!hand_number(&p, UINT32_MAX, &e->origin))
		return origin_error(in, at, "the number of an AS");
	p = origin_skip_blanks(p);
	if (*p == '#')
		p += strcspn(p, "\n");
	if (*p != '\n')
		return origin_error(in, p,
		    *p ? "the end of the line" : "a line end: the file may be cut off");
	*pp = p + 1;
	return true;
}

/* origin_read - read the entries of @text. Returns: false after an error. */
static bool
origin_read(struct origin_in *in, const char *text, size_t len, struct origin_lit *l)
{
	const char *p = text, *end = text + len;

	while (p < end) {
		in->line++;
		in->line_start = p;
		p = origin_skip_blanks(p);
		if (*p == '#')
			p += strcspn(p, "\n");
		if (*p == '\n') {
			p++;
			continue;
		}
		if (p == end)
			break;
		if (!origin_read_entry(in, &p, &l->e[l->cnt]))
			return false;
		l->cnt++;
	}
	return true;
}

static uint32_t
origin_count_lines(const char *text, size_t len)
{
	const char *end = text + len;
	uint32_t cnt = 1;

	while ((text = memchr(text, '\n', (size_t)(end - text)))) {
		text++;
		cnt++;
	}
	return cnt;
}

/* origin_parse - conf_file_fn: a struct fset. */
static void *
origin_parse(
    struct arena *a, const char *path, const char *text, size_t len, struct diag *d)
{
	struct origin_in in = { .path = path, .d = d };
	uint32_t lines = origin_count_lines(text, len);
	struct origin_lit l = {
		.e = mem_alloc(MEM_CONFIG, lines * sizeof(*l.e)),
	};
	const struct fset *s = NULL;

	if (origin_read(&in, text, len, &l))
		s = fset_of_origins(a, origin_set_build(a, l.e, l.cnt));
	mem_free(MEM_CONFIG, l.e);
	return (void *)(uintptr_t)s;
}

static struct fvalue
origin_value_of(const struct fset *s)
{
	return (struct fvalue){ .type = T_SET_ORIGIN, .set = s };
}

struct fvalue
conf_origin_file(
    struct conf_ctx *c, struct src_pos pos, struct src_pos at, const char *name)
{
	const struct fset *s = NULL;

	ext_type(c->diag, pos, T_SET_ORIGIN);
	if (c->cfg)
		s = conf_file_value(
		    c, at, "origin set", name, ORIGIN_FILE_OCTETS, origin_parse);
	else
		diag_error(c->diag, at, "a command reads no file");
	if (!s)
		return conf_origin_value(c, pos, NULL);
	return origin_value_of(s);
}

/* ---- literals ---- */

bool
conf_origin_word(struct conf_ctx *c, struct src_pos at, const char *word)
{
	if (!strcmp(word, "as"))
		return true;
	diag_error(c->diag, at, "unexpected '%s', expected 'as'", word);
	return false;
}

struct origin_lit *
conf_origin_add(struct conf_ctx *c, struct origin_lit *l, struct src_pos pos,
    const struct set_elem *prefix, bool ok, uint32_t asn)
{
	const struct pfx_pattern *p = &prefix->pattern;
	struct origin_entry *more;

	if (!l)
		l = arena_zalloc(&c->scratch, sizeof(*l));
	if (!ok || prefix->kind != 2)
		return l;
	if (p->lo < p->len) {
		diag_error(c->diag, pos,
		    "an entry of an origin set has lengths from the prefix's length on");
		return l;
	}
	if (l->cnt == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 16;
		more = arena_alloc(&c->scratch, l->cap * sizeof(*more));
		if (l->cnt)
			memcpy(more, l->e, l->cnt * sizeof(*more));
		l->e = more;
	}
	l->e[l->cnt++] = (struct origin_entry){ p->addr, asn, p->len, p->lo, p->hi,
		p->fam };
	return l;
}

struct fvalue
conf_origin_value(struct conf_ctx *c, struct src_pos pos, struct origin_lit *l)
{
	struct origin_lit none = { .e = NULL };

	ext_type(c->diag, pos, T_SET_ORIGIN);
	if (!l)
		l = &none;
	return origin_value_of(
	    fset_of_origins(c->arena, origin_set_build(c->arena, l->e, l->cnt)));
}
