/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths of a daemon with a name (named.h). Loop: the thread of main. Tested by
 * test/unit/test_named.c and test/net/test_instances.py. */
#include "lib/base/named.h"

#include <ctype.h>
#include <string.h>

bool
named_ok(const char *name)
{
	size_t len = strlen(name);

	if (!len || len > NAMED_MAX || !isalnum((unsigned char)name[0]))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_-.", name[i]))
			return false;
	return true;
}

/* named_put_folder - the folder of @path, without the slash behind it. */
static void
named_put_folder(struct strbuf *b, const char *path)
{
	strbuf_add(b, path, (size_t)(strrchr(path, '/') - path));
}

void
named_conf(struct strbuf *b, const char *name)
{
	named_put_folder(b, TERN_CONF_PATH);
	strbuf_addf(b, "/%s.conf", name);
}

void
named_socket(struct strbuf *b, const char *name)
{
	named_put_folder(b, TERN_SOCKET_PATH);
	strbuf_addf(b, "-%s/tern.ctl", name);
}

void
named_pid(struct strbuf *b, const char *name)
{
	named_put_folder(b, TERN_SOCKET_PATH);
	strbuf_addf(b, "-%s/tern.pid", name);
}
