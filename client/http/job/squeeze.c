/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compresses the body of an answer with gzip, piece by piece. Tested by
 * test/unit/test_http_squeeze.c and test/net/test_http.py. Loop: the only thread of
 * ternhttp. */
#include "client/http/job/squeeze.h"

#include "lib/mem/mem.h"

#include <string.h>
#include <strings.h>
#include <zlib.h>

#define SQUEEZE_LEVEL  3
#define SQUEEZE_WINDOW (16 + 12) /* gzip, 2^12 octets */
#define SQUEEZE_MEMORY 5

struct squeeze {
	z_stream z;
	bool ended;
};

struct squeeze *
squeeze_new(void)
{
	struct squeeze *s = mem_zalloc(MEM_OTHER, sizeof(*s));

	if (deflateInit2(&s->z, SQUEEZE_LEVEL, Z_DEFLATED, SQUEEZE_WINDOW, SQUEEZE_MEMORY,
		Z_DEFAULT_STRATEGY) == Z_OK)
		return s;
	mem_free(MEM_OTHER, s);
	return NULL;
}

void
squeeze_free(struct squeeze *s)
{
	if (!s)
		return;
	(void)deflateEnd(&s->z);
	mem_free(MEM_OTHER, s);
}

size_t
squeeze_more(struct squeeze *s, const char *from, size_t len, bool last, size_t *taken,
    char *to, size_t max)
{
	*taken = 0;
	if (s->ended)
		return 0;
	s->z.next_in = (unsigned char *)(uintptr_t)from;
	s->z.avail_in = (unsigned)len;
	s->z.next_out = (unsigned char *)to;
	s->z.avail_out = (unsigned)max;
	/* Z_BUF_ERROR means that nothing is to do */
	s->ended = deflate(&s->z, last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_END;
	*taken = len - s->z.avail_in;
	return max - s->z.avail_out;
}

/* squeeze_denied - do the parameters @s of a coding, of @len octets, say q=0? */
static bool
squeeze_denied(const char *s, size_t len)
{
	const char *q = memchr(s, '=', len);

	if (!q)
		return false;
	for (q++; q < s + len; q++)
		if (*q >= '1' && *q <= '9')
			return false;
	return true;
}

bool
squeeze_wanted(const char *accept)
{
	while (accept && *accept) {
		size_t len, name;

		accept += strspn(accept, ", \t");
		len = strcspn(accept, ",");
		name = strcspn(accept, ",; \t");
		if ((name == 4 && !strncasecmp(accept, "gzip", 4)) ||
		    (name == 6 && !strncasecmp(accept, "x-gzip", 6)))
			return !squeeze_denied(accept + name, len - name);
		accept += len;
	}
	return false;
}
