/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collecting errors and warnings. A message quotes the source line from the files that
 * the parser still holds in memory; a message about another file has no quote. The
 * parser's thread calls. */
#include "filter/lang/diag.h"

#define DIAG_LINE_MAX 160 /* octets of a source line that are quoted */
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
char_at(const struct diag_file *f, const char *p)
{
	return p == f->hole ? f->hole_char : *p;
}

/* Start of line @line of @f, and its length; NULL: there is none. */
static const char *
find_line(const struct diag_file *f, uint32_t line, size_t *len)
{
	const char *p = f->text, *end = f->text + f->len;

	for (; line > 1 && p < end; p++)
		line -= char_at(f, p) == '\n';
	for (*len = 0; p + *len < end && char_at(f, p + *len) != '\n';)
		++*len;
	return line == 1 ? p : NULL;
}

/* diag_quote - append the line at @at, and a mark under the column; tabs stay tabs, so
 * that mark and column line up. */
static void
diag_quote(struct diag *d, struct src_pos at)
{
	const struct diag_file *f = d->files;
	const char *line;
	size_t len = 0, from = 0, i;

	while (f && strcmp(f->name, at.file))
		f = f->next;
	line = f && at.line ? find_line(f, at.line, &len) : NULL;
	if (!line || at.col == 0 || at.col > len + 1)
		return;
	if (at.col > DIAG_LINE_MAX / 2)
		from = at.col - DIAG_LINE_MAX / 2;
	strbuf_addc(&d->marked, '\t');
	for (i = from; i < len && i < from + DIAG_LINE_MAX; i++)
		strbuf_addc(
		    &d->marked, char_at(f, line + i) ? char_at(f, line + i) : ' ');
	strbuf_adds(&d->marked, "\n\t");
	for (i = from; i + 1 < at.col; i++)
		strbuf_addc(&d->marked, line[i] == '\t' ? '\t' : ' ');
	strbuf_adds(&d->marked, "^\n");
}

static void
diag_add(struct diag *d, struct strbuf *b, const char *kind, struct src_pos at,
    const char *text)
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
	if (at.line && !d->withheld)
		diag_quote(d, at);
}

/* is_repeated - was the error @text told before, of a place with the same cause? */
static bool
is_repeated(const struct diag *d, const char *text)
{
	const char *p = d->errors.s;
	size_t len = strlen(text);

	if (strncmp(text, "unknown ", 8) != 0 && !strstr(text, "not supported yet"))
		return false;
	while ((p = strstr(p, text)) && (p[-1] != ' ' || p[len] != '\n'))
		p++;
	return p != NULL;
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
	if (is_repeated(d, text.s))
		d->repeat_cnt++;
	else if (d->error_cnt - d->repeat_cnt < DIAG_ERROR_MAX)
		diag_add(d, &d->errors, "", at, text.s);
	d->error_cnt++;
	strbuf_fini(&text);
}

/* put_before - @b, and then what @old had; that is given up. */
static void
put_before(struct strbuf *b, struct strbuf *old)
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
	diag_add(d, &d->errors, "", at, text.s);
	strbuf_fini(&text);
	put_before(&d->errors, &errors);
	put_before(&d->marked, &marked);
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
	diag_add(d, &d->warnings, "warning: ", at, text.s);
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
