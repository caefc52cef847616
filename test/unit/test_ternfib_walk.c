/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ternfib_verify finds each damage of a word that leads to routes, and names the damage;
 * a walk of a damaged image ends within the image. */
#include "lib/fib/ternfib_walk.c"
#include "lib/fib/fib_build.h"
#include "test/lib/unit.h"
#include <fcntl.h>
#include <stdio.h>

#define CHUNK_OCTETS 256 /* of the section, from its start on */

static char dir[] = "/tmp/test_ternfib_walk.XXXXXX";
static char path[64];

static void
test_ternfib_walk_set(struct fib *f, const char *prefix, uint32_t n)
{
	struct fib_entry e = { .hop_kind = FIB_HOP_IP,
		.next_hop = ip4(0x0a000000 + n),
		.origin_as = 64512 + n };
	struct prefix p;
	uint64_t value;

	assert_int_equal(prefix_parse(&p, prefix), 0);
	assert_int_equal(fib_value_get(f, &e, &value), 0);
	fib_set(f, &p, value);
	fib_value_drop(f, value);
}

static void
test_ternfib_walk_publish(enum family fam, const char *const *prefix)
{
	struct fib_options o = { .family = fam, .fields = FIB_WITH_ORIGIN, .table = "t" };
	struct fib_file file = { .path = path, .mode = 0600 };
	struct fib *f = fib_new(&o);

	for (uint32_t i = 0; prefix[i]; i++)
		test_ternfib_walk_set(f, prefix[i], i % 5 + 1);
	assert_int_equal(fib_open(f, &file, 1), 0);
	assert_int_equal(fib_publish(f, 1), 0);
	fib_free(f);
}

/* The texts that were seen. */
struct findings {
	const char *why[16];
	unsigned cnt, found;
};

static void
findings_add(struct findings *f, const char *why)
{
	f->found++;
	for (unsigned i = 0; i < f->cnt; i++)
		if (!strcmp(f->why[i], why))
			return;
	assert_true(f->cnt < ARRAY_LEN(f->why));
	f->why[f->cnt++] = why;
}

static bool
findings_have(const struct findings *f, const char *why)
{
	for (unsigned i = 0; i < f->cnt; i++)
		if (!strcmp(f->why[i], why))
			return true;
	return false;
}

static int
test_ternfib_walk_count(void *arg, const struct ternfib_range *r)
{
	(void)r;
	++*(unsigned *)arg;
	return 0;
}

/* test_ternfib_walk_octet - damage the octet at @at in two ways. */
static void
test_ternfib_walk_octet(struct ternfib *t, int fd, off_t at, struct findings *f)
{
	static const uint8_t damage[] = { 0xff, 0x01 };
	uint8_t was, now;
	const char *why;
	unsigned ranges;

	assert_int_equal(pread(fd, &was, 1, at), 1);
	for (unsigned i = 0; i < ARRAY_LEN(damage); i++) {
		int rc;

		now = was ^ damage[i];
		assert_int_equal(pwrite(fd, &now, 1, at), 1);
		rc = ternfib_verify(t, &why);
		assert_true(rc == 0 || rc == -EIO);
		if (!rc)
			continue;
		findings_add(f, why);
		ranges = 0;
		rc = ternfib_walk(t, test_ternfib_walk_count, &ranges);
		assert_true(rc == 0 || rc == -EIO);
	}
	assert_int_equal(pwrite(fd, &was, 1, at), 1);
}

/* test_ternfib_walk_damage - each octet of the slots in use, and of the first chunks. */
static void
test_ternfib_walk_damage(
    enum family fam, const char *const *prefix, const char *const *wanted)
{
	struct findings f = { .cnt = 0 };
	struct ternfib *t;
	unsigned slots = 0;
	const char *why;
	off_t chunk;
	int fd;

	test_ternfib_walk_publish(fam, prefix);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(ternfib_open(&t, path), 0);
	assert_int_equal(ternfib_verify(t, &why), 0);
	assert_string_equal(why, "");
	for (uint32_t i = 0; i < FIB_SLOTS; i++) {
		if (!t->view.slot[i])
			continue;
		slots++;
		for (unsigned k = 0; k < 8; k++)
			test_ternfib_walk_octet(
			    t, fd, FIB_HEADER_SIZE + (off_t)i * 8 + k, &f);
	}
	assert_int_not_equal(slots, 0);
	chunk = (const uint8_t *)t->view.chunk - (const uint8_t *)t->header;
	for (unsigned k = FIB_UNIT; k < CHUNK_OCTETS; k++)
		test_ternfib_walk_octet(t, fd, chunk + k, &f);
	for (; *wanted; wanted++)
		if (!findings_have(&f, *wanted))
			fail_msg("no damage gives: %s", *wanted);
	assert_int_equal(ternfib_verify(t, &why), 0);
	ternfib_close(t);
	close(fd);
	unlink(path);
}

static void
test_four(void **state)
{
	static const char *const prefix[] = { "10.0.0.0/24", "10.0.0.1/32", "10.0.0.7/32",
		"10.0.0.128/25", "10.0.9.0/24", "10.1.0.0/16", "10.2.3.0/24",
		"10.2.4.0/23", "10.2.9.9/32", NULL };
	static const char *const wanted[] = { "a slot has a word of another kind",
		"a reference leaves the section of chunks",
		"a chunk has impossible numbers", "a chunk serves several values",
		"the checksum is wrong", NULL };

	(void)state;
	test_ternfib_walk_damage(FAM_IP4, prefix, wanted);
}

static void
test_six(void **state)
{
	static const char *const prefix[] = { "2001:db8::/32", "2001:db8:1::/48",
		"2001:db8:1:2::/64", "2001:db8:7::/48", "2001:db8:8::/45",
		"2001:db8:9:9::1/128", "2001:db8:9:9::9/128", "2001:dc0::/29",
		"2a00:1::/32", NULL };
	static const char *const wanted[] = { "a slot has a word of another kind",
		"a table has a word of another kind",
		"a reference leaves the section of chunks",
		"a chunk has impossible numbers", "the checksum is wrong", NULL };

	(void)state;
	test_ternfib_walk_damage(FAM_IP6, prefix, wanted);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_four),
		cmocka_unit_test(test_six),
	};
	int rc;

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/image", dir);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	rmdir(dir);
	return rc;
}
