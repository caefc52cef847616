/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Configurations from a text in memory, for tests. */
#ifndef TERN_TEST_CONF_TEXT_H
#define TERN_TEST_CONF_TEXT_H

#include "lib/base/check.h"
#include "nest/conf/conf_load.h"
#include "nest/conf/config.h"

#include <sys/mman.h>
#include <unistd.h>

/* What messages call the file: a descriptor that nothing else has. */
#define CONF_TEXT    "/proc/self/fd/900"
#define CONF_TEXT_FD 900

/* conf_text_parse - as config_parse, of @len octets at @text. */
static inline struct config *
conf_text_parse(const void *text, size_t len, const struct conf_env *env, struct diag *d)
{
	int fd = memfd_create("conf", MFD_CLOEXEC);
	struct config *c;

	ASSERT(fd >= 0 && write(fd, text, len) == (ssize_t)len);
	ASSERT(dup2(fd, CONF_TEXT_FD) == CONF_TEXT_FD);
	c = config_parse(CONF_TEXT, env, d);
	close(CONF_TEXT_FD);
	close(fd);
	return c;
}

#endif
