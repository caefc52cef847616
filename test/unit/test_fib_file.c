/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of a table image when the world is not as it should be: files of another kind,
 * damaged and truncated files, files that another process cuts off or overwrites while
 * the writer lives, a second writer, a removed file, a full disk, a full section. Each
 * case is reported, and readers keep what they have. */
#include "lib/fib/fib_build.h"
#include "lib/fib/ternfib.h"
#include "test/lib/unit.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/test_fib_file.XXXXXX";
static char path[64], temp[64];

static struct fib *
test_fib_file_builder(uint64_t max_octets)
{
	struct fib_options o = { .family = FAM_IP4,
		.fields = FIB_WITH_ORIGIN,
		.table = "t",
		.max_octets = max_octets };

	return fib_new(&o);
}

static uint64_t
test_fib_file_value(struct fib *f, uint32_t n)
{
	struct fib_entry e = { .hop_kind = FIB_HOP_IP,
		.next_hop = ip4(0x0a000000 + n),
		.origin_as = 64512 + n };
	uint64_t value;

	assert_int_equal(fib_value_get(f, &e, &value), 0);
	return value;
}

static void
test_fib_file_set(struct fib *f, uint32_t addr, unsigned len, uint32_t n)
{
	struct prefix p = prefix_make(ip4(addr), len, FAM_IP4);
	uint64_t value = test_fib_file_value(f, n);

	fib_set(f, &p, value);
	fib_value_drop(f, value);
}

static int
test_fib_file_open(struct fib *f, enum fib_found *found)
{
	struct fib_file file = { .path = path, .mode = 0644 };
	int err = fib_open(f, &file, 1);

	if (found)
		*found = file.found;
	return err;
}

static uint32_t
test_fib_file_find(struct ternfib *t, uint32_t addr)
{
	struct ternfib_hop hop;
	uint64_t a = ternfib_find4(t, addr);

	if (!a)
		return 0;
	assert_int_equal(ternfib_hop(t, a, &hop), 0);
	return hop.addr[15];
}

static void
test_fib_file_write(const char *name, const char *text, size_t len)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
}

static void
test_fib_file_foreign(void **state)
{
	struct fib *f = test_fib_file_builder(0);
	struct ternfib *t;
	char text[6] = "";
	int fd;

	(void)state;
	test_fib_file_write(path, "notes", 5);
	assert_int_equal(ternfib_open(&t, path), -EINVAL);
	assert_int_equal(test_fib_file_open(f, NULL), -EEXIST);
	fd = open(path, O_RDONLY);
	assert_int_equal(read(fd, text, 6), 5);
	close(fd);
	assert_string_equal(text, "notes");
	unlink(path);
	test_fib_file_write(temp, "notes", 5);
	assert_int_equal(test_fib_file_open(f, NULL), -EEXIST);
	unlink(temp);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(test_fib_file_open(f, NULL), -EEXIST);
	assert_int_equal(ternfib_open(&t, path), -EINVAL);
	rmdir(path);
	assert_int_equal(ternfib_open(&t, path), -ENOENT);
	assert_int_equal(fib_publish(f, 1), -EBADF);
	assert_int_equal(fib_beat(f, 1), -EBADF);
	fib_free(f);
}

static void
test_fib_file_damaged(void **state)
{
	struct fib *f = test_fib_file_builder(0);
	enum fib_found found;
	struct ternfib *t;
	const char *why;
	int fd;

	(void)state;
	assert_int_equal(test_fib_file_open(f, &found), 0);
	assert_int_equal(found, FIB_FOUND_NONE);
	test_fib_file_set(f, 0xc0000200, 24, 1);
	assert_int_equal(fib_publish(f, 1), 0);
	fib_close(f, false);
	/* one octet of a chunk */
	fd = open(path, O_RDWR);
	assert_int_equal(ternfib_open(&t, path), 0);
	assert_int_equal(ternfib_verify(t, &why), 0);
	for (uint32_t i = 0; i < FIB_SLOTS; i++) {
		off_t at = FIB_HEADER_SIZE + (off_t)i * 8;
		uint64_t slot, unit = (uint64_t)FIB_KIND_CHUNK << FIB_KIND_SHIFT;

		assert_int_equal(pread(fd, &slot, 8, at), 8);
		if (!slot)
			continue;
		assert_int_equal(slot, unit | 1); /* the chunk is at unit 1 */
		unit |= 2;
		assert_int_equal(pwrite(fd, &unit, 8, at), 8);
	}
	assert_int_equal(ternfib_verify(t, &why), -EIO);
	assert_string_equal(why, "a chunk has impossible numbers");
	ternfib_close(t);
	/* a wrong header, a short file, an empty file */
	assert_int_equal(pwrite(fd, "\1", 1, 12), 1);
	assert_int_equal(ternfib_open(&t, path), -EPROTONOSUPPORT);
	assert_int_equal(pwrite(fd, "\2", 1, 12), 1);
	assert_int_equal(pwrite(fd, "\1", 1, 40), 1);
	assert_int_equal(ternfib_open(&t, path), -EINVAL);
	assert_int_equal(test_fib_file_open(f, &found), 0);
	assert_int_equal(found, FIB_FOUND_DAMAGED);
	assert_int_equal(fib_publish(f, 1), 0);
	assert_int_equal(ternfib_open(&t, path), 0);
	assert_int_equal(test_fib_file_find(t, 0xc0000203), 1);
	ternfib_close(t);
	fib_close(f, false);
	assert_int_equal(truncate(path, 100000), 0);
	assert_int_equal(ternfib_open(&t, path), -EINVAL);
	assert_int_equal(test_fib_file_open(f, &found), 0);
	assert_int_equal(found, FIB_FOUND_DAMAGED);
	fib_close(f, false);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(test_fib_file_open(f, &found), 0);
	assert_int_equal(found, FIB_FOUND_DAMAGED);
	assert_int_equal(fib_publish(f, 1), 0);
	close(fd);
	fib_close(f, true);
	assert_int_equal(access(path, F_OK), -1);
	fib_free(f);
}

static void
test_fib_file_second(void **state)
{
	struct fib *a = test_fib_file_builder(0), *b = test_fib_file_builder(0);
	enum fib_found found;
	struct ternfib *t, *u;
	uint64_t generation;

	(void)state;
	assert_int_equal(test_fib_file_open(a, NULL), 0);
	assert_int_equal(test_fib_file_open(b, NULL), -EBUSY);
	test_fib_file_set(a, 0xc0000200, 24, 1);
	test_fib_file_set(b, 0xc0000200, 24, 2);
	assert_int_equal(ternfib_open(&t, path), -ENOENT);
	assert_int_equal(fib_publish(a, 1), 0);
	assert_int_equal(test_fib_file_open(b, NULL), -EBUSY);
	assert_int_equal(ternfib_open(&t, path), 0);
	generation = ternfib_generation(t);
	fib_free(a);
	/* the second writer continues; the reader keeps the old image until the poll */
	assert_int_equal(test_fib_file_open(b, &found), 0);
	assert_int_equal(found, FIB_FOUND_LEFT);
	assert_int_equal(ternfib_poll(t), 0);
	assert_int_equal(fib_publish(b, 1), 0);
	assert_int_equal(test_fib_file_find(t, 0xc0000203), 1);
	assert_int_equal(ternfib_wait(t, generation, -1), 0);
	assert_int_equal(ternfib_poll(t), 1);
	assert_int_equal(test_fib_file_find(t, 0xc0000203), 2);
	assert_true(ternfib_generation(t) > generation);
	assert_int_equal(ternfib_wait(t, ternfib_generation(t), 0), -ETIMEDOUT);
	/* the file is removed: the writer learns so, and starts again */
	assert_int_equal(fib_beat(b, 2), 0);
	unlink(path);
	assert_int_equal(fib_beat(b, 2), -ENOENT);
	assert_int_equal(test_fib_file_find(t, 0xc0000203), 2);
	assert_int_equal(test_fib_file_open(b, &found), 0);
	assert_int_equal(fib_publish(b, 1), 0);
	assert_int_equal(ternfib_open(&u, path), 0);
	assert_int_equal(test_fib_file_find(u, 0xc0000203), 2);
	ternfib_close(u);
	fib_close(b, true);
	ternfib_close(t);
	fib_free(b);
}

/* test_fib_file_polled - the result of ternfib_poll, which looks at the name from time to
 * time: not 0. */
static int
test_fib_file_polled(struct ternfib *t)
{
	int got;

	do
		got = ternfib_poll(t);
	while (!got);
	return got;
}

/* A file that was removed while no writer ran carries no mark. */
static void
test_fib_file_orphan(void **state)
{
	struct fib *f = test_fib_file_builder(0);
	struct ternfib *t;

	(void)state;
	assert_int_equal(test_fib_file_open(f, NULL), 0);
	test_fib_file_set(f, 0xc0000200, 24, 1);
	assert_int_equal(fib_publish(f, 1), 0);
	fib_close(f, false);
	assert_int_equal(ternfib_open(&t, path), 0);
	assert_int_equal(ternfib_wait(t, 1, 0), -ETIMEDOUT);
	assert_int_equal(ternfib_poll(t), 0);
	unlink(path);
	assert_int_equal(ternfib_wait(t, 1, -1), 0);
	assert_int_equal(test_fib_file_polled(t), -ENOENT);
	assert_int_equal(test_fib_file_find(t, 0xc0000203), 1);
	assert_int_equal(ternfib_wait(t, 1, 1), -ETIMEDOUT);
	test_fib_file_write(path, "notes", 5);
	assert_int_equal(ternfib_poll(t), -EINVAL);
	assert_int_equal(ternfib_wait(t, 1, 1), -ETIMEDOUT);
	unlink(path);
	/* the numbers of the new file begin at 1 */
	assert_int_equal(test_fib_file_open(f, NULL), 0);
	test_fib_file_set(f, 0xc0000200, 24, 2);
	assert_int_equal(fib_publish(f, 1), 0);
	assert_int_equal(ternfib_wait(t, ternfib_generation(t), -1), 0);
	assert_int_equal(ternfib_poll(t), 1);
	assert_int_equal(test_fib_file_find(t, 0xc0000203), 2);
	/* removed and written anew between two polls */
	fib_close(f, false);
	unlink(path);
	assert_int_equal(test_fib_file_open(f, NULL), 0);
	test_fib_file_set(f, 0xc0000200, 24, 3);
	assert_int_equal(fib_publish(f, 1), 0);
	assert_int_equal(test_fib_file_polled(t), 1);
	assert_int_equal(test_fib_file_find(t, 0xc0000203), 3);
	/* another name, and the same name again */
	assert_int_equal(rename(path, temp), 0);
	assert_int_equal(test_fib_file_polled(t), -ENOENT);
	assert_int_equal(rename(temp, path), 0);
	assert_int_equal(ternfib_poll(t), 0);
	assert_int_equal(ternfib_wait(t, ternfib_generation(t), 0), -ETIMEDOUT);
	ternfib_close(t);
	fib_close(f, true);
	fib_free(f);
}

/* test_fib_file_again - the writer learns that the file is lost, and starts again. */
static void
test_fib_file_again(struct fib *f, uint32_t n)
{
	struct ternfib *t;
	const char *why;

	test_fib_file_set(f, 0xc0000200, 24, n);
	assert_int_equal(fib_publish(f, 2), -ENOENT);
	assert_int_equal(fib_beat(f, 2), -ENOENT);
	fib_close(f, true);
	assert_int_equal(fib_publish(f, 2), -EBADF);
	if (test_fib_file_open(f, NULL) == -EEXIST) {
		unlink(path);
		assert_int_equal(test_fib_file_open(f, NULL), 0);
	}
	assert_int_equal(fib_publish(f, 2), 0);
	assert_int_equal(fib_beat(f, 2), 0);
	assert_int_equal(ternfib_open(&t, path), 0);
	assert_int_equal(test_fib_file_find(t, 0xc0000203), n);
	assert_int_equal(ternfib_verify(t, &why), 0);
	ternfib_close(t);
}

static void
test_fib_file_cut(void **state)
{
	static const off_t size[] = { 0, 100, FIB_HEADER_SIZE, 100000 };
	struct fib *f = test_fib_file_builder(0);
	char text[FIB_HEADER_SIZE + 1];
	struct stat st;
	uint32_t n = 1;
	int fd;

	(void)state;
	memset(text, 'x', sizeof(text));
	assert_int_equal(test_fib_file_open(f, NULL), 0);
	test_fib_file_set(f, 0xc0000200, 24, n);
	assert_int_equal(fib_publish(f, 1), 0);
	assert_int_equal(stat(path, &st), 0);
	for (unsigned i = 0; i < ARRAY_LEN(size); i++) {
		assert_int_equal(truncate(path, size[i]), 0);
		test_fib_file_again(f, ++n);
	}
	/* cut off, and as long as before */
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(truncate(path, st.st_size), 0);
	test_fib_file_again(f, ++n);
	/* the writer does not mark what another program wrote into the file */
	test_fib_file_write(path, text, sizeof(text));
	fd = open(path, O_RDONLY);
	test_fib_file_again(f, ++n);
	memset(text, 0, sizeof(text));
	assert_int_equal(read(fd, text, sizeof(text)), sizeof(text));
	for (unsigned i = 0; i < sizeof(text); i++)
		assert_int_equal(text[i], 'x');
	close(fd);
	fib_close(f, true);
	fib_free(f);
}

/* test_fib_file_big - an image with room for all communities. */
static int
test_fib_file_big(struct fib *f, uint32_t n)
{
	static uint32_t word[UINT16_MAX];
	struct fib_entry e = {
		.hop_kind = FIB_HOP_DROP, .community_cnt = UINT16_MAX, .community = word
	};
	struct prefix p = prefix_make(ip4(n << 8), 24, FAM_IP4);
	uint64_t value;
	int err;

	word[0] = n;
	err = fib_value_get(f, &e, &value);
	if (err)
		return err;
	fib_set(f, &p, value);
	fib_value_drop(f, value);
	return 0;
}

/* Attribute sets that fill their part of the file: the caller can leave facts out, and a
 * publication that finds no room beside former sets succeeds in a new file. */
static void
test_fib_file_full_sets(void **state)
{
	struct fib_options o = {
		.family = FAM_IP4, .fields = FIB_WITH_COMMUNITIES, .table = "t"
	};
	struct fib *f = fib_new(&o);
	struct ternfib *t;
	uint32_t n = 1, more = 1;
	const char *why;

	(void)state;
	assert_int_equal(test_fib_file_open(f, NULL), 0);
	while (!test_fib_file_big(f, n))
		n++;
	assert_true(n > 100 && n < 1000);
	assert_int_equal(test_fib_file_big(f, n), -ENOSPC);
	assert_int_equal(fib_publish(f, 1), 0);
	for (uint32_t i = 1; i < n; i++) {
		struct prefix p = prefix_make(ip4(i << 8), 24, FAM_IP4);

		assert_int_not_equal(fib_get(f, &p), 0);
		fib_unset(f, &p);
	}
	while (!test_fib_file_big(f, n + more))
		more++;
	assert_int_equal(more, n);
	assert_int_equal(fib_publish(f, 1), -EFBIG);
	assert_int_equal(ternfib_open(&t, path), 0);
	assert_int_equal(ternfib_verify(t, &why), 0);
	assert_true(ternfib_find4(t, 1 << 8));
	fib_close(f, false);
	assert_int_equal(test_fib_file_open(f, NULL), 0);
	assert_int_equal(fib_publish(f, 1), 0);
	assert_int_equal(ternfib_poll(t), 1);
	assert_int_equal(ternfib_verify(t, &why), 0);
	assert_true(!ternfib_find4(t, 1 << 8) && ternfib_find4(t, (n + 1) << 8));
	ternfib_close(t);
	fib_close(f, true);
	fib_free(f);
}

/* test_fib_file_fill - set prefixes and publish until the image is full. Returns: the
 * number of the first prefix that readers may lack. */
static uint32_t
test_fib_file_fill(struct fib *f)
{
	uint32_t n = 0;

	for (; n < 60000; n += 50) {
		for (uint32_t i = n; i < n + 50; i++)
			test_fib_file_set(f, i << 16 | 0x0100, 24, i % 200 + 1);
		if (fib_publish(f, 1))
			break;
	}
	return n;
}

static void
test_fib_file_full_run(struct fib *f)
{
	struct ternfib *t;
	struct fib_stat st;
	const char *why;
	uint32_t n;

	assert_int_equal(test_fib_file_open(f, NULL), 0);
	n = test_fib_file_fill(f);
	assert_true(n > 0 && n < 60000);
	assert_int_equal(ternfib_open(&t, path), 0);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(test_fib_file_find(t, i << 16 | 0x0101), i % 200 + 1);
	assert_int_equal(ternfib_verify(t, &why), 0);
	assert_int_equal(fib_publish(f, 1), -ENOSPC);
	/* room again: prefixes go, and the rest of the changes arrive */
	for (uint32_t i = 0; i < n / 2; i++) {
		struct prefix p = prefix_make(ip4(i << 16 | 0x0100), 24, FAM_IP4);

		assert_int_not_equal(fib_get(f, &p), 0);
		fib_unset(f, &p);
	}
	for (unsigned i = 0; i < 10 && fib_publish(f, 1); i++)
		continue;
	assert_int_equal(fib_publish(f, 1), 0);
	assert_true(ternfib_poll(t) >= 0);
	for (uint32_t i = 0; i < n + 50; i++)
		assert_int_equal(
		    test_fib_file_find(t, i << 16 | 0x0101), i < n / 2 ? 0 : i % 200 + 1);
	assert_int_equal(ternfib_verify(t, &why), 0);
	fib_stat(f, &st);
	assert_true(st.failed > 0);
	ternfib_close(t);
	fib_close(f, true);
}

static void
test_fib_file_full_section(void **state)
{
	struct fib *f = test_fib_file_builder(65536);

	(void)state;
	test_fib_file_full_run(f);
	fib_free(f);
}

/* test_fib_file_ballast - a file takes the rest of the disk. */
static void
test_fib_file_ballast(char name[80])
{
	static const char some[4096];
	int fd;

	snprintf(name, 80, "%s/ballast", dir);
	fd = open(name, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	while (write(fd, some, sizeof(some)) > 0)
		continue;
	close(fd);
}

/* test_fib_file_no_begin - a new file that finds no room leaves nothing behind: the first
 * file of a builder, and the file of a full rebuild, whose changes go into the image. */
static void
test_fib_file_no_begin(void)
{
	struct fib *f = test_fib_file_builder(65536);
	struct ternfib *t;
	char ballast[80];

	test_fib_file_set(f, 0x0a000000, 24, 7);
	test_fib_file_ballast(ballast);
	assert_int_equal(test_fib_file_open(f, NULL), -ENOSPC);
	assert_int_equal(access(temp, F_OK), -1);
	assert_int_equal(access(path, F_OK), -1);
	unlink(ballast);
	assert_int_equal(test_fib_file_open(f, NULL), 0);
	assert_int_equal(fib_publish(f, 1), 0);
	assert_int_equal(ternfib_open(&t, path), 0);
	test_fib_file_ballast(ballast);
	fib_rebuild(f);
	test_fib_file_set(f, 0x0a000000, 24, 8);
	assert_int_equal(fib_publish(f, 1), 0);
	assert_int_equal(access(temp, F_OK), -1);
	assert_int_equal(ternfib_poll(t), 0);
	assert_int_equal(test_fib_file_find(t, 0x0a000001), 8);
	unlink(ballast);
	ternfib_close(t);
	fib_close(f, true);
	fib_free(f);
}

/* test_fib_file_full_disk - on a disk of 1 MB, in a namespace of a child. */
static void
test_fib_file_full_disk(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		struct fib *f;

		if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS))
			_exit(77);
		if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mount("tmpfs", dir, "tmpfs", 0, "size=1m"))
			_exit(77);
		f = test_fib_file_builder(0);
		test_fib_file_full_run(f);
		fib_free(f);
		test_fib_file_no_begin();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

static int
test_fib_file_setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/t.fib", dir);
	snprintf(temp, sizeof(temp), "%s/t.fib.new", dir);
	return 0;
}

static int
test_fib_file_teardown(void **state)
{
	(void)state;
	return rmdir(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fib_file_foreign),
		cmocka_unit_test(test_fib_file_damaged),
		cmocka_unit_test(test_fib_file_second),
		cmocka_unit_test(test_fib_file_orphan),
		cmocka_unit_test(test_fib_file_cut),
		cmocka_unit_test(test_fib_file_full_sets),
		cmocka_unit_test(test_fib_file_full_section),
		cmocka_unit_test(test_fib_file_full_disk),
	};

	return cmocka_run_group_tests(tests, test_fib_file_setup, test_fib_file_teardown);
}
