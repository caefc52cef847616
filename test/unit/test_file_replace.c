/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are replaced whole, and read whole. */
#include "sysdep/os/file_replace.h"
#include "test/lib/unit.h"

#include "lib/base/strbuf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void
test_file_replace_holds(const char *path, const char *want)
{
	struct strbuf b;

	strbuf_init(&b);
	assert_int_equal(file_read(&b, path, 100), 0);
	assert_string_equal(b.s, want);
	strbuf_fini(&b);
}

static void
test_replace(void **state)
{
	char dir[] = "/tmp/tern-unit.XXXXXX", path[64], fresh[80];
	struct strbuf b;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/sub/state", dir);
	snprintf(fresh, sizeof(fresh), "%s.new", path);
	strbuf_init(&b);
	assert_int_equal(file_read(&b, path, 100), -ENOENT);
	assert_int_equal(file_replace(path, "one\n", 4), 0); /* the folder is made */
	test_file_replace_holds(path, "one\n");
	assert_int_equal(file_replace(path, "two, longer\n", 12), 0);
	test_file_replace_holds(path, "two, longer\n");
	assert_int_equal(file_replace(path, "", 0), 0);
	test_file_replace_holds(path, "");
	assert_int_equal(access(fresh, F_OK), -1);
	assert_int_equal(file_replace(path, "0123456789", 10), 0);
	assert_int_equal(file_read(&b, path, 9), -EFBIG);
	assert_int_equal(file_replace("/dev/full/state", "x", 1), -ENOTDIR);
	assert_int_equal(file_replace("/nonexistent/a/state", "x", 1), -ENOENT);
	strbuf_fini(&b);
	unlink(path);
	snprintf(path, sizeof(path), "%s/sub", dir);
	rmdir(path);
	rmdir(dir);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_replace),
};

UNIT_MAIN(tests)
