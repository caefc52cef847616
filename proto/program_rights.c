/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes the user (sysdep/os/priv.h), and enters the sandbox with the files that the
 * daemon writes (sysdep/os/sandbox.h). Loop: the thread of main. Tested by
 * test/net/test_sandbox.py. */
#include "proto/program_rights.h"

#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "sysdep/log/log_class.h"
#include "sysdep/os/priv.h"
#include "sysdep/os/sandbox.h"

#include <errno.h>
#include <string.h>

#define RIGHTS_FILES (sizeof(((struct program_rights *)0)->file) / sizeof(char *))

static int
rights_confine(const struct program_rights *r, const struct config *conf, struct tern *t)
{
	const char **keep = mem_zalloc(
	    MEM_CONFIG, (2 * conf->log.cnt + RIGHTS_FILES + 2) * sizeof(*keep));
	unsigned n = 0;
	int rc;

	keep[n++] = "./.";
	for (unsigned i = 0; i < RIGHTS_FILES; i++)
		if (r->file[i])
			keep[n++] = r->file[i];
	for (unsigned i = 0; i < conf->log.cnt; i++) {
		const struct log_sink *s = &conf->log.sink[i];

		if ((s->target == LOG_T_FILE || s->target == LOG_T_FIXED) && s->path)
			keep[n++] = s->path;
		if (s->backup)
			keep[n++] = s->backup;
	}
	rc = sandbox_confine(SANDBOX_TERND, true, keep, &t->process.sandbox);
	mem_free(MEM_CONFIG, keep);
	return rc;
}

bool
program_give_up(const struct program_rights *r, const struct config *conf, struct tern *t,
    struct strbuf *why)
{
	const char *bad = "";
	int rc = r->user || r->group ? priv_drop(r->user, r->group, &bad) : 0;

	if (rc == -ENOENT && bad)
		strbuf_addf(why, "no user or group has the name '%s'", bad);
	else if (rc)
		strbuf_addf(why, "cannot change user or group: %s", strerror(-rc));
	if (rc)
		return false;
	if (r->no_sandbox)
		return true;
	rc = rights_confine(r, conf, t);
	if (rc)
		strbuf_addf(why,
		    "cannot enter the sandbox: %s; --no-sandbox starts without",
		    strerror(-rc));
	return !rc;
}
