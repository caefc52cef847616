/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compressed answers: what comes out of gzip is what went in, whatever the pieces. */
#include "client/http/job/squeeze.h"
#include "test/lib/unit.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define SIZE 200000

/* http_squeeze_pieces - compress @in in pieces of @step octets, into rooms of @room
 * octets. Returns: the length of @out. */
static size_t
http_squeeze_pieces(const char *in, char *out, size_t step, size_t room)
{
	struct squeeze *z = squeeze_new();
	size_t pos = 0, len = 0, taken, n;

	assert_non_null(z);
	do {
		size_t some = SIZE - pos < step ? SIZE - pos : step;

		n = squeeze_more(
		    z, in + pos, some, pos + some == SIZE, &taken, out + len, room);
		pos += taken;
		len += n;
		assert_true(n <= room);
	} while (n || pos < SIZE);
	assert_int_equal(squeeze_more(z, in, 0, true, &taken, out, room), 0);
	squeeze_free(z);
	return len;
}

static void
http_squeeze_whole(void **state)
{
	char *in = malloc(SIZE), *out = malloc(2 * SIZE), *back = malloc(SIZE + 1);

	(void)state;
	for (size_t i = 0; i < SIZE; i++)
		in[i] = (char)("network, route "[i % 15] + (i / 97 % 3));
	for (size_t step = 1; step < 100000; step = step * 7 + 3) {
		z_stream z = { 0 };

		assert_int_equal(inflateInit2(&z, 16 + 15), Z_OK);
		z.next_in = (unsigned char *)out;
		z.avail_in = (unsigned)http_squeeze_pieces(
		    in, out, step, 1 + 100000 / step);
		z.next_out = (unsigned char *)back;
		z.avail_out = SIZE + 1;
		assert_true(z.avail_in < SIZE / 4);
		assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
		assert_int_equal(z.total_out, SIZE);
		assert_memory_equal(in, back, SIZE);
		inflateEnd(&z);
	}
	free(in);
	free(out);
	free(back);
}

static void
http_squeeze_wanted(void **state)
{
	static const char *const yes[] = { "gzip", "GZIP", "br, gzip", "gzip;q=0.1",
		"deflate;q=1, gzip ; q=0.5", "x-gzip", " gzip" };
	static const char *const no[] = { "", "identity", "gzip;q=0", "gzip; q=0.000",
		"gzip2", "notgzip", "deflate", "*", "gzip;q=", "," };

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		assert_true(squeeze_wanted(yes[i]));
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		assert_false(squeeze_wanted(no[i]));
	assert_false(squeeze_wanted(NULL));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(http_squeeze_whole),
		cmocka_unit_test(http_squeeze_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
