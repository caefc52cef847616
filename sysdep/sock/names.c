/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the host name of the machine, and resolves names to addresses through libc. No
 * state. Loop: any thread; names_find waits, and runs in the log's thread and in threads
 * beside the loops. */
#include "sysdep/sock/names.h"

#include <bsd/string.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

void
names_host(char *out, size_t room)
{
	char name[NAMES_HOST_ROOM] = "";

	if (gethostname(name, sizeof(name) - 1))
		name[0] = '\0';
	strlcpy(out, name, room);
}

unsigned
names_find(
    const char *name, bool numeric, struct sock_end *out, unsigned max, const char **why)
{
	/* with one type of socket the list has each address once */
	struct addrinfo hint = { .ai_flags = numeric ? AI_NUMERICHOST : 0,
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM };
	struct addrinfo *list;
	int err = getaddrinfo(name, NULL, &hint, &list);
	unsigned cnt = 0;

	if (err) {
		*why = gai_strerror(err);
		return 0;
	}
	*why = "no address";
	for (const struct addrinfo *a = list; a && cnt < max; a = a->ai_next) {
		struct sockaddr_storage sa = { 0 };

		memcpy(&sa, a->ai_addr, min_u64(a->ai_addrlen, sizeof(sa)));
		out[cnt++] = sock_to_end(&sa);
	}
	freeaddrinfo(list);
	return cnt;
}
