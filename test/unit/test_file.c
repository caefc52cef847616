/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole files and patterns. */
#include "sysdep/file.c"
#include "test/lib/unit.h"

static char dir[64];

static const char *
in_dir(const char *name)
{
	static char buf[4][128];
	static unsigned i;

	i = (i + 1) % 4;
	snprintf(buf[i], sizeof(buf[i]), "%s/%s", dir, name);
	return buf[i];
}

static int
set_up(void **arg)
{
	(void)arg;
	snprintf(dir, sizeof(dir), "/tmp/tern-[a]-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int
tear_down(void **arg)
{
	static const char *const name[] = { "a.conf", "b.conf", "B.conf", "c.txt" };

	(void)arg;
	for (unsigned i = 0; i < ARRAY_LEN(name); i++)
		unlink(in_dir(name[i]));
	return rmdir(dir);
}

static void
test_read_replace(void **arg)
{
	size_t len, big = 300000;
	char *s = NULL, *data = malloc(big);
	struct stat st;

	(void)arg;
	assert_int_equal(file_read(&s, &len, in_dir("a.conf"), 100), -ENOENT);
	assert_int_equal(file_replace(in_dir("a.conf"), "hello", 5, 0640), 0);
	assert_int_equal(stat(in_dir("a.conf"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(file_read(&s, &len, in_dir("a.conf"), 5), 0);
	assert_int_equal(len, 5);
	assert_string_equal(s, "hello");
	mem_free(MEM_OTHER, s);
	assert_int_equal(file_read(&s, &len, in_dir("a.conf"), 4), -EFBIG);
	memset(data, 'x', big);
	assert_int_equal(file_replace(in_dir("a.conf"), data, big, 0600), 0);
	assert_int_equal(file_read(&s, &len, in_dir("a.conf"), 1 << 20), 0);
	assert_int_equal(len, big);
	assert_memory_equal(s, data, big);
	mem_free(MEM_OTHER, s);
	free(data);
	assert_int_equal(file_replace(in_dir("none/x"), "a", 1, 0600), -ENOENT);
	/* A directory can't be replaced, and nothing is left beside it. */
	assert_true(file_replace(dir, "a", 1, 0600) < 0);
	/* Of no size, and a directory. */
	assert_int_equal(file_read(&s, &len, "/proc/self/stat", 1 << 20), 0);
	assert_true(len > 10 && strlen(s) == len);
	mem_free(MEM_OTHER, s);
	assert_int_equal(file_read(&s, &len, dir, 1 << 20), -EISDIR);
}

static void
test_glob(void **arg)
{
	static const char *const name[] = { "b.conf", "a.conf", "c.txt", "B.conf" };
	struct file_list l;

	(void)arg;
	for (unsigned i = 0; i < ARRAY_LEN(name); i++)
		assert_int_equal(file_replace(in_dir(name[i]), "", 0, 0600), 0);
	/* The directory's own brackets are no pattern. */
	assert_int_equal(file_glob(&l, dir, "*.conf"), 0);
	assert_int_equal(l.cnt, 3);
	assert_string_equal(l.path[0], in_dir("B.conf"));
	assert_string_equal(l.path[1], in_dir("a.conf"));
	assert_string_equal(l.path[2], in_dir("b.conf"));
	file_list_fini(&l);
	assert_int_equal(file_glob(&l, dir, "*.none"), -ENOENT);
	assert_int_equal(file_glob(&l, dir, "none"), 0);
	assert_int_equal(l.cnt, 1);
	assert_string_equal(l.path[0], in_dir("none"));
	file_list_fini(&l);
	assert_int_equal(file_glob(&l, dir, "/etc/pass[w]d"), 0);
	assert_string_equal(l.path[0], "/etc/passwd");
	file_list_fini(&l);
	assert_int_equal(file_glob(&l, NULL, "x"), 0);
	assert_string_equal(l.path[0], "x");
	file_list_fini(&l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_read_replace, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_glob, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
