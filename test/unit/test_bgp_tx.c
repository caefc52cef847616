/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The send queue over a socketpair that takes little at a time: nothing is lost, doubled
 * or reordered, and what was put may be overwritten after each flush. */
#include "proto/bgp/out/bgp_tx.c"
#include "lib/mt/rcu.h"
#include "test/lib/wait.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <cmocka.h>

static struct spare spare;

static void
make_pair(int fd[2], int sndbuf)
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd), 0);
	setsockopt(fd[0], SOL_SOCKET, SO_SNDBUF, &sndbuf, sizeof(sndbuf));
}

/* drain - read up to @max octets and compare with the running counter @at. */
static uint32_t
test_bgp_tx_drain(int fd, uint32_t at, size_t max)
{
	uint8_t buf[4096];
	ssize_t n = read(fd, buf, max < sizeof(buf) ? max : sizeof(buf));

	for (ssize_t i = 0; i < n; i++)
		assert_int_equal(buf[i], (uint8_t)(at + (uint32_t)i) * 7 % 251);
	return n > 0 ? at + (uint32_t)n : at;
}

static void
test_bgp_tx_fill(uint8_t *p, uint32_t at, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		p[i] = (uint8_t)(at + i) * 7 % 251;
}

static void
test_order(void **state)
{
	static uint8_t pool[BGP_TX_ROOM];
	struct bgp_tx tx;
	uint32_t in = 0, out = 0, blocked = 0;
	int fd[2];

	(void)state;
	srand(1);
	make_pair(fd, 4096);
	bgp_tx_init(&tx, os_fd_of(fd[0]), NULL, &spare);
	for (unsigned n = 0; n < 3000; n++) {
		uint32_t used = 0;

		while (rand() % 8) {
			uint32_t len = 1 + (uint32_t)rand() % 400;

			if (rand() % 4 == 0) {
				uint8_t own[19];

				test_bgp_tx_fill(own, in, 19);
				bgp_tx_copy(&tx, own, 19);
				in += 19;
				continue;
			}
			if (len > bgp_tx_room(&tx) || used + len > sizeof(pool))
				break;
			test_bgp_tx_fill(pool + used, in, len);
			bgp_tx_put(&tx, pool + used, len, NULL);
			used += len;
			in += len;
		}
		bgp_tx_flush(&tx);
		assert_int_equal(tx.err, 0);
		assert_int_equal(tx.iov_cnt, 0);
		memset(pool, 0xff, sizeof(pool));
		blocked += tx.blocked;
		assert_int_equal(tx.blocked, bgp_tx_pending(&tx) != 0);
		out = test_bgp_tx_drain(fd[1], out, (size_t)rand() % 900);
		assert_int_equal(bgp_tx_room(&tx) == 0, bgp_tx_pending(&tx) != 0);
		while (tx.copied > BGP_TX_COPY_MAX / 2) {
			out = test_bgp_tx_drain(fd[1], out, 4096);
			bgp_tx_flush(&tx);
		}
	}
	while (out < in) {
		out = test_bgp_tx_drain(fd[1], out, 4096);
		bgp_tx_flush(&tx);
	}
	assert_int_equal(out, in);
	assert_int_equal(tx.octets, in);
	assert_true(blocked > 100);
	assert_null(tx.buf);
	assert_null(tx.iov);
	bgp_tx_fini(&tx);
	close(fd[0]);
	close(fd[1]);
}

static void
test_bounds(void **state)
{
	static uint8_t big[BGP_TX_ROOM];
	struct bgp_tx tx;
	int fd[2];

	(void)state;
	make_pair(fd, 2048);
	bgp_tx_init(&tx, os_fd_of(fd[0]), NULL, &spare);
	assert_int_equal(bgp_tx_room(&tx), BGP_TX_ROOM);
	bgp_tx_put(&tx, big, 1000, NULL);
	assert_int_equal(bgp_tx_room(&tx), BGP_TX_ROOM - 1000);
	bgp_tx_put(&tx, big, BGP_TX_ROOM - 1000, NULL);
	assert_int_equal(bgp_tx_room(&tx), 0);
	bgp_tx_flush(&tx);
	assert_true(tx.blocked);
	for (unsigned i = 0; i < BGP_TX_COPY_MAX / 64; i++)
		bgp_tx_copy(&tx, big, 64);
	assert_int_equal(tx.err, 0);
	bgp_tx_copy(&tx, big, 64);
	assert_int_equal(tx.err, -ENOBUFS);
	assert_int_equal(bgp_tx_pending(&tx), 0);
	bgp_tx_copy(&tx, big, 64);
	bgp_tx_put(&tx, big, 64, NULL);
	assert_int_equal(bgp_tx_flush(&tx), 0);
	bgp_tx_fini(&tx);
	close(fd[0]);
	close(fd[1]);
}

static void
test_peer_gone(void **state)
{
	struct bgp_tx tx;
	int fd[2];

	(void)state;
	make_pair(fd, 2048);
	close(fd[1]);
	bgp_tx_init(&tx, os_fd_of(fd[0]), NULL, &spare);
	bgp_tx_copy(&tx, "x", 1);
	bgp_tx_flush(&tx);
	assert_int_equal(tx.err, -EPIPE);
	bgp_tx_fini(&tx);
	close(fd[0]);
}

/* ---- messages in a file ---- */

static void
make_tcp(int fd[2])
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int l = socket(AF_INET, SOCK_STREAM, 0), buf = 8192;

	assert_true(l >= 0 && !bind(l, (struct sockaddr *)&a, len) && !listen(l, 1));
	assert_int_equal(getsockname(l, (struct sockaddr *)&a, &len), 0);
	fd[0] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(setsockopt(fd[0], SOL_SOCKET, SO_SNDBUF, &buf, sizeof(buf)), 0);
	assert_int_equal(connect(fd[0], (struct sockaddr *)&a, len), 0);
	fd[1] = accept(l, NULL, NULL);
	assert_true(fd[1] >= 0);
	close(l);
	for (int i = 0; i < 2; i++)
		assert_int_equal(fcntl(fd[i], F_SETFL, O_NONBLOCK), 0);
}

/* Pieces of a block, small and large, some side by side; a full block is given back while
 * its octets may still wait in the kernel, and written anew. */
static void
test_file(void **state)
{
	struct page_file *pf = page_file_new();
	uint8_t *block = NULL;
	struct bgp_tx tx;
	uint32_t in = 0, out = 0, used = PAGE_FILE_BLOCK, blocked = 0;
	int fd[2];
	struct wait w = { 0 };

	(void)state;
	assert_non_null(pf);
	srand(2);
	make_tcp(fd);
	bgp_tx_init(&tx, os_fd_of(fd[0]), pf, &spare);
	for (unsigned n = 0; n < 2000; n++) {
		if (used + 20000 > PAGE_FILE_BLOCK) {
			if (block)
				page_file_give(pf, MEM_OTHER, block);
			block = page_file_take(pf, MEM_OTHER);
			assert_non_null(block);
			memset(block, 0xee, PAGE_FILE_BLOCK);
			used = 0;
		}
		for (uint32_t left = 20000; rand() % 8;) {
			uint32_t len = 1 + (uint32_t)rand() % (rand() % 4 ? 400 : 12000);

			if (rand() % 16 == 0) {
				uint8_t own[19];

				test_bgp_tx_fill(own, in, 19);
				bgp_tx_copy(&tx, own, 19);
				in += 19;
				continue;
			}
			if (len + 1 > left || len > bgp_tx_room(&tx))
				break;
			test_bgp_tx_fill(block + used, in, len);
			bgp_tx_put(&tx, block + used, len, NULL);
			in += len;
			len += (uint32_t)rand() % 2; /* a gap, or none */
			used += len;
			left -= len;
		}
		bgp_tx_flush(&tx);
		assert_int_equal(tx.err, 0);
		blocked += tx.blocked;
		for (int i = rand() % 6; i > 0; i--)
			out = test_bgp_tx_drain(fd[1], out, 4096);
		while (tx.copied > BGP_TX_COPY_MAX / 2) {
			out = test_bgp_tx_drain(fd[1], out, 4096);
			bgp_tx_flush(&tx);
		}
	}
	page_file_give(pf, MEM_OTHER, block);
	while (out < in) {
		out = test_bgp_tx_drain(fd[1], out, 4096);
		bgp_tx_flush(&tx);
	}
	assert_int_equal(out, in);
	assert_int_equal(tx.octets, in);
	assert_true(blocked > 100);
	close(fd[1]);
	block = page_file_take(pf, MEM_OTHER);
	while (!tx.err) {
		bgp_tx_put(&tx, block, 10000, NULL);
		bgp_tx_flush(&tx);
		lib_wait_turn(&w, "an error");
	}
	assert_true(tx.err == -EPIPE || tx.err == -ECONNRESET);
	bgp_tx_fini(&tx);
	close(fd[0]);
	page_file_give(pf, MEM_OTHER, block);
	page_file_free(pf);
	assert_int_equal(mem_used(MEM_OTHER), 0);
}

/* Pieces of a bump, whose owner lets go of them as soon as they are flushed: what the
 * socket didn't take stays, held if it is in few blocks, else copied; in the end nothing
 * is left. */
static void
test_held(void **state)
{
	struct bump bump;
	struct bgp_tx tx;
	uint32_t in = 0, out = 0, held = 0, copied = 0;
	int fd[2];

	(void)state;
	srand(3);
	make_pair(fd, 4096);
	bump_init(&bump, MEM_JOURNAL, 4096, 1);
	bgp_tx_init(&tx, os_fd_of(fd[0]), NULL, &spare);
	for (unsigned n = 0; n < 3000; n++) {
		struct bump_block *block[600];
		uint32_t cnt = 0;

		while (rand() % 32 && cnt < 600) {
			uint32_t len = 1 + (uint32_t)rand() % 900;
			uint8_t *p;

			if (rand() % 64 == 0) {
				uint8_t own[19];

				test_bgp_tx_fill(own, in, 19);
				bgp_tx_copy(&tx, own, 19);
				in += 19;
				continue;
			}
			if (len > bgp_tx_room(&tx))
				break;
			p = bump_alloc(&bump, len, &block[cnt]);
			test_bgp_tx_fill(p, in, len);
			bgp_tx_put(&tx, p, len, block[cnt++]);
			in += len;
		}
		bgp_tx_flush(&tx);
		while (cnt)
			bump_put(block[--cnt]);
		if (n % 16 == 0)
			rcu_drain();
		assert_int_equal(tx.err, 0);
		assert_int_equal(tx.held, tx.iov_cnt);
		held += tx.held > 0;
		copied += tx.len > 19;
		assert_int_equal(tx.blocked, bgp_tx_pending(&tx) != 0);
		assert_int_equal(bgp_tx_room(&tx) == 0, bgp_tx_pending(&tx) != 0);
		for (int i = rand() % 6; i > 0; i--)
			out = test_bgp_tx_drain(fd[1], out, 4096);
		while (tx.copied > BGP_TX_COPY_MAX / 2) {
			out = test_bgp_tx_drain(fd[1], out, 4096);
			bgp_tx_flush(&tx);
		}
	}
	assert_true(held > 100 && copied > 100);
	while (out < in) {
		out = test_bgp_tx_drain(fd[1], out, 4096);
		bgp_tx_flush(&tx);
	}
	assert_int_equal(out, in);
	assert_null(tx.iov);
	bgp_tx_fini(&tx);
	bump_fini(&bump);
	rcu_drain();
	assert_int_equal(mem_used(MEM_JOURNAL), 0);
	spare_empty(&spare, MEM_PROTO);
	assert_int_equal(mem_used(MEM_PROTO), 0);
	close(fd[0]);
	close(fd[1]);
}

/* put_many - 64 pieces of 1,000 octets, which nobody but @tx holds any more. */
static void
put_many(struct bgp_tx *tx, struct bump *bump)
{
	for (int i = 0; i < 64; i++) {
		struct bump_block *block;
		uint8_t *p = bump_alloc(bump, 1000, &block);

		memset(p, 0, 1000);
		bgp_tx_put(tx, p, 1000, block);
		bgp_tx_flush(tx);
		bump_put(block);
	}
	assert_true(tx->held > 0 && tx->blocked);
}

/* A message of our own finds room for what is held, but it isn't for it to say so: who
 * waits for the socket looks whether `blocked` changes. What waits at the end is let
 * go. */
static void
test_copy_behind_held(void **state)
{
	struct bump bump;
	struct bgp_tx tx;
	uint8_t junk[4096];
	int fd[2];

	(void)state;
	make_pair(fd, 4096);
	bump_init(&bump, MEM_JOURNAL, 4096, 1);
	bgp_tx_init(&tx, os_fd_of(fd[0]), NULL, &spare);
	put_many(&tx, &bump);
	do {
		bgp_tx_flush(&tx);
		while (read(fd[1], junk, sizeof(junk)) > 0)
			;
	} while (bgp_tx_pending(&tx) >= 4096);
	assert_true(tx.held > 0 && tx.blocked);
	bgp_tx_copy(&tx, "own", 3);
	assert_true(tx.blocked && !tx.held);
	bgp_tx_flush(&tx);
	assert_true(!tx.blocked && !bgp_tx_pending(&tx));
	put_many(&tx, &bump);
	bgp_tx_fini(&tx);
	bump_fini(&bump);
	rcu_drain();
	assert_int_equal(mem_used(MEM_JOURNAL), 0);
	spare_empty(&spare, MEM_PROTO);
	assert_int_equal(mem_used(MEM_PROTO), 0);
	close(fd[0]);
	close(fd[1]);
}

int
main(void)
{
	signal(SIGPIPE, SIG_IGN);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_peer_gone),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_copy_behind_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
