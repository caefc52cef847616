/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MRT files: peers told apart, other records passed over, damaged files refused. */
#include "test/load/load_mrt.c"
#include "lib/wire/wbuf.h"
#include "test/lib/unit.h"
#include <fcntl.h>

static void
test_load_mrt_put_record(
    struct wbuf *w, unsigned type, unsigned sub, uint32_t as, uint32_t addr)
{
	bool as4 = sub == MRT_MESSAGE_AS4;
	uint8_t *len_at, *m;
	unsigned len = MSG_HEADER + 4 + 4;

	wbuf_u32(w, 1267286400);
	wbuf_u16(w, (uint16_t)type);
	wbuf_u16(w, (uint16_t)sub);
	len_at = wbuf_skip(w, 4);
	if (type == MRT_BGP4MP_ET)
		wbuf_u32(w, 123456);
	if (as4) {
		wbuf_u32(w, as);
		wbuf_u32(w, 12654);
	} else {
		wbuf_u16(w, (uint16_t)as);
		wbuf_u16(w, 12654);
	}
	wbuf_u16(w, 0);
	wbuf_u16(w, AFI_IP4);
	wbuf_u32(w, addr);
	wbuf_u32(w, 0x01010101);
	m = wbuf_skip(w, len);
	memcpy(
	    m + MSG_HEADER, "\0\0\0\0\x18\x0b\0\0", 8); /* 11.0.0.0/24, no attributes */
	msg_put_header(m, len, MSG_UPDATE);
	put_be32(len_at, (uint32_t)(w->pos - len_at - 4));
}

static void
test_load_mrt_write_file(char *path, const uint8_t *p, size_t len)
{
	int fd;

	memcpy(path, "/tmp/test_load_mrt.XXXXXX", 26);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, len), (ssize_t)len);
	close(fd);
}

static int
test_load_mrt_read_octets(struct mrt_file *f, const uint8_t *p, size_t len)
{
	int err, saved = dup(2), null = open("/dev/null", O_WRONLY);
	char path[32];

	test_load_mrt_write_file(path, p, len);
	dup2(null, 2); /* it says what is wrong */
	err = mrt_file_read(f, path);
	dup2(saved, 2);
	close(saved);
	close(null);
	unlink(path);
	return err;
}

static void
test_peers(void **state)
{
	uint8_t b[2048];
	struct wbuf w = wbuf_of(b, sizeof(b));
	struct mrt_file f;

	(void)state;
	test_load_mrt_put_record(&w, MRT_BGP4MP, MRT_MESSAGE, 100, 1);
	test_load_mrt_put_record(&w, MRT_BGP4MP, MRT_MESSAGE_AS4, 400000, 2);
	test_load_mrt_put_record(&w, MRT_BGP4MP_ET, MRT_MESSAGE, 100, 1);
	test_load_mrt_put_record(&w, 13, 1, 7, 7); /* TABLE_DUMP_V2 */
	test_load_mrt_put_record(&w, MRT_BGP4MP, 0, 100, 1);
	assert_int_equal(test_load_mrt_read_octets(&f, b, wbuf_len(&w)), 0);
	assert_int_equal(f.peer_cnt, 2);
	assert_int_equal(f.message_cnt, 3);
	assert_int_equal(f.peer[0].as, 100);
	assert_false(f.peer[0].as4);
	assert_int_equal(f.peer[1].as, 400000);
	assert_true(f.peer[1].as4);
	assert_int_equal(f.peer[0].families, 1 << FAM_IP4);
	assert_int_equal(f.message[2].peer, 0);
	mrt_file_fini(&f);
}

static void
test_damaged(void **state)
{
	uint8_t b[2048];
	struct wbuf w = wbuf_of(b, sizeof(b));
	struct mrt_file f;
	uint64_t used = mem_used(MEM_OTHER);
	size_t cut;

	(void)state;
	test_load_mrt_put_record(&w, MRT_BGP4MP, MRT_MESSAGE, 100, 1);
	for (cut = 0; cut < wbuf_len(&w); cut += 5) {
		assert_int_not_equal(test_load_mrt_read_octets(&f, b, cut), 0);
		assert_int_equal(mem_used(MEM_OTHER), used); /* nothing is left */
	}
	b[12 + 16] = 0; /* in the marker */
	assert_int_not_equal(test_load_mrt_read_octets(&f, b, wbuf_len(&w)), 0);
	assert_int_equal(mem_used(MEM_OTHER), used);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_peers),
	cmocka_unit_test(test_damaged),
};

UNIT_MAIN(tests)
