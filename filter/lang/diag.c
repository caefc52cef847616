/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collecting errors and warnings. A message quotes the source line from the files that
 * the parser still holds in memory; a message about another file has no quote. The
 * parser's thread calls.
 *
 * I1  A message has no word of a secret that stands on the line of its place: messages
 *     reach logs, the audit trail and all clients.
 * I2  Messages have the order of the text, because checks at the end of a block find
 *     faults above the faults that the grammar has found. A message about an included
 *     file stands at the place of the `include`. A message without a known place stands
 *     behind all earlier messages, and before all later messages.
 * I3  errors, warnings and marked begin with the texts of msg[], in the order of
 *     msg[]. */
#include "filter/lang/diag.h"

#include "lib/base/secret.h"

#define DIAG_LINE_MAX 160 /* octets of a source line that are quoted */
/* lines before the place that may begin the option of the place */
#define DIAG_LINES_BEFORE 32u
/* files that include each other; the parser stops before */
#define ORDER_DEPTH_MAX 16
#define DIAG_WITHHELD                                                                    \
	"fault in the configuration; a file of the configuration is not open to you, "   \
	"`ternd -p` shows the words"

void
diag_init(struct diag *d)
{
	memset(d, 0, sizeof(*d));
	strbuf_init(&d->errors);
	strbuf_init(&d->warnings);
	strbuf_init(&d->marked);
}

void
diag_fini(struct diag *d)
{
	strbuf_fini(&d->errors);
	strbuf_fini(&d->warnings);
	strbuf_fini(&d->marked);
}

static char
diag_char_at(const struct diag_file *f, const char *p)
{
	return p == f->hole ? f->hole_char : *p;
}

/* Start of line @line of @f, and its length; NULL: there is none. */
static const char *
diag_find_line(const struct diag_file *f, uint32_t line, size_t *len)
{
	const char *p = f->text, *end = f->text + f->len;

	for (; line > 1 && p < end; p++)
		line -= diag_char_at(f, p) == '\n';
	for (*len = 0; p + *len < end && diag_char_at(f, p + *len) != '\n';)
		++*len;
	return line == 1 ? p : NULL;
}

/* The line of a place, without secrets. Owner: a function. Life: on the stack. */
struct diag_line {
	bool known; /* the line is in memory, and has the column */
	struct strbuf shown, hidden; /* secret_split */
	size_t col; /* of shown; from 0 on */
};

/* diag_copy_line - the line at @p into @b. Returns: the next line; NULL: @p is the last
 * line. */
static const char *
diag_copy_line(struct strbuf *b, const struct diag_file *f, const char *p)
{
	const char *end = f->text + f->len;

	strbuf_reset(b);
	for (; p < end && diag_char_at(f, p) != '\n'; p++)
		strbuf_addc(b, diag_char_at(f, p) ? diag_char_at(f, p) : ' ');
	return p < end ? p + 1 : NULL;
}

/* diag_line_init - I1. The lines before the place say whether the place lies in an option
 * with a secret. */
static void
diag_line_init(struct diag_line *l, const struct diag *d, struct src_pos at)
{
	uint32_t nr = at.line > DIAG_LINES_BEFORE ? at.line - DIAG_LINES_BEFORE : 1;
	const struct diag_file *f = d->files;
	const char *p = NULL;
	struct strbuf line;
	struct secret_open open = { 0 };
	size_t len;

	*l = (struct diag_line){ 0 };
	strbuf_init_secret(&line);
	strbuf_init_secret(&l->shown);
	strbuf_init_secret(&l->hidden);
	while (f && at.line && strcmp(f->name, at.file))
		f = f->next;
	if (f && at.line && at.col)
		p = diag_find_line(f, nr, &len);
	for (; p && nr <= at.line; nr++) {
		p = diag_copy_line(&line, f, p);
		strbuf_reset(&l->shown);
		strbuf_reset(&l->hidden);
		l->col = at.col - 1;
		secret_split(&l->shown, &l->hidden, line.s, line.len, &l->col, &open);
	}
	l->known = nr > at.line && at.col && at.col <= line.len + 1;
	strbuf_fini(&line);
}

/* diag_quote - append the line to @b, and a mark under the column; tabs stay tabs, so
 * that mark and column line up. */
static void
diag_quote(struct strbuf *b, const struct diag_line *l)
{
	size_t from = l->col >= DIAG_LINE_MAX / 2 ? l->col + 1 - DIAG_LINE_MAX / 2 : 0;

	if (!l->known)
		return;
	strbuf_addc(b, '\t');
	strbuf_add(b, l->shown.s + from, min_u64(l->shown.len - from, DIAG_LINE_MAX));
	strbuf_adds(b, "\n\t");
	for (size_t i = from; i < l->col; i++)
		strbuf_addc(b, l->shown.s[i] == '\t' ? '\t' : ' ');
	strbuf_adds(b, "^\n");
}

/* ---- the order of messages ---- */

/* A place, and the places of the `include` statements above. Owner: a function. Life: on
 * the stack. */
struct diag_order_way {
	struct {
		const struct diag_file *file;
		uint32_t line, col;
	} step[ORDER_DEPTH_MAX]; /* from the inmost file */
	unsigned cnt; /* 0: the place is unknown */
};

/* diag_order_file_of - the file of @at: the opening of the file, or else the name. */
static const struct diag_file *
diag_order_file_of(const struct diag *d, struct src_pos at)
{
	const struct diag_file *f = d->files;

	while (f && f->name != at.file)
		f = f->next;
	if (f || !at.file)
		return f;
	for (f = d->files; f && strcmp(f->name, at.file) != 0;)
		f = f->next;
	return f;
}

static struct diag_order_way
diag_order_way_of(const struct diag *d, struct src_pos at)
{
	struct diag_order_way w = { .cnt = 0 };
	const struct diag_file *f = at.line ? diag_order_file_of(d, at) : NULL;

	while (f && w.cnt < ORDER_DEPTH_MAX) {
		w.step[w.cnt].file = f;
		w.step[w.cnt].line = at.line;
		w.step[w.cnt].col = at.col;
		w.cnt++;
		at = f->included;
		f = diag_order_file_of(d, at);
	}
	return w;
}

/* diag_order_is_before - does @a stand before @b in the text? */
static bool
diag_order_is_before(const struct diag_order_way *a, const struct diag_order_way *b)
{
	unsigned i = a->cnt, j = b->cnt;

	while (i && j) {
		i--;
		j--;
		if (a->step[i].file != b->step[j].file) /* of one pattern */
			return a->step[i].file->number > b->step[j].file->number;
		if (a->step[i].line != b->step[j].line)
			return a->step[i].line < b->step[j].line;
		if (a->step[i].col != b->step[j].col)
			return a->step[i].col < b->step[j].col;
	}
	return a->cnt && j; /* the `include` of the file of @b */
}

/* diag_order_find - the place of a message about @at in msg[]. */
static unsigned
diag_order_find(const struct diag *d, struct src_pos at)
{
	struct diag_order_way w = diag_order_way_of(d, at), before;
	unsigned i = d->msg_cnt;

	for (; i && w.cnt; i--) {
		before = diag_order_way_of(d, d->msg[i - 1].at);
		if (!diag_order_is_before(&w, &before))
			break;
	}
	return i;
}

/* diag_order_insert - put @text into @b at @from. */
static void
diag_order_insert(struct strbuf *b, size_t from, const struct strbuf *text)
{
	size_t rest = b->len - from;

	strbuf_add(b, text->s, text->len);
	memmove(b->s + from + text->len, b->s + from, rest);
	memcpy(b->s + from, text->s, text->len);
}

static void
diag_order_cut(struct strbuf *b, size_t from, size_t len)
{
	memmove(b->s + from, b->s + from + len, b->len - from - len);
	strbuf_truncate(b, b->len - len);
}

/* Octets before msg[@i]: in the strbuf of the texts with @error, and in marked. */
static size_t
diag_order_text_before(const struct diag *d, unsigned i, bool error)
{
	size_t len = 0;

	while (i--)
		len += d->msg[i].error == error ? d->msg[i].text_len : 0;
	return len;
}

static size_t
diag_order_marked_before(const struct diag *d, unsigned i)
{
	size_t len = 0;

	while (i--)
		len += d->msg[i].marked_len;
	return len;
}

static void
diag_order_drop_last_error(struct diag *d)
{
	unsigned i = d->msg_cnt;

	while (i && !d->msg[i - 1].error)
		i--;
	if (!i--)
		return;
	diag_order_cut(
	    &d->errors, diag_order_text_before(d, i, true), d->msg[i].text_len);
	diag_order_cut(&d->marked, diag_order_marked_before(d, i), d->msg[i].marked_len);
	d->msg_cnt--;
	d->kept_error_cnt--;
	memmove(d->msg + i, d->msg + i + 1, (d->msg_cnt - i) * sizeof(*d->msg));
}

static unsigned
diag_order_first_error(const struct diag *d)
{
	unsigned i = 0;

	while (i < d->msg_cnt && !d->msg[i].error)
		i++;
	return i;
}

/* diag_order_has_room - false: DIAG_ERROR_MAX errors stand before @at. */
static bool
diag_order_has_room(const struct diag *d, struct src_pos at)
{
	unsigned i = d->msg_cnt;

	if (d->kept_error_cnt < DIAG_ERROR_MAX)
		return true;
	while (i && !d->msg[i - 1].error)
		i--;
	return diag_order_find(d, at) < i;
}

/* diag_order_put - insert a message with its @text and its @marked text. Fills the
 * lengths of @m. If an error exceeds DIAG_ERROR_MAX, the last error is dropped. */
static void
diag_order_put(struct diag *d, struct diag_msg m, const struct strbuf *text,
    const struct strbuf *marked)
{
	unsigned i;

	m.text_len = (uint32_t)text->len;
	m.marked_len = (uint32_t)marked->len;
	if (m.error && d->kept_error_cnt == DIAG_ERROR_MAX)
		diag_order_drop_last_error(d);
	DCHECK(d->msg_cnt < ARRAY_LEN(d->msg));
	i = diag_order_find(d, m.at);
	diag_order_insert(m.error ? &d->errors : &d->warnings,
	    diag_order_text_before(d, i, m.error), text);
	diag_order_insert(&d->marked, diag_order_marked_before(d, i), marked);
	memmove(d->msg + i + 1, d->msg + i, (d->msg_cnt - i) * sizeof(*d->msg));
	d->msg[i] = m;
	d->msg_cnt++;
	d->kept_error_cnt += m.error;
	i = diag_order_first_error(d);
	d->place_len = i < d->msg_cnt ? d->msg[i].place_len : 0;
}

void
diag_end_text(struct diag *d)
{
	d->files = NULL;
	for (unsigned i = 0; i < d->msg_cnt; i++)
		d->msg[i].at = (struct src_pos){ .file = NULL };
}

/* ---- messages ---- */

/* diag_add - @l: of @at. */
static void
diag_add(struct diag *d, bool error, struct src_pos at, const struct diag_line *l,
    const char *words)
{
	struct diag_msg m = { .at = at, .error = error };
	struct strbuf text, marked;

	strbuf_init(&text);
	strbuf_init(&marked);
	if (at.line)
		strbuf_addf(&text, "%s:%u:%u", at.file, at.line, at.col);
	else if (at.file)
		strbuf_addf(&text, "%s:", at.file);
	m.place_len = (uint32_t)text.len;
	if (at.file)
		strbuf_addc(&text, ' ');
	strbuf_adds(&text, d->withheld ? DIAG_WITHHELD : words);
	strbuf_addc(&text, '\n');
	if (!error)
		strbuf_adds(&marked, "warning: ");
	strbuf_add(&marked, text.s, text.len);
	if (!d->withheld)
		diag_quote(&marked, l);
	diag_order_put(d, m, &text, &marked);
	strbuf_fini(&text);
	strbuf_fini(&marked);
}

/* diag_is_repeated - was the error @text printed before, of a place with the same cause?
 */
static bool
diag_is_repeated(const struct diag *d, const char *text)
{
	static const char *const cause[] = { "not supported yet",
		"and no constant has this name", "since BIRD 2", "an option of BIRD 1" };
	bool known = strncmp(text, "unknown ", 8) == 0;
	const char *p = d->errors.s;
	size_t len = strlen(text);

	for (unsigned i = 0; i < ARRAY_LEN(cause) && !known; i++)
		known = strstr(text, cause[i]) != NULL;
	if (!known)
		return false;
	while ((p = strstr(p, text)) && (p[-1] != ' ' || p[len] != '\n'))
		p++;
	return p != NULL;
}

/* diag_print - report a message about @at, without secrets. */
static void
diag_print(struct diag *d, bool error, struct src_pos at, const char *words)
{
	struct diag_line l;
	struct strbuf text;

	diag_line_init(&l, d, at);
	strbuf_init(&text);
	secret_hide(&text, words, &l.hidden);
	if (error && diag_is_repeated(d, text.s))
		d->repeat_cnt++;
	else
		diag_add(d, error, at, &l, text.s);
	strbuf_fini(&text);
	strbuf_fini(&l.shown);
	strbuf_fini(&l.hidden);
}

void
diag_error(struct diag *d, struct src_pos at, const char *fmt, ...)
{
	struct strbuf text;
	va_list ap;

	strbuf_init(&text);
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	if (diag_is_repeated(d, text.s)) /* a look at the file takes long */
		d->repeat_cnt++;
	else if (diag_order_has_room(d, at))
		diag_print(d, true, at, text.s);
	d->error_cnt++;
	strbuf_fini(&text);
}

void
diag_warning(struct diag *d, struct src_pos at, const char *fmt, ...)
{
	struct strbuf text;
	va_list ap;

	if (d->warning_cnt++ >= DIAG_WARNING_MAX)
		return;
	strbuf_init(&text);
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	diag_print(d, false, at, text.s);
	strbuf_fini(&text);
}

void
diag_no_such(struct strbuf *b, const char *what, const char *name, const char *near)
{
	strbuf_addf(b, "no %s '%s'", what, name);
	if (near)
		strbuf_addf(b, "; did you mean '%s'?", near);
}

void
diag_unknown(struct diag *d, struct src_pos at, const char *what, const char *name,
    const char *near)
{
	struct strbuf b;

	strbuf_init(&b);
	if (d->command)
		diag_no_such(&b, what, name, near);
	else if (near)
		strbuf_addf(&b, "unknown %s '%s'; did you mean '%s'?", what, name, near);
	else
		strbuf_addf(&b, "unknown %s '%s'", what, name);
	diag_error(d, at, "%s", b.s);
	strbuf_fini(&b);
}

void
diag_first(const struct diag *d, struct strbuf *b)
{
	const char *nl = strchr(d->errors.s, '\n');

	strbuf_add(b, d->errors.s, nl ? (size_t)(nl - d->errors.s) : d->errors.len);
}
