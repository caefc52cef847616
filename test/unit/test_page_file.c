/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of a file: all of them, zeros again after they were given back, what isn't in
 * it. */
#include "sysdep/os/page_file.c"
#include "sysdep/sock/sock_io.h"
#include "test/lib/fd_pair.h"
#include "test/lib/unit.h"

static void
test_blocks(void **state)
{
	struct page_file *pf = page_file_new();
	uint8_t *a, *b, *c;

	(void)state;
	assert_non_null(pf);
	a = page_file_take(pf, MEM_CONFIG);
	b = page_file_take(pf, MEM_CONFIG);
	assert_true(
	    a != b && page_file_has(pf, a) && page_file_has(pf, b + PAGE_FILE_BLOCK - 1));
	assert_false(page_file_has(pf, pf));
	assert_false(page_file_has(NULL, a));
	assert_false(page_file_has(pf, pf->base - 1));
	assert_false(page_file_has(pf, pf->base + FILE_LEN));
	assert_int_equal(mem_used(MEM_CONFIG), 2 * PAGE_FILE_BLOCK);
	memset(a, 1, PAGE_FILE_BLOCK);
	memset(b, 2, PAGE_FILE_BLOCK);
	page_file_give(pf, MEM_CONFIG, a);
	assert_int_equal(b[0], 2);
	c = page_file_take(pf, MEM_CONFIG);
	assert_ptr_equal(c, a);
	for (uint32_t i = 0; i < PAGE_FILE_BLOCK; i++)
		assert_int_equal(c[i], 0);
	page_file_give(pf, MEM_CONFIG, b);
	page_file_give(pf, MEM_CONFIG, c);
	assert_int_equal(mem_used(MEM_CONFIG), 0);
	page_file_free(pf);
	page_file_free(NULL);
}

static void
test_send(void **state)
{
	struct page_file *pf = page_file_new();
	uint8_t *a, buf[PAGE_FILE_BLOCK];
	size_t sent = 0, got = 0;
	ssize_t n;
	int fd[2];

	(void)state;
	assert_non_null(pf);
	a = page_file_take(pf, MEM_CONFIG);
	for (uint32_t i = 0; i < PAGE_FILE_BLOCK; i++)
		a[i] = (uint8_t)(i * 7 >> 4);
	assert_int_equal(fd_pair(fd), 0);
	assert_int_equal(page_file_send(pf, os_fd_of(fd[0]), a + 3, 10), 10);
	assert_int_equal(sock_recv(os_fd_of(fd[1]), buf, sizeof(buf)), 10);
	assert_memory_equal(buf, a + 3, 10);
	/* until the socket is full, then a part or nothing */
	while ((n = page_file_send(pf, os_fd_of(fd[0]), a, PAGE_FILE_BLOCK)) > 0)
		sent += (size_t)n;
	assert_int_equal(n, 0);
	assert_true(sent > 0);
	while ((n = sock_recv(os_fd_of(fd[1]), buf, sizeof(buf))) > 0)
		got += (size_t)n;
	assert_int_equal(got, sent);
	close(fd[0]);
	assert_int_equal(page_file_send(pf, os_fd_of(fd[0]), a, 1), -EBADF);
	close(fd[1]);
	page_file_give(pf, MEM_CONFIG, a);
	page_file_free(pf);
}

static void
test_all(void **state)
{
	struct page_file *pf = page_file_new();
	void *mid = NULL;

	(void)state;
	assert_non_null(pf);
	for (uint32_t i = 0; i < PAGE_FILE_CNT; i++) {
		void *p = page_file_take(pf, MEM_CONFIG);

		assert_non_null(p);
		if (i == 5000)
			mid = p;
	}
	assert_null(page_file_take(pf, MEM_CONFIG));
	page_file_give(pf, MEM_CONFIG, mid);
	assert_ptr_equal(page_file_take(pf, MEM_CONFIG), mid);
	page_file_free(pf);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_blocks),
	cmocka_unit_test(test_all),
	cmocka_unit_test(test_send),
};

UNIT_MAIN(tests)
