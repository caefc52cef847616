/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words for communities: a sorted array of entries without `*`, and an array of the
 * entries with `*` in the order of the file.
 *
 * No state; any thread. Tested by test/unit/test_comm_words.c. */
#include "nest/conf/file/comm_words.h"

#include "filter/lang/diag.h"
#include "filter/value/type.h"
#include "lib/attr/attr_def.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 3

/* The community of an entry. */
struct comm_key {
	enum comm_kind kind;
	struct comm comm; /* of the words except `*` */
	uint8_t any; /* a bit for each word `*` */
	uint8_t cnt; /* words */
};

struct comm_word {
	struct comm_key key;
	const char *text;
	uint32_t line;
};

struct comm_words {
	struct comm_word *exact, *wild;
	uint32_t exact_cnt, wild_cnt;
};

static const uint8_t kind_code[COMM_KINDS] = { [COMM_STD] = ATTR_COMMUNITY,
	[COMM_EXT] = ATTR_EXT_COMMUNITY,
	[COMM_LARGE] = ATTR_LARGE_COMMUNITY };

/* ---- well-known communities ---- */

#define KNOWN_HIGH 0xffff /* the first word (RFC 1997) */

static const struct {
	uint16_t low;
	const char *text;
} known_words[] = {
	{ 0, "GRACEFUL_SHUTDOWN (RFC 8326): the session of the route ends soon" },
	{ 1, "ACCEPT_OWN (RFC 7611): the sender takes the route back into other tables" },
	{ 6, "LLGR_STALE (RFC 9494): the route is stale, because a session is down" },
	{ 7, "NO_LLGR (RFC 9494): the route does not stay when its session is down" },
	{ 9, "STANDBY_PE (RFC 9026): the route of the standby router for multicast" },
	{ 666, "BLACKHOLE (RFC 7999): discard the traffic to the network" },
	{ 65281, "NO_EXPORT (RFC 1997): not to other autonomous systems" },
	{ 65282, "NO_ADVERTISE (RFC 1997): to no other router" },
	{ 65283, "NO_EXPORT_SUBCONFED (RFC 1997): to no external session" },
	{ 65284, "NOPEER (RFC 3765): not to bilateral peers" },
};

/* comm_words_known - the text of a well-known community; NULL: @c is none. */
static const char *
comm_words_known(struct comm_of c)
{
	if (c.kind != COMM_STD || c.comm.v[0] != KNOWN_HIGH)
		return NULL;
	for (size_t i = 0; i < sizeof(known_words) / sizeof(known_words[0]); i++)
		if (known_words[i].low == c.comm.v[1])
			return known_words[i].text;
	return NULL;
}

/* ---- reading a community ---- */

/* comm_words_read_word - read a number or `*`. Returns: false: neither stands here. */
static bool
comm_words_read_word(const char **p, const char *end, struct comm_key *k)
{
	uint64_t n = 0;
	const char *s = *p;

	if (k->cnt == WORDS_MAX)
		return false;
	if (s < end && *s == '*') {
		k->any |= (uint8_t)(1u << k->cnt++);
		*p = s + 1;
		return true;
	}
	while (s < end && isdigit((unsigned char)*s) && n <= UINT32_MAX)
		n = n * 10 + (uint64_t)(*s++ - '0');
	if (s == *p || n > UINT32_MAX)
		return false;
	k->comm.v[k->cnt++] = (uint32_t)n;
	*p = s;
	return true;
}

/* words_read_target - "rt", "ro": an extended community begins. */
static bool
words_read_target(const char **p, const char *end, bool *ro)
{
	if (end - *p < 3 || strncmp(*p, "r", 1) || !strchr("to", (*p)[1]))
		return false;
	*ro = (*p)[1] == 'o';
	*p += 2;
	return true;
}

static const char *
comm_words_skip_blanks(const char *p, const char *end)
{
	while (p < end && *p == ' ')
		p++;
	return p;
}

/* words_key_target - turn the two words of @k into an extended community. Types: RFC
 * 4360 and RFC 5668, as filters choose them. */
static bool
words_key_target(struct comm_key *k, bool ro)
{
	uint32_t sub = ro ? 3 : 2, as = k->comm.v[0], n = k->comm.v[1];

	if (k->cnt != 2 || k->any)
		return false; /* style: the type depends on both numbers */
	k->kind = COMM_EXT;
	k->cnt = 3;
	if (as <= UINT16_MAX)
		k->comm = (struct comm){ { sub << 16 | as, n, 0 } };
	else if (n <= UINT16_MAX)
		k->comm = (struct comm){ { (0x0200 | sub) << 16 | as >> 16, as << 16 | n,
		    0 } };
	else
		return false;
	return true;
}

/* comm_words_read_key - read "65000:1101:13", "(65000, 1101, *)", "rt:65000:7". Returns:
 * false: no community. */
static bool
comm_words_read_key(const char *p, const char *end, struct comm_key *k)
{
	bool paren = p < end && *p == '(', ro = false, target;

	*k = (struct comm_key){ 0 };
	if (paren) {
		if (end[-1] != ')')
			return false;
		p++;
		end--;
	}
	target = words_read_target(&p, end, &ro);
	for (bool first = !target;; first = false) {
		p = comm_words_skip_blanks(p, end);
		if (!first && p < end && (*p == ':' || *p == ','))
			p = comm_words_skip_blanks(p + 1, end);
		else if (!first)
			break;
		if (!comm_words_read_word(&p, end, k))
			return false;
	}
	if (comm_words_skip_blanks(p, end) != end)
		return false;
	if (target)
		return words_key_target(k, ro);
	k->kind = k->cnt == 3 ? COMM_LARGE : COMM_STD;
	for (unsigned i = 0; k->kind == COMM_STD && i < k->cnt; i++)
		if (k->comm.v[i] > UINT16_MAX)
			return false;
	return k->cnt >= 2;
}

/* ---- the file ---- */

static int
words_key_cmp(const struct comm_key *a, const struct comm_key *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	for (unsigned i = 0; i < WORDS_MAX; i++)
		if (a->comm.v[i] != b->comm.v[i])
			return a->comm.v[i] < b->comm.v[i] ? -1 : 1;
	return 0;
}

static int
word_cmp(const void *a, const void *b)
{
	const struct comm_word *x = a, *y = b;
	int d = words_key_cmp(&x->key, &y->key);

	return d ? d : x->line < y->line ? -1 : x->line > y->line;
}

/* The reader of a file. */
struct words_in {
	struct arena *a;
	const char *path;
	struct diag *d;
	struct comm_word *word;
	uint32_t cnt, cap, line;
};

static void
words_line_error(struct words_in *in, const char *line, const char *at, const char *what)
{
	struct src_pos pos = { in->path, in->line, (uint32_t)(at - line) + 1 };

	diag_error(in->d, pos, "expected %s", what);
}

static bool
words_is_text(const char *s, const char *end)
{
	for (; s < end; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			return false;
	return true;
}

/* comm_words_read_line - Returns: false after an error. */
static bool
comm_words_read_line(struct words_in *in, const char *line, const char *end)
{
	struct comm_word w = { .line = in->line };
	const char *tab, *text;

	while (end > line && strchr(" \t\r", end[-1]))
		end--;
	if (end == line || *line == '#')
		return true;
	tab = memchr(line, '\t', (size_t)(end - line));
	if (!tab) {
		words_line_error(in, line, end, "a tab and a text behind the community");
		return false;
	}
	if (!comm_words_read_key(line, tab, &w.key)) {
		words_line_error(in, line, line,
		    "a community, such as 65000:1101:13 or 65000:0:*, and a tab");
		return false;
	}
	for (text = tab; *text == '\t' || *text == ' '; text++)
		;
	if (!words_is_text(text, end)) {
		words_line_error(in, line, text, "a text without control characters");
		return false;
	}
	w.text = arena_strndup(in->a, text, (size_t)(end - text));
	in->word = vec_room(
	    MEM_CONFIG, in->word, &in->cap, in->cnt + 1, sizeof(*in->word));
	in->word[in->cnt++] = w;
	return true;
}

/* comm_words_of - put the read entries in their order. Of equal communities the first
 * entry counts. */
static struct comm_words *
comm_words_of(struct words_in *in)
{
	struct comm_words *w = arena_zalloc(in->a, sizeof(*w));

	w->exact = arena_alloc(in->a, (in->cnt + 1) * sizeof(*w->exact));
	w->wild = arena_alloc(in->a, (in->cnt + 1) * sizeof(*w->wild));
	for (uint32_t i = 0; i < in->cnt; i++)
		if (in->word[i].key.any)
			w->wild[w->wild_cnt++] = in->word[i];
		else
			w->exact[w->exact_cnt++] = in->word[i];
	qsort(w->exact, w->exact_cnt, sizeof(*w->exact), word_cmp);
	return w;
}

struct comm_words *
comm_words_parse(
    struct arena *a, const char *path, const char *text, size_t len, struct diag *d)
{
	struct words_in in = { .a = a, .path = path, .d = d };
	const char *end = text + len, *eol;
	struct comm_words *w = NULL;
	bool ok = true;

	while (ok && text < end) {
		in.line++;
		eol = memchr(text, '\n', (size_t)(end - text));
		ok = comm_words_read_line(&in, text, eol ? eol : end);
		text = eol ? eol + 1 : end;
	}
	if (ok && !in.cnt) {
		in.line = 1;
		words_line_error(&in, text, text,
		    "a community, a tab and a text: the file has no entry");
		ok = false;
	}
	if (ok)
		w = comm_words_of(&in);
	mem_free(MEM_CONFIG, in.word);
	return w;
}

/* ---- looking up ---- */

static bool
words_fits(const struct comm_key *k, struct comm_of c)
{
	if (k->kind != c.kind)
		return false;
	for (unsigned i = 0; i < k->cnt; i++)
		if (!(k->any & (1u << i)) && k->comm.v[i] != c.comm.v[i])
			return false;
	return true;
}

static const struct comm_word *
words_find_exact(const struct comm_words *w, struct comm_of c)
{
	struct comm_key k = { .kind = c.kind, .comm = c.comm };
	uint32_t lo = 0, hi = w->exact_cnt;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (words_key_cmp(&w->exact[mid].key, &k) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < w->exact_cnt && !words_key_cmp(&w->exact[lo].key, &k) ? &w->exact[lo]
									  : NULL;
}

static const struct comm_word *
words_find_wild(const struct comm_words *w, struct comm_of c)
{
	for (uint32_t i = 0; i < w->wild_cnt; i++)
		if (words_fits(&w->wild[i].key, c))
			return &w->wild[i];
	return NULL;
}

bool
comm_words_find(const struct comm_words *w, struct comm_of c, struct strbuf *out)
{
	const struct comm_word *e = w ? words_find_exact(w, c) : NULL;
	const char *known;

	if (w && !e)
		e = words_find_wild(w, c);
	if (!e) {
		known = comm_words_known(c);
		if (known)
			strbuf_adds(out, known);
		return known != NULL;
	}
	for (const char *s = e->text; *s; s++)
		if (e->key.any && s[0] == '$' && s[1] >= '0' && s[1] < '0' + e->key.cnt)
			strbuf_addf(out, "%u", c.comm.v[*++s - '0']);
		else
			strbuf_addc(out, *s);
	return true;
}

/* comm_words_next_of - the community at *@pos, counted through all kinds of @wire. */
static bool
comm_words_next_of(const struct wire_set *wire, uint32_t *pos, struct comm_of *c)
{
	uint32_t before = 0;

	for (unsigned k = 0; k < COMM_KINDS; k++) {
		unsigned size = comm_size((enum comm_kind)k);
		struct attr_item it;

		if (!wire_find(wire, kind_code[k], &it))
			continue;
		if (*pos < before + it.len / size) {
			c->kind = (enum comm_kind)k;
			c->comm = comm_get(c->kind, it.val + (*pos - before) * size);
			++*pos;
			return true;
		}
		before += it.len / size;
	}
	return false;
}

bool
comm_words_next(const struct comm_words *w, const struct wire_set *wire, uint32_t *pos,
    struct comm_of *c, struct strbuf *out)
{
	strbuf_reset(out);
	while (comm_words_next_of(wire, pos, c))
		if (comm_words_find(w, *c, out))
			return true;
	return false;
}

void
comm_words_added(const struct comm_words *w, const char *comms, struct strbuf *out)
{
	const char *end;

	for (; comms && *comms == '(' && (end = strchr(comms, ')'));
	     comms = end + 1 + strspn(end + 1, " ")) {
		size_t was = out->len;
		struct comm_key k;

		if (!comm_words_read_key(comms, end + 1, &k))
			continue;
		if (was)
			strbuf_adds(out, "; ");
		if (!comm_words_find(w, (struct comm_of){ k.kind, k.comm }, out))
			strbuf_truncate(out, was);
	}
}

/* ---- sets ---- */

static bool
words_set_has(const struct fset *s, struct comm_of c)
{
	static const uint8_t elem[COMM_KINDS] = {
		[COMM_STD] = T_PAIR, [COMM_EXT] = T_EC, [COMM_LARGE] = T_LC
	};

	return s->elem == elem[c.kind] &&
	       fset_has_words(s, (enum ftype)elem[c.kind], c.comm.v);
}

bool
comm_sets_has(const struct comm_sets *s, const struct wire_set *wire, struct comm_of *c)
{
	uint32_t pos = 0;

	while (s->cnt && comm_words_next_of(wire, &pos, c))
		for (unsigned i = 0; i < s->cnt; i++)
			if (words_set_has(s->set[i], *c))
				return true;
	return false;
}
