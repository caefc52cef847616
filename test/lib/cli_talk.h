/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A client of the control socket of test/lib/cli_rig.h. */
#ifndef TERN_TEST_CLI_TALK_H
#define TERN_TEST_CLI_TALK_H

#include "test/lib/cli_rig.h"

#include <bsd/string.h>

static inline int
cli_talk_dial(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strlcpy(un.sun_path, ctl, sizeof(un.sun_path));
	assert_int_equal(connect(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	return fd;
}

static inline bool
cli_talk_readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

/* peek_line - octets of the first line of what waits, if it is whole. */
static inline size_t
peek_line(int fd, char *to, size_t room)
{
	ssize_t n = recv(fd, to, room, MSG_PEEK);
	char *nl = n > 0 ? memchr(to, '\n', (size_t)n) : NULL;

	return nl ? (size_t)(nl - to) + 1 : 0;
}

/* Read up to the end of one reply; "" at the end of the session. */
static inline char *
get_reply(int fd)
{
	static char text[4 << 20];
	size_t len = 0, line;

	do {
		assert_true(cli_talk_readable(fd, 10000));
		line = peek_line(fd, text + len, 1024);
		if (!line)
			break;
		assert_true(line <= 512);
		assert_int_equal(read(fd, text + len, line), line);
		len += line;
		assert_true(len + 1024 < sizeof(text));
	} while (line <= 5 || text[len - line] == ' ' || text[len - line + 4] != ' ');
	text[len] = 0;
	return text;
}

static inline void
cli_talk_send(int fd, const char *line)
{
	assert_int_equal(write(fd, line, strlen(line)), strlen(line));
}

static inline int
open_cli(void)
{
	char banner[4096] = "";
	int fd = cli_talk_dial();

	assert_true(cli_talk_readable(fd, 10000));
	assert_true(read(fd, banner, sizeof(banner) - 1) > 0);
	assert_string_equal(banner, "0001 BIRD 2.0.12 ready.\n");
	return fd;
}

static inline char *
cli_talk_ask(int fd, const char *command_line)
{
	cli_talk_send(fd, command_line);
	cli_talk_send(fd, "\n");
	return get_reply(fd);
}

#endif
