/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file gets its name when it is whole; after an error nothing is left of it. */
#include "nest/mrt/mrt_file.h"

#include "lib/mt/rcu.h"
#include "test/lib/unit.h"
#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

static char dir[32], path[64];

static unsigned
test_mrt_file_entries(void)
{
	DIR *d = opendir(dir);
	unsigned cnt = 0;

	while (readdir(d))
		cnt++;
	closedir(d);
	return cnt - 2;
}

static void
test_mrt_file_has(const char *want)
{
	char buf[64] = "";
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(read(fd, buf, sizeof(buf)), (ssize_t)strlen(want));
	assert_string_equal(buf, want);
	close(fd);
}

static void
test_mrt_file_put(const char *text, bool drop)
{
	struct mrt_file f;

	assert_int_equal(mrt_file_open(&f, path), 0);
	assert_true(mrt_file_is_open(&f));
	assert_int_equal(mrt_file_write(&f, (const uint8_t *)text, strlen(text)), 0);
	assert_int_equal(mrt_file_close(&f, drop), 0);
	assert_false(mrt_file_is_open(&f));
	assert_int_equal(mrt_file_close(&f, false), 0);
}

static void
test_whole(void **state)
{
	struct mrt_file f;

	(void)state;
	test_mrt_file_put("one", false);
	test_mrt_file_has("one");
	test_mrt_file_put("two", true);
	test_mrt_file_has("one");
	test_mrt_file_put("three", false);
	test_mrt_file_has("three");
	assert_int_equal(test_mrt_file_entries(), 1);
	/* closed behind our back: what is there stays */
	assert_int_equal(mrt_file_open(&f, path), 0);
	close(f.fd.os_nr);
	assert_int_equal(mrt_file_write(&f, (const uint8_t *)"x", 1), -EBADF);
	assert_int_equal(mrt_file_close(&f, false), 0);
	test_mrt_file_has("three");
	assert_int_equal(test_mrt_file_entries(), 1);
	unlink(path);
}

static void
test_refused(void **state)
{
	struct mrt_file f;
	char no[80];

	(void)state;
	assert_int_equal(mrt_file_open(&f, dir), -EISDIR);
	assert_int_equal(mrt_file_open(&f, "/dev/null"), -ENOTSUP);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(mrt_file_open(&f, path), -ENOTSUP);
	unlink(path);
	snprintf(no, sizeof(no), "%s/no/f", dir);
	assert_int_equal(mrt_file_open(&f, no), -ENOENT);
	assert_false(mrt_file_is_open(&f));
	assert_int_equal(test_mrt_file_entries(), 0);
}

static int
test_mrt_file_set_up(void **state)
{
	(void)state;
	memcpy(dir, "/tmp/test_mrt_file.XXXXXX", 26);
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/f", dir);
	rcu_join();
	return 0;
}

static int
test_mrt_file_tear_down(void **state)
{
	(void)state;
	rcu_leave();
	return rmdir(dir);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(
	    tests, test_mrt_file_set_up, test_mrt_file_tear_down);
}
