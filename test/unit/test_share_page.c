/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that readers cannot write: the reader sees the writer's octets; the kernel
 * refuses all ways to write; other files are no share pages. */
#include "client/http/counted/page_map.c"
#include "sysdep/os/share_page.c"
#include "test/lib/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static void
share_page_reads(void **state)
{
	struct share_page s;
	const char *seen;
	size_t len = 0;

	(void)state;
	assert_int_equal(share_page_new(&s, 5000), 0);
	assert_true(s.len >= 5000 && s.len % (size_t)sysconf(_SC_PAGESIZE) == 0);
	seen = page_map_new(s.read_fd.os_nr, &len);
	assert_non_null(seen);
	assert_int_equal(len, s.len);
	assert_int_equal(seen[4999], 0);
	memcpy((char *)s.memory + 4990, "counters", 9);
	assert_string_equal(seen + 4990, "counters");
	/* the reader keeps the page when the writer has gone */
	share_page_free(&s);
	assert_string_equal(seen + 4990, "counters");
	page_map_free(seen, len);
}

static void
share_page_refuses(void **state)
{
	char path[64];
	struct share_page s;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)state;
	assert_int_equal(share_page_new(&s, page), 0);
	assert_true(write(s.read_fd.os_nr, "x", 1) < 0);
	assert_true(pwrite(s.read_fd.os_nr, "x", 1, 0) < 0);
	assert_true(ftruncate(s.read_fd.os_nr, 0) < 0);
	assert_ptr_equal(
	    mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, s.read_fd.os_nr, 0),
	    MAP_FAILED);
	assert_true(fcntl(s.read_fd.os_nr, F_ADD_SEALS, F_SEAL_WRITE) < 0);
	/* a reader of the same user may open the file anew: the seals refuse a length */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", s.read_fd.os_nr);
	assert_true(truncate(path, 0) < 0);
	share_page_free(&s);
}

/* share_page_with - share_page_new with @fds free descriptors. Returns: its result. */
static int
share_page_with(unsigned fds, size_t len)
{
	struct rlimit was, few;
	struct share_page s;
	int next = dup(STDERR_FILENO), rc;

	assert_true(next >= 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	few = (struct rlimit){ (rlim_t)next + fds, was.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	rc = share_page_new(&s, len);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	if (!rc)
		share_page_free(&s);
	/* nothing is left open */
	assert_int_equal(dup(STDERR_FILENO), next);
	close(next);
	return rc;
}

static void
share_page_lacks(void **state)
{
	(void)state;
	assert_int_equal(share_page_with(0, 4096), -EMFILE);
	assert_int_equal(share_page_with(1, 4096), -EMFILE);
	assert_int_equal(share_page_with(2, 4096), 0);
	/* more than an address space */
	assert_int_equal(share_page_with(2, (size_t)1 << 62), -ENOMEM);
}

static void
share_page_others(void **state)
{
	size_t len;
	int fd = memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING), pipes[2];

	(void)state;
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_null(page_map_new(fd, &len));
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
	assert_non_null(page_map_new(fd, &len));
	close(fd);
	fd = memfd_create("empty", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
	assert_null(page_map_new(fd, &len));
	close(fd);
	assert_int_equal(pipe(pipes), 0);
	assert_null(page_map_new(pipes[0], &len));
	close(pipes[0]);
	close(pipes[1]);
	assert_null(page_map_new(-1, &len));
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(share_page_reads),
		cmocka_unit_test(share_page_refuses), cmocka_unit_test(share_page_lacks),
		cmocka_unit_test(share_page_others) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
