/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames of the control socket, both ways.
 *
 * I1  cli_put never writes more than CLI_LINE_MAX octets, and exactly one LF, at the end.
 * I2  The reader takes anything: a line without a code, in pieces, or too long; it never
 *     holds more than CLI_READ_MAX octets of a line.
 *
 * Writer and reader are owned by whoever has the connection.
 *
 * Loop: the loop that has the connection; in ternc the only thread. */
#include "lib/wire/cli_frame.h"
#include "lib/wire/cli_code.h"

#define CODE_LEN      4
#define OVERFLOW_TEXT "<line overflow>"

static char *
frame_put_line_text(char *to, const char *text, size_t len)
{
	memcpy(to, text, len);
	/* almost no text has a line end, and memchr is faster than the loop */
	if (memchr(text, '\n', len) || memchr(text, '\r', len))
		for (size_t i = 0; i < len; i++)
			if (to[i] == '\n' || to[i] == '\r')
				to[i] = '?';
	to[len] = '\n';
	return to + len + 1;
}

static char *
frame_put_code(char *to, unsigned code, bool last)
{
	to[0] = (char)('0' + code / 1000 % 10);
	to[1] = (char)('0' + code / 100 % 10);
	to[2] = (char)('0' + code / 10 % 10);
	to[3] = (char)('0' + code % 10);
	to[4] = last ? ' ' : '-';
	return to + CODE_LEN + 1;
}

size_t
cli_put_head(struct cli_writer *w, char *to, unsigned code)
{
	char *end = to;

	if (code == w->code)
		*end++ = ' ';
	else
		end = frame_put_code(to, code, false);
	w->code = code;
	return (size_t)(end - to);
}

size_t
cli_put(struct cli_writer *w, char *to, unsigned code, bool last, const char *text)
{
	size_t len = strlen(text);
	char *start = to;

	if (len + CODE_LEN + 2 > CLI_LINE_MAX) {
		code = CLI_FAILED;
		text = OVERFLOW_TEXT;
		len = sizeof(OVERFLOW_TEXT) - 1;
	}
	if (!last) {
		to += cli_put_head(w, to, code);
	} else {
		to = frame_put_code(to, code, last);
		w->code = 0;
	}
	return (size_t)(frame_put_line_text(to, text, len) - start);
}

void
cli_reader_init(struct cli_reader *r)
{
	r->code = 0;
	r->done = false;
	strbuf_init(&r->line);
}

void
cli_reader_fini(struct cli_reader *r)
{
	strbuf_fini(&r->line);
}

/* Has the line a code and '-' or ' ' behind it? */
static bool
frame_parse_code(const char *s, size_t len, unsigned *code)
{
	*code = 0;
	if (len < CODE_LEN + 1 || (s[CODE_LEN] != '-' && s[CODE_LEN] != ' '))
		return false;
	for (unsigned i = 0; i < CODE_LEN; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		*code = *code * 10 + (unsigned)(s[i] - '0');
	}
	return true;
}

static void
frame_parse_line(struct cli_reader *r, struct cli_line *line)
{
	const char *s = r->line.s;
	size_t len = r->line.len;
	unsigned code;

	*line = (struct cli_line){ 0 };
	if (len && s[0] == '+') {
		line->async = true;
		line->text = s + 1;
		line->len = len - 1;
	} else if (len && s[0] == ' ') {
		line->cont = true;
		line->code = r->code;
		line->text = s + 1;
		line->len = len - 1;
	} else if (frame_parse_code(s, len, &code)) {
		line->code = code;
		line->last = s[CODE_LEN] == ' ';
		line->text = s + CODE_LEN + 1;
		line->len = len - CODE_LEN - 1;
		r->code = line->last ? 0 : code;
	} else {
		line->cont = true;
		line->text = s;
		line->len = len;
	}
}

size_t
cli_read(
    struct cli_reader *r, const char *p, size_t len, struct cli_line *line, bool *got)
{
	const char *lf = memchr(p, '\n', len);
	size_t take = lf ? (size_t)(lf - p) : len;
	size_t room, keep;

	if (r->done)
		strbuf_reset(&r->line);
	r->done = false;
	room = CLI_READ_MAX - 1 - r->line.len;
	keep = take < room ? take : room;
	strbuf_add(&r->line, p, keep);
	*got = lf != NULL;
	if (!lf)
		return len;
	if (r->line.len && r->line.s[r->line.len - 1] == '\r')
		strbuf_truncate(&r->line, r->line.len - 1);
	frame_parse_line(r, line);
	r->done = true;
	return take + 1;
}
