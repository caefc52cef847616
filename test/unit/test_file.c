/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files by their names. */
#include "sysdep/os/file.h"
#include "lib/mem/mem.h"
#include "sysdep/os/fd.h"
#include "test/lib/unit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[32];

static const char *
in_dir(const char *name)
{
	static char path[4][80];
	static unsigned i;
	char *p = path[i++ % 4];

	snprintf(p, 80, "%s/%s", dir, name);
	return p;
}

static void
test_file_make(const char *name, const char *text)
{
	int fd = file_make(in_dir(name)).os_nr;

	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(os_fd_of(fd), text, strlen(text)), 0);
	assert_int_equal(fd_close(os_fd_of(fd)), 0);
}

static int
test_file_set_up(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/tern-unit.XXXXXX");
	assert_non_null(mkdtemp(dir));
	return 0;
}

static int
test_file_tear_down(void **state)
{
	char text[64];

	(void)state;
	snprintf(text, sizeof(text), "rm -rf %s", dir);
	return system(text);
}

static void
test_look(void **state)
{
	struct file_info a, b;
	int fd;

	(void)state;
	assert_int_equal(file_look(in_dir("a"), &a), -ENOENT);
	assert_int_equal(file_may_read(in_dir("a")), -ENOENT);
	test_file_make("a", "12345");
	assert_int_equal(file_may_read(in_dir("a")), 0);
	assert_int_equal(file_may_list(dir), 0);
	assert_int_equal(file_may_list(in_dir("none")), -ENOENT);
	assert_int_equal(file_may_append(in_dir("a")), 0);
	assert_int_equal(file_may_append(in_dir("new")), 0); /* the folder decides */
	assert_int_equal(file_look(in_dir("new"), &a), -ENOENT);
	assert_int_equal(file_may_append(in_dir("none/new")), -ENOENT);
	assert_int_equal(file_may_append(in_dir("a/new")), -ENOTDIR);
	assert_int_equal(file_look(in_dir("a"), &a), 0);
	assert_int_equal(a.kind, FILE_REGULAR);
	assert_int_equal(a.size, 5);
	fd = file_open(in_dir("a"), false).os_nr;
	assert_true(fd >= 0);
	assert_int_equal(file_look_fd(os_fd_of(fd), &b), 0);
	assert_true(a.inode == b.inode && a.device == b.device);
	assert_int_equal(file_rename(in_dir("a"), in_dir("b")), 0);
	test_file_make("a", "");
	assert_int_equal(file_look(in_dir("a"), &a), 0);
	assert_true(a.inode != b.inode); /* another file has the name */
	fd_close(os_fd_of(fd));
	assert_int_equal(file_look_fd(os_fd_of(fd), &b), -EBADF);
	assert_int_equal(file_look(dir, &a), 0);
	assert_int_equal(a.kind, FILE_FOLDER);
	assert_int_equal(mkfifo(in_dir("pipe"), 0600), 0);
	assert_int_equal(file_look(in_dir("pipe"), &a), 0);
	assert_int_equal(a.kind, FILE_PIPE);
	fd = file_open(in_dir("pipe"), false).os_nr; /* nobody writes: no wait */
	assert_true(fd >= 0);
	fd_close(os_fd_of(fd));
	assert_int_equal(file_open_append(in_dir("pipe")).os_nr, -ENXIO); /* likewise */
	assert_int_equal(file_look("/dev/null", &a), 0);
	assert_int_equal(a.kind, FILE_NULL);
	assert_int_equal(file_make(in_dir("a")).os_nr, -EEXIST);
	assert_int_equal(file_rename(in_dir("none"), in_dir("a")), -ENOENT);
	file_remove(in_dir("a"));
	assert_int_equal(file_open(in_dir("a"), true).os_nr, -ENOENT);
	file_remove(in_dir("a")); /* no effect */
}

/* What can't be written whole isn't written. */
static void
test_append(void **state)
{
	struct rlimit limit = { 10, 10 }, old;
	struct file_info i;
	int fd = file_open_append(in_dir("log")).os_nr;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(file_append(os_fd_of(fd), "123456", 6), 0);
	fd_close(os_fd_of(fd));
	fd = file_open_append(in_dir("log")).os_nr;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(file_append(os_fd_of(fd), "789abcdef", 9), -EFBIG);
	assert_int_equal(file_look(in_dir("log"), &i), 0);
	assert_int_equal(i.size, 6);
	assert_int_equal(file_append(os_fd_of(fd), "789", 3), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(file_look_fd(os_fd_of(fd), &i), 0);
	assert_int_equal(i.size, 9);
	fd_close(os_fd_of(fd));
}

static void
test_paths(void **state)
{
	char *p, *q, cwd[100], want[200];

	(void)state;
	p = file_absolute("/a/../b");
	assert_string_equal(p, "/a/../b");
	mem_free(MEM_OTHER, p);
	assert_null(file_absolute(""));
	assert_null(file_real(in_dir("none")));
	test_file_make("a", "");
	assert_int_equal(symlink("a", in_dir("link")), 0);
	p = file_real(in_dir("link"));
	q = file_real(in_dir("a"));
	assert_string_equal(p, q);
	mem_free(MEM_OTHER, p);
	mem_free(MEM_OTHER, q);
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	assert_int_equal(chdir(dir), 0);
	p = file_absolute("x/y"); /* it need not exist */
	assert_non_null(getcwd(want, 100));
	strcat(want, "/x/y");
	assert_string_equal(p, want);
	mem_free(MEM_OTHER, p);
	assert_int_equal(chdir(cwd), 0);
	assert_int_equal(mem_used(MEM_OTHER), 0);
}

static void
test_match(void **state)
{
	struct file_list l;

	(void)state;
	test_file_make("b.conf", "");
	test_file_make("c.conf", "");
	test_file_make("a.conf", "");
	test_file_make("a.other", "");
	assert_int_equal(file_match(in_dir("*.conf"), &l), 0);
	assert_int_equal(l.cnt, 3);
	assert_string_equal(l.path[0], in_dir("a.conf"));
	assert_string_equal(l.path[1], in_dir("b.conf"));
	assert_string_equal(l.path[2], in_dir("c.conf"));
	file_list_free(&l);
	assert_int_equal(file_match(in_dir("*.none"), &l), -ENOENT);
	assert_int_equal(l.cnt, 0);
	file_list_free(&l);
	assert_int_equal(mem_used(MEM_OTHER), 0);
}

/* The first closed folder on the way to a file, also behind a link, and whether the file
 * exists or not. */
static void
test_closed(void **state)
{
	uint32_t me = geteuid(), other = me + 1;

	(void)state;
	assert_int_equal(chmod(dir, 0755), 0);
	assert_int_equal(mkdir(in_dir("open"), 0755), 0);
	assert_int_equal(mkdir(in_dir("shut"), 0700), 0);
	assert_int_equal(mkdir(in_dir("shut/in"), 0755), 0);
	assert_int_equal(symlink(in_dir("shut/in"), in_dir("link")), 0);
	test_file_make("shut/in/file", "");
	assert_int_equal(file_closed_folder(in_dir("open/none"), other), 0);
	assert_int_equal(file_closed_folder(in_dir("none/none"), other), 0);
	assert_int_equal(file_closed_folder(in_dir("shut/in/file"), me), 0);
	assert_int_equal(file_closed_folder(in_dir("shut/none"), 0), 0);
	assert_int_equal(
	    file_closed_folder(in_dir("shut/none"), other), strlen(in_dir("shut")));
	assert_int_equal(
	    file_closed_folder(in_dir("shut/in/file"), other), strlen(in_dir("shut")));
	assert_int_equal(
	    file_closed_folder(in_dir("link/none"), other), strlen(in_dir("link")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    test_look, test_file_set_up, test_file_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_append, test_file_set_up, test_file_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_paths, test_file_set_up, test_file_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_match, test_file_set_up, test_file_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_closed, test_file_set_up, test_file_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
