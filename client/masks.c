/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Masks in place of secret values. Chains of values with the same hash of their first
 * MASK_MIN octets make the cost of a text independent of the number of values.
 *
 * I1  Values that overlap in a text are hidden as one part: no end of a value remains.
 *
 * Loop: the only thread of ternc. Tested by test/unit/test_client_masks.c. */
#include "client/masks.h"

#include "lib/base/hash.h"
#include "lib/base/secret.h"
#include "lib/mem/mem.h"

#include <ctype.h>
#include <string.h>

#define MASK_CHAINS 4096u

/* owner: its set; lives: as long as the set; freed by: mask_free. */
struct mask_value {
	struct mask_value *next;
	size_t len;
	char text[];
};

/* owner: the caller of mask_new; lives: until mask_free; freed by: mask_free. */
struct mask {
	struct mask_value *chain[MASK_CHAINS];
};

struct mask *
mask_new(void)
{
	return mem_zalloc(MEM_OTHER, sizeof(struct mask));
}

void
mask_free(struct mask *m)
{
	for (unsigned i = 0; m && i < MASK_CHAINS; i++)
		while (m->chain[i]) {
			struct mask_value *v = m->chain[i];

			m->chain[i] = v->next;
			explicit_bzero(v->text, v->len);
			mem_free(MEM_OTHER, v);
		}
	mem_free(MEM_OTHER, m);
}

static unsigned
mask_chain(const char *p)
{
	return (unsigned)(hash_bytes(0, p, MASK_MIN) % MASK_CHAINS);
}

void
mask_add(struct mask *m, const char *value, size_t len)
{
	struct mask_value **at, *v;

	if (len < MASK_MIN)
		return;
	at = &m->chain[mask_chain(value)];
	for (v = *at; v; v = v->next)
		if (v->len == len && !memcmp(v->text, value, len))
			return;
	v = mem_alloc(MEM_OTHER, sizeof(*v) + len);
	*v = (struct mask_value){ .next = *at, .len = len };
	memcpy(v->text, value, len);
	*at = v;
}

static bool
mask_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* mask_fits - does @v stand at octet @at of @text? */
static bool
mask_fits(const struct mask_value *v, const char *text, size_t len, size_t at)
{
	size_t end = at + v->len;

	if (end > len || memcmp(text + at, v->text, v->len) != 0)
		return false;
	if (v->len >= MASK_PART)
		return true;
	if (at && mask_is_word(text[at]) && mask_is_word(text[at - 1]))
		return false;
	return end == len || !mask_is_word(text[end - 1]) || !mask_is_word(text[end]);
}

void
mask_text(const struct mask *m, struct strbuf *out, const char *text, size_t len)
{
	size_t hidden = 0,
	       shown = 0; /* ends of the last hidden and the last shown part */

	for (size_t i = 0; i + MASK_MIN <= len; i++) {
		size_t longest = 0;

		for (const struct mask_value *v = m->chain[mask_chain(text + i)]; v;
		     v = v->next)
			if (v->len > longest && mask_fits(v, text, len, i))
				longest = v->len;
		if (!longest)
			continue;
		if (i >= hidden) { /* I1 */
			strbuf_add(out, text + shown, i - shown);
			strbuf_adds(out, SECRET_MASK);
		}
		if (i + longest > hidden)
			hidden = i + longest;
		shown = hidden;
	}
	strbuf_add(out, text + shown, len - shown);
}
