/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects the words of a text that BIRD 2.17 refuses. The parser's thread calls. Tested
 * by test/unit/test_ext.c.
 *
 * I1  The uses of a file stand in the order of their places. The parser compiles the code
 *     of an entry before the parser reads the entry's options, so the order of the calls
 *     differs from the order of the text.
 * I2  A line has words of the language and names of the file, but no value of an option:
 *     the value may be a secret. */
#include "filter/lang/ext.h"

#include "lib/base/vec.h"
#include "lib/mem/mem.h"

#include <string.h>

/* owner: struct ext_uses; lives: one parse; freed by: ext_fini. */
struct ext_use {
	char *file, *text;
	uint32_t line, col;
	enum known_by by;
};

void
ext_init(struct ext_uses *u)
{
	*u = (struct ext_uses){ NULL, 0, 0 };
}

void
ext_fini(struct ext_uses *u)
{
	for (unsigned i = 0; i < u->cnt; i++) {
		mem_free(MEM_OTHER, u->use[i].file);
		mem_free(MEM_OTHER, u->use[i].text);
	}
	mem_free(MEM_CONFIG, u->use);
	ext_init(u);
}

static bool
ext_is_before(const struct ext_use *x, const struct ext_use *y)
{
	return x->line < y->line || (x->line == y->line && x->col < y->col);
}

/* ext_place - where @x belongs (I1). Returns: false: an equal use stands there. */
static bool
ext_place(const struct ext_uses *u, const struct ext_use *x, unsigned *at)
{
	unsigned i = u->cnt;

	*at = i;
	for (; i && !strcmp(u->use[i - 1].file, x->file); i--) {
		const struct ext_use *y = &u->use[i - 1];

		if (ext_is_before(y, x))
			break;
		if (ext_is_before(x, y))
			*at = i - 1;
		else if (!strcmp(y->text, x->text))
			return false;
	}
	return true;
}

static char *
ext_copy_text(const char *s)
{
	struct strbuf b;

	strbuf_init(&b);
	strbuf_adds(&b, s);
	return strbuf_take(&b);
}

void
ext_add(struct ext_uses *u, struct src_pos at, enum known_by by, const char *fmt, ...)
{
	struct ext_use x = { .line = at.line, .col = at.col, .by = by };
	struct strbuf b;
	unsigned i;
	va_list ap;

	if (!u || by == KNOWN_BIRD_2)
		return;
	strbuf_init(&b);
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	x.text = strbuf_take(&b);
	x.file = ext_copy_text(at.file ? at.file : "");
	if (!ext_place(u, &x, &i)) {
		mem_free(MEM_OTHER, x.file);
		mem_free(MEM_OTHER, x.text);
		return;
	}
	u->use = vec_room(MEM_CONFIG, u->use, &u->cap, u->cnt + 1, sizeof(*u->use));
	memmove(&u->use[i + 1], &u->use[i], (u->cnt - i) * sizeof(*u->use));
	u->use[i] = x;
	u->cnt++;
}

unsigned
ext_print(const struct ext_uses *u, struct strbuf *b)
{
	for (unsigned i = 0; i < u->cnt; i++) {
		const struct ext_use *x = &u->use[i];

		strbuf_addf(b, "%s:%u:%u %s is %s: bird " EXT_BIRD " refuses the word\n",
		    x->file, x->line, x->col, x->text,
		    x->by == KNOWN_BIRD_3 ? "of BIRD 3" : "tern's own");
	}
	return u->cnt;
}
