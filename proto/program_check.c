/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checks of a configuration without a start (-t, -p --bird). Loop: the thread of
 * main. Tested by test/net/test_selftest.py and test/net/test_to_bird.py. */
#include "proto/program_check.h"

#include "filter/lang/ext.h"
#include "lib/base/strbuf.h"
#include "lib/mt/rcu.h"
#include "nest/conf/config.h"
#include "nest/daemon/selftest.h"
#include "proto/static/static_rpki.h"
#include "sysdep/os/daemon.h"

#include <string.h>

int
program_self_tests(const struct config *conf)
{
	struct selftest_result r;
	struct strbuf b;

	strbuf_init(&b);
	rcu_join();
	static_rpki_fill(conf);
	selftest_run(conf, &b, &r);
	static_rpki_drop(conf);
	rcu_leave();
	rcu_drain();
	if (!daemon_say(false, b.s))
		r.failed = true;
	strbuf_fini(&b);
	return r.failed ? 1 : 0;
}

int
program_say_ext(const struct ext_uses *ext, const char *path, bool right)
{
	struct strbuf b;

	strbuf_init(&b);
	right &= ext_print(ext, &b) == 0;
	if (right)
		strbuf_addf(&b, "%s: bird " EXT_BIRD " knows every word\n", path);
	right &= daemon_say(false, b.s);
	strbuf_fini(&b);
	return right ? 0 : 1;
}

bool
program_knows_bird(const char *version)
{
	size_t len = strlen(EXT_BIRD);

	if (strncmp(version, EXT_BIRD, len) != 0)
		return false;
	version += len;
	if (!*version)
		return true;
	if (*version++ != '.' || !*version)
		return false;
	return version[strspn(version, "0123456789")] == 0;
}
