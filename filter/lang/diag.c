/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collecting errors and warnings. A message quotes the source line from the files that
 * the parser still holds in memory; a message about another file has no quote. The
 * parser's thread calls.
 *
 * I1  A message has no word of a secret that stands on the line of its place: messages
 *     reach logs, the audit trail and all clients. */
#include "filter/lang/diag.h"

#include "lib/base/secret.h"

#define DIAG_LINE_MAX 160 /* octets of a source line that are quoted */
/* lines before the place that may begin the option of the place */
#define DIAG_LINES_BEFORE 32u
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
	strbuf_init(&line);
	strbuf_init(&l->shown);
	strbuf_init(&l->hidden);
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

/* diag_quote - append the line, and a mark under the column; tabs stay tabs, so that mark
 * and column line up. */
static void
diag_quote(struct diag *d, const struct diag_line *l)
{
	size_t from = l->col >= DIAG_LINE_MAX / 2 ? l->col + 1 - DIAG_LINE_MAX / 2 : 0;

	if (!l->known)
		return;
	strbuf_addc(&d->marked, '\t');
	strbuf_add(
	    &d->marked, l->shown.s + from, min_u64(l->shown.len - from, DIAG_LINE_MAX));
	strbuf_adds(&d->marked, "\n\t");
	for (size_t i = from; i < l->col; i++)
		strbuf_addc(&d->marked, l->shown.s[i] == '\t' ? '\t' : ' ');
	strbuf_adds(&d->marked, "^\n");
}

/* diag_add - @l: of @at. */
static void
diag_add(struct diag *d, struct strbuf *b, const char *kind, struct src_pos at,
    const struct diag_line *l, const char *text)
{
	size_t from = b->len;

	if (at.line)
		strbuf_addf(b, "%s:%u:%u", at.file, at.line, at.col);
	else if (at.file)
		strbuf_addf(b, "%s:", at.file);
	if (b == &d->errors && !from)
		d->place_len = (unsigned)b->len;
	if (at.file)
		strbuf_addc(b, ' ');
	strbuf_adds(b, d->withheld ? DIAG_WITHHELD : text);
	strbuf_addc(b, '\n');
	strbuf_adds(&d->marked, kind);
	strbuf_add(&d->marked, b->s + from, b->len - from);
	if (!d->withheld)
		diag_quote(d, l);
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
diag_print(struct diag *d, struct strbuf *b, const char *kind, struct src_pos at,
    const char *words)
{
	struct diag_line l;
	struct strbuf text;

	diag_line_init(&l, d, at);
	strbuf_init(&text);
	secret_hide(&text, words, &l.hidden);
	if (b == &d->errors && diag_is_repeated(d, text.s))
		d->repeat_cnt++;
	else
		diag_add(d, b, kind, at, &l, text.s);
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
	else if (d->error_cnt - d->repeat_cnt < DIAG_ERROR_MAX)
		diag_print(d, &d->errors, "", at, text.s);
	d->error_cnt++;
	strbuf_fini(&text);
}

/* diag_put_before - @b, and then what @old had; that is given up. */
static void
diag_put_before(struct strbuf *b, struct strbuf *old)
{
	strbuf_add(b, old->s, old->len);
	strbuf_fini(old);
}

void
diag_error_first(struct diag *d, struct src_pos at, const char *fmt, ...)
{
	struct strbuf errors = d->errors, marked = d->marked, text;
	va_list ap;

	d->error_cnt++;
	strbuf_init(&d->errors);
	strbuf_init(&d->marked);
	strbuf_init(&text);
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	diag_print(d, &d->errors, "", at, text.s);
	strbuf_fini(&text);
	diag_put_before(&d->errors, &errors);
	diag_put_before(&d->marked, &marked);
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
	diag_print(d, &d->warnings, "warning: ", at, text.s);
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
