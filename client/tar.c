/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a tar file (POSIX.1-1988): a header and the content of each file, and the end.
 * Loop: the only thread of ternc. Tested by test/net/test_support.py. */
#include "client/tar.h"

#include "lib/base/check.h"

#include <string.h>

#define TAR_BLOCK 512u

/* The header of a file: POSIX.1-1988, 10.1.1. Numbers are octal. */
struct tar_head {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type;
	char link[100], magic[6], version[2], user[32], group[32], major[8], minor[8];
	char prefix[155], rest[12];
};
_Static_assert(sizeof(struct tar_head) == TAR_BLOCK, "a header is a block");

/* tar_octal - write @v into the @room octets at @to, with a NUL at the end. */
static void
tar_octal(char *to, size_t room, uint64_t v)
{
	to[--room] = 0;
	while (room > 0) {
		to[--room] = (char)('0' + (v & 7));
		v >>= 3;
	}
}

/* tar_sum - the sum of all octets of @h, with blanks in place of the sum. */
static unsigned
tar_sum(struct tar_head *h)
{
	const unsigned char *p = (const unsigned char *)h;
	unsigned sum = 0;

	memset(h->sum, ' ', sizeof(h->sum));
	for (size_t i = 0; i < sizeof(*h); i++)
		sum += p[i];
	return sum;
}

void
tar_put(FILE *to, const char *name, uint64_t time_s, const char *text, size_t len)
{
	static const char zeros[TAR_BLOCK];
	struct tar_head h = { .type = '0', .magic = "ustar", .version = { '0', '0' } };

	ASSERT(strlen(name) <= TAR_NAME_MAX);
	memcpy(h.name, name, strlen(name));
	tar_octal(h.mode, sizeof(h.mode), 0600);
	tar_octal(h.uid, sizeof(h.uid), 0);
	tar_octal(h.gid, sizeof(h.gid), 0);
	tar_octal(h.size, sizeof(h.size), len);
	tar_octal(h.mtime, sizeof(h.mtime), time_s);
	tar_octal(h.sum, sizeof(h.sum) - 1, tar_sum(&h));
	fwrite(&h, sizeof(h), 1, to);
	fwrite(text, 1, len, to);
	fwrite(zeros, 1, (TAR_BLOCK - len % TAR_BLOCK) % TAR_BLOCK, to);
}

void
tar_end(FILE *to)
{
	static const char zeros[2 * TAR_BLOCK];

	fwrite(zeros, sizeof(zeros), 1, to);
}
