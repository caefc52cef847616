/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of counters in ternhttp: the subscription and its losses, a daemon that is
 * stopped, an old daemon, idleness, and lines of pages with any content. The test plays
 * the feed, the clock and the daemon. */
#include "client/http/counted/counted.c"
#include "client/http/counted/counted_text.c"
#include "lib/wire/counters.h"
#include "sysdep/os/share_page.h"
#include "test/lib/unit.h"

#include <errno.h>

/* The feed. */
static struct {
	struct feed_ask *question; /* NULL: none is under way */
	unsigned asked;
	uint64_t now_ms;
} fake;

void
feed_ask(struct feed *f, struct feed_ask *a, enum ask ask, const struct ask_args *args)
{
	(void)f;
	(void)args;
	assert_int_equal(ask, ASK_COUNTERS);
	assert_null(fake.question);
	assert_true(a->lasts);
	fake.question = a;
	fake.asked++;
}

void
feed_cancel(struct feed_ask *a)
{
	assert_ptr_equal(fake.question, a);
	fake.question = NULL;
}

uint64_t
feed_now_ms(void)
{
	return fake.now_ms;
}

static void
fake_end(int rc)
{
	struct feed_ask *a = fake.question;

	fake.question = NULL;
	a->end(a, rc);
}

/* The daemon's page. */
static struct share_page file;
static struct count_page page;

static void
daemon_start(void)
{
	assert_int_equal(share_page_new(&file, 64 * sizeof(struct count_block)), 0);
	count_page_init(&page, file.memory, file.len, 7);
}

/* daemon_pass - the line with the descriptor reaches ternhttp. */
static void
daemon_pass(void)
{
	static const char line[] = "{\"type\":\"counters\"}";

	*fake.question->passed = dup(file.read_fd.os_nr);
	assert_true(fake.question->line(fake.question, line, strlen(line)));
}

static void
daemon_block(enum counters_kind kind, const char *name, const char *text, uint64_t n)
{
	struct count_copy c;

	count_copy_init(&c, kind, name);
	while (text) {
		size_t len = strcspn(text, ",");

		(void)count_copy_text(&c, text, len);
		text = text[len] ? text + len + 1 : NULL;
	}
	for (unsigned i = 0; i < 3; i++)
		c.value[c.cnt++] = i == 1 ? COUNT_NONE : n + i;
	count_page_put(&page, &c);
}

static void
daemon_sweep(uint64_t n)
{
	count_page_begin(&page);
	daemon_block(COUNTERS_TABLE, "master4", NULL, n);
	daemon_block(COUNTERS_PROTOCOL, "p1", "BGP,up", 0);
	daemon_block(COUNTERS_CHANNEL, "ipv4", "up,f_in", n);
	daemon_block(COUNTERS_REASONS, "ipv4", "own_as,as_set,first_as", 1);
	daemon_block(COUNTERS_REASONS, "ipv4", "otc,\"bad", 1);
	daemon_block(COUNTERS_CHANNEL, "ipv6", "down", n);
	daemon_block(COUNTERS_MEMBER, "p1", ",10.0.0.1,,down,them,\"gone\"", n);
	daemon_block(COUNTERS_PROTOCOL, "p2", "Static", 0);
	count_page_end(&page, 1, 1000,
	    KIND_BIT(TABLE) | KIND_BIT(PROTOCOL) | KIND_BIT(CHANNEL) | KIND_BIT(REASONS) |
		KIND_BIT(MEMBER) | KIND_BIT(MEMBERS));
}

static void
counted_start(struct counted *c)
{
	static struct feed feed;

	memset(&fake, 0, sizeof(fake));
	fake.now_ms = 1000000;
	counted_init(c, &feed);
	counted_tick(c);
	assert_int_equal(fake.asked, 0);
	counted_want(c);
	counted_want(c);
	assert_int_equal(fake.asked, 1);
	assert_int_equal(counted_nr(c), 0);
}

#define LINE_P1                                                                          \
	"{\"type\":\"protocol\",\"name\":\"p1\",\"protocol\":\"BGP\",\"state\":\"up\","  \
	"\"since_unix_s\":0.000,\"by_limit\":true,\"channels\":[{\"name\":\"ipv4\","     \
	"\"state\":\"up\",\"import_filter\":\"f_in\",\"limits\":{\"receive\":{"          \
	"\"max\":5},\"import\":{\"max\":7}},\"reasons\":{\"own_as\":1,\"as_set\":"       \
	"18446744073709551615,\"first_as\":3,\"otc\":1}},{\"name\":\"ipv6\",\"state\":"  \
	"\"down\",\"limits\":{\"receive\":{\"max\":5},\"import\":{\"max\":7}}}]}\n"
#define LINE_P2                                                                          \
	"{\"type\":\"protocol\",\"name\":\"p2\",\"protocol\":\"Static\",\"since_unix_"   \
	"s\":"                                                                           \
	"0.000,\"by_limit\":true}\n"
#define LINE_END "{\"type\":\"summary\",\"code\":0,\"message\":\"\"}\n"

static void
counted_lines(void **state)
{
	struct counted c;
	struct strbuf b;

	(void)state;
	strbuf_init(&b);
	counted_start(&c);
	daemon_start();
	daemon_pass();
	assert_int_equal(counted_nr(&c), 0); /* no sweep yet */
	daemon_sweep(5);
	assert_true(counted_nr(&c) > 0);
	assert_true(counted_text(&c, ASK_PROTOCOLS, &b));
	assert_string_equal(b.s, LINE_P1 LINE_P2 LINE_END);
	strbuf_reset(&b);
	assert_true(counted_text(&c, ASK_MEMBERS, &b));
	assert_string_equal(b.s,
	    "{\"type\":\"member\",\"name\":\"p1\",\"address\":\"10.0.0.1\",\"state\":"
	    "\"down\",\"cause\":{\"side\":\"them\",\"text\":\"\\\"gone\\\"\"},\"as\":5,"
	    "\"ipv4\":{\"received\":7}}\n" LINE_END);
	strbuf_reset(&b);
	assert_true(counted_text(&c, ASK_TABLES, &b));
	assert_string_equal(b.s,
	    "{\"type\":\"table\",\"name\":\"master4\",\"networks\":5,"
	    "\"filtered\":7}\n" LINE_END);
	/* kinds that the page lacks; replies that no page has */
	strbuf_reset(&b);
	assert_false(counted_text(&c, ASK_MEMORY, &b));
	assert_false(counted_text(&c, ASK_SYMBOLS, &b));
	assert_int_equal(b.len, 0);
	/* a change of the layout under way: no lines */
	count_page_begin(&page);
	daemon_block(COUNTERS_TABLE, "other", NULL, 1);
	assert_false(counted_text(&c, ASK_TABLES, &b));
	assert_int_equal(b.len, 0);
	daemon_sweep(6);
	assert_true(counted_text(&c, ASK_TABLES, &b));
	/* a full page is not complete */
	count_page_begin(&page);
	for (int i = 0; i < 70; i++)
		daemon_block(COUNTERS_TABLE, "t", NULL, 1);
	count_page_end(&page, 1, 1000, KIND_BIT(TABLE));
	assert_false(counted_text(&c, ASK_TABLES, &b));
	counted_fini(&c);
	share_page_free(&file);
	strbuf_fini(&b);
}

static void
counted_life(void **state)
{
	struct counted c;
	uint64_t nr;

	(void)state;
	counted_start(&c);
	daemon_start();
	daemon_pass();
	daemon_sweep(5);
	nr = counted_nr(&c);
	assert_int_equal(counted_at_ms(&c), fake.now_ms);
	/* a daemon that is stopped writes no more; then goes on */
	fake.now_ms += 1000 + COUNTED_FRESH_MS;
	assert_int_equal(counted_nr(&c), nr);
	fake.now_ms++;
	assert_int_equal(counted_nr(&c), 0);
	daemon_sweep(6);
	assert_true(counted_nr(&c) > nr);
	nr = counted_nr(&c);
	/* a restart: the connection ends, and another page comes */
	share_page_free(&file);
	fake_end(-ECONNRESET);
	assert_int_equal(counted_nr(&c), 0);
	counted_want(&c);
	assert_int_equal(fake.asked, 1);
	fake.now_ms += COUNTED_AGAIN_MS;
	counted_tick(&c);
	assert_int_equal(fake.asked, 2);
	daemon_start();
	daemon_sweep(1);
	daemon_pass();
	assert_true(counted_nr(&c) > nr);
	/* the right is gone: the daemon closes the page, and ends the reply */
	count_page_close(&page);
	assert_int_equal(counted_nr(&c), 0);
	fake_end(0);
	fake.now_ms += COUNTED_AGAIN_MS;
	counted_tick(&c);
	assert_int_equal(fake.asked, 2);
	fake.now_ms += COUNTED_NONE_MS;
	counted_want(&c);
	assert_int_equal(fake.asked, 3);
	/* no reader for long */
	fake.now_ms += COUNTED_IDLE_MS + 1;
	counted_tick(&c);
	assert_null(fake.question);
	counted_tick(&c);
	assert_int_equal(fake.asked, 3);
	counted_fini(&c);
	share_page_free(&file);
}

/* counted_strange - a line without a descriptor; a file that is no page. */
static void
counted_strange(void **state)
{
	struct counted c;
	int pipes[2];

	(void)state;
	counted_start(&c);
	assert_true(fake.question->line(fake.question, "{}", 2));
	assert_int_equal(counted_nr(&c), 0);
	assert_int_equal(pipe(pipes), 0);
	*fake.question->passed = pipes[0];
	assert_true(fake.question->line(fake.question, "{}", 2));
	assert_int_equal(counted_nr(&c), 0);
	close(pipes[1]);
	assert_int_equal(share_page_new(&file, 8192), 0); /* zeros */
	daemon_pass();
	assert_int_equal(counted_nr(&c), 0);
	counted_fini(&c);
	share_page_free(&file);
}

/* counted_random - lines of pages with random words: no harm. */
static void
counted_random(void **state)
{
	static const enum ask ask[] = { ASK_STATUS, ASK_HEALTH, ASK_PROTOCOLS,
		ASK_MEMBERS, ASK_TABLES, ASK_THREADS, ASK_MEMORY };
	uint64_t x = 88172645463325252ull;
	unsigned lines = 0;
	struct counted c;
	struct strbuf b;

	(void)state;
	strbuf_init(&b);
	counted_start(&c);
	daemon_start();
	daemon_sweep(5);
	daemon_pass();
	for (int round = 0; round < 3000; round++) {
		uint64_t *word = file.memory;

		for (int i = 0; i < 20; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			word[COUNT_BLOCK_WORDS + x % (8 * COUNT_BLOCK_WORDS)] =
			    x & 0x100 ? x >> 60 : x;
		}
		for (int i = 0; i < 8; i++) /* no write is under way */
			word[(1 + i) * COUNT_BLOCK_WORDS] &= ~1ull;
		word[COUNT_HEAD_KINDS] = UINT64_MAX;
		strbuf_reset(&b);
		lines += counted_text(&c, ask[(unsigned)round % 7], &b);
	}
	assert_true(lines > 0);
	counted_fini(&c);
	share_page_free(&file);
	strbuf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(counted_lines),
		cmocka_unit_test(counted_life), cmocka_unit_test(counted_strange),
		cmocka_unit_test(counted_random) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
