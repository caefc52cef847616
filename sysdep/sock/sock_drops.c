/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of signatures, from Linux: /proc/net/netstat has pairs of lines, names and
 * numbers. Tested by test/unit/test_sock_drops.c.
 *
 * Loop: any thread; no state. */
#include "sysdep/sock/sock_drops.h"
#include "lib/mem/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX 16384 /* some 5,000 are usual */

/* drops_counter_of - where the counter @name, of @len octets, is counted; NULL: nowhere.
 */
static uint64_t *
drops_counter_of(struct sock_drops *d, const char *name, size_t len)
{
	static const struct {
		const char *name;
		bool none;
	} known[] = {
		{ "TCPMD5NotFound", true },
		{ "TCPMD5Failure", false },
		{ "TCPAORequired", true },
		{ "TCPAOBad", false },
		{ "TCPAOKeyNotFound", false },
	};

	for (unsigned i = 0; i < ARRAY_LEN(known); i++)
		if (strlen(known[i].name) == len && !memcmp(known[i].name, name, len))
			return known[i].none ? &d->none : &d->wrong;
	return NULL;
}

/* drops_add_line - of @names, and of @numbers in the same order. Returns: were any
 * known? */
static bool
drops_add_line(struct sock_drops *d, const char *names, const char *numbers)
{
	bool any = false;
	size_t len;

	for (; (len = strcspn(names, " \n")); names += len + (names[len] == ' ')) {
		uint64_t *to = drops_counter_of(d, names, len), n;
		char *end;

		n = strtoull(numbers, &end, 10);
		if (end == numbers)
			break;
		numbers = end;
		any |= to != NULL;
		if (to)
			*to += n;
	}
	return any;
}

/* drops_find - in the file's text. */
static bool
drops_find(struct sock_drops *d, const char *text)
{
	static const char head[] = "TcpExt: ";
	size_t len = sizeof(head) - 1;
	const char *names = strstr(text, head), *numbers;

	numbers = names ? strstr(names + len, head) : NULL;
	return numbers && drops_add_line(d, names + len, numbers + len);
}

bool
sock_drops_get(struct sock_drops *d)
{
	FILE *f = fopen("/proc/net/netstat", "re");
	char *text;
	bool ok;

	*d = (struct sock_drops){ 0 };
	if (!f)
		return false;
	text = mem_alloc(MEM_OTHER, FILE_MAX);
	text[fread(text, 1, FILE_MAX - 1, f)] = 0;
	fclose(f);
	ok = drops_find(d, text);
	mem_free(MEM_OTHER, text);
	return ok;
}
