/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log: layout of lines, classes, rotation, files without access, a full queue. */
#include "sysdep/log/log.c"
#include "sysdep/log/log_udp.h"
#include "test/lib/unit.h"
#include "test/lib/wait.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <netdb.h>
#include <netinet/in.h>
#include <semaphore.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64];

static const char *
path_of(const char *name)
{
	static char buf[8][128];
	static unsigned i;

	i = (i + 1) % 8;
	snprintf(buf[i], sizeof(buf[i]), "%s/%s", dir, name);
	return buf[i];
}

/* The whole file; NULL if there is none. */
static char *
test_log_slurp(const char *name)
{
	FILE *f = fopen(path_of(name), "r");
	static char buf[1 << 20];

	if (!f)
		return NULL;
	buf[fread(buf, 1, sizeof(buf) - 1, f)] = 0;
	fclose(f);
	return buf;
}

static unsigned
count_lines(const char *s)
{
	unsigned cnt = 0;

	for (; s && *s; s++)
		cnt += *s == '\n';
	return cnt;
}

/* Silence while the log is on its default target. */
static int
test_log_set_up(void **arg)
{
	(void)arg;
	snprintf(dir, sizeof(dir), "/tmp/tern-log-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int
test_log_tear_down(void **arg)
{
	static const char *const name[] = { "a", "b", "a.old", "gone/x" };

	(void)arg;
	for (unsigned i = 0; i < ARRAY_LEN(name); i++)
		unlink(path_of(name[i]));
	rmdir(path_of("gone"));
	return rmdir(dir);
}

static void
test_lines(void **arg)
{
	struct log_sink sink[2] = {
		{ .target = LOG_T_FILE, .classes = LOG_CLASS_ALL, .path = path_of("a") },
		{ .target = LOG_T_FILE, .classes = 1u << LOG_C_ERR | 1u << LOG_C_REMOTE },
	};
	const char *bad = NULL;
	char *s, long_text[3000];

	(void)arg;
	sink[1].path = path_of("b");
	log_start();
	assert_int_equal(log_configure(sink, 2, NULL, &bad), 0);
	for (int c = LOG_C_DEBUG; c <= LOG_C_BUG; c++)
		log_msg((enum log_class)c, "class %d", c);
	log_msg(LOG_C_INFO, "forged\n2026-01-01 00:00:00 <FATAL> \x1b[0m");
	memset(long_text, 'x', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = 0;
	log_msg(LOG_C_INFO, "%s", long_text);
	log_stop();

	s = test_log_slurp("a");
	assert_non_null(s);
	assert_int_equal(count_lines(s), 11);
	/* 2026-11-20 20:28:19 <DBG> class 0 */
	assert_true(
	    s[4] == '-' && s[7] == '-' && s[10] == ' ' && s[13] == ':' && s[16] == ':');
	assert_memory_equal(s + 19, " <DBG> class 0\n", 15);
	assert_non_null(strstr(s, " <TRACE> class 1\n"));
	assert_non_null(strstr(s, " <INFO> class 2\n"));
	assert_non_null(strstr(s, " <RMT> class 3\n"));
	assert_non_null(strstr(s, " <WARN> class 4\n"));
	assert_non_null(strstr(s, " <ERR> class 5\n"));
	assert_non_null(strstr(s, " <AUTH> class 6\n"));
	assert_non_null(strstr(s, " <FATAL> class 7\n"));
	assert_non_null(strstr(s, " <BUG> class 8\n"));
	assert_non_null(strstr(s, "forged?2026-01-01 00:00:00 <FATAL> ?[0m\n"));
	assert_int_equal(strlen(strstr(s, "xxx")), TEXT_MAX + 1);
	s = test_log_slurp("b");
	assert_int_equal(count_lines(s), 2);
	assert_non_null(strstr(s, " <RMT> class 3\n"));
	assert_non_null(strstr(s, " <ERR> class 5\n"));
}

static void
test_rotation(void **arg)
{
	struct log_sink sink = { .target = LOG_T_FILE,
		.classes = LOG_CLASS_ALL,
		.path = path_of("a"),
		.limit = 1000,
		.backup = path_of("a.old") };
	const char *bad = NULL;
	char *s;

	(void)arg;
	log_start();
	assert_int_equal(log_configure(&sink, 1, &time_iso_long_ms, &bad), 0);
	for (int i = 0; i < 60; i++)
		log_msg(LOG_C_INFO, "line %03d", i);
	log_stop();
	s = test_log_slurp("a");
	assert_non_null(strstr(s, "line 059\n"));
	assert_true(strlen(s) <= 1000);
	s = test_log_slurp("a.old");
	assert_non_null(s);
	assert_true(strlen(s) <= 1000 && strlen(s) > 900);
}

/* A reconfiguration makes its sinks while lines wait for the old ones, which then rotate
 * the file. */
static void
test_rotation_meanwhile(void **arg)
{
	struct log_sink sink = { .target = LOG_T_FILE,
		.classes = LOG_CLASS_ALL,
		.path = path_of("a"),
		.limit = 1000,
		.backup = path_of("a.old") };
	struct log_set *old, *fresh;
	const char *bad = NULL;

	(void)arg;
	assert_int_equal(log_set_new(&old, &bad, &sink, 1, &time_iso_long_ms), 0);
	assert_int_equal(log_set_new(&fresh, &bad, &sink, 1, &time_iso_long_ms), 0);
	for (int i = 0; i < 30; i++)
		log_set_write(old, LOG_C_INFO, 0, "a line by the old ones");
	assert_non_null(test_log_slurp("a.old"));
	log_set_taken(fresh);
	log_set_write(fresh, LOG_C_INFO, 0, "by the new ones");
	assert_non_null(strstr(test_log_slurp("a"), "by the new ones"));
	assert_null(strstr(test_log_slurp("a.old"), "by the new ones"));
	for (int i = 0; i < 10; i++)
		log_set_write(fresh, LOG_C_INFO, 0, "a line by the new ones");
	assert_true(strlen(test_log_slurp("a")) <= 1000);
	log_set_free(old);
	log_set_free(fresh);
}

static void
test_bad_files(void **arg)
{
	struct log_sink sink[2] = {
		{ .target = LOG_T_FILE, .classes = LOG_CLASS_ALL, .path = path_of("a") },
		{ .target = LOG_T_FILE, .classes = LOG_CLASS_ALL },
	};
	const char *bad = NULL;
	struct rlimit limit, old;
	struct log_set *set;
	char *s;

	(void)arg;
	log_start();
	assert_int_equal(log_configure(sink, 1, NULL, &bad), 0);
	/* One that can't be opened: the old ones stay. */
	sink[1].path = path_of("gone/x");
	assert_int_equal(log_configure(sink, 2, NULL, &bad), -ENOENT);
	assert_string_equal(bad, path_of("gone/x"));
	log_msg(LOG_C_INFO, "still here");
	/* A full disk: lines are lost, the other file gets them all. */
	sink[1].path = "/dev/full";
	assert_int_equal(log_configure(sink, 2, NULL, &bad), 0);
	log_msg(LOG_C_INFO, "one");
	log_msg(LOG_C_INFO, "two");
	log_stop();
	s = test_log_slurp("a");
	assert_int_equal(count_lines(s), 3);

	/* When it works again it says how many are missing, on a line of its own. */
	unlink(path_of("a"));
	assert_int_equal(log_set_new(&set, &bad, &sink[0], 1, NULL), 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = 25; /* in the middle of the first line */
	setrlimit(RLIMIT_FSIZE, &limit);
	log_set_write(set, LOG_C_INFO, clock_now_ns(), "lost");
	log_set_write(set, LOG_C_INFO, clock_now_ns(), "lost");
	setrlimit(RLIMIT_FSIZE, &old);
	log_set_write(set, LOG_C_INFO, clock_now_ns(), "found");
	s = test_log_slurp("a");
	assert_int_equal(count_lines(s), 3);
	assert_non_null(strstr(s, " <WARN> 2 lines could not be written here\n"));
	assert_non_null(strstr(s, " <INFO> found\n"));
	log_set_free(set);
}

/* start_stuck - the log into a pipe that is read by nobody but test_log_hear(). */
static FILE *
start_stuck(void)
{
	struct log_sink sink = {
		.target = LOG_T_FILE, .classes = LOG_CLASS_ALL, .path = path_of("a")
	};
	const char *bad = NULL;
	FILE *f;

	assert_int_equal(mkfifo(path_of("a"), 0600), 0);
	f = fopen(path_of("a"), "r+");
	assert_non_null(f);
	log_start();
	assert_int_equal(log_configure(&sink, 1, NULL, &bad), 0);
	return f;
}

struct heard {
	unsigned cnt, dropped, infos;
};

/* hear - until @all lines are written or counted as dropped. */
static void
test_log_hear(FILE *f, unsigned all, struct heard *h)
{
	char line[1500];

	while (h->cnt + h->dropped < all && fgets(line, sizeof(line), f)) {
		if (strstr(line, " log lines dropped") ||
		    strstr(line, " lines could not be written here"))
			h->dropped += (unsigned)atoi(strchr(line, '>') + 2);
		else
			h->cnt++;
		h->infos += strstr(line, "> info ") != NULL;
	}
	assert_int_equal(h->cnt + h->dropped, all);
}

/* A pipe that nobody reads: callers go on, lines beyond the bound are counted. */
static void
test_full_queue(void **arg)
{
	FILE *f = start_stuck();
	struct heard h = { 0 };

	(void)arg;
	/* Who waited for the pipe here would wait for ever. */
	for (int i = 0; i < 12000; i++)
		log_msg(LOG_C_INFO, "line %d", i);
	test_log_hear(f, 12000, &h);
	/* What fits in the pipe is taken by the thread; the rest waits. */
	assert_true(h.cnt >= QUEUE_MAX && h.dropped > 1000);
	log_stop();
	fclose(f);
}

/* drain - all that a pipe holds. */
static char *
test_log_drain(int fd)
{
	static char buf[1 << 20];
	size_t len = 0;
	ssize_t n;

	while ((n = read(fd, buf + len, sizeof(buf) - len - 1)) > 0)
		len += (size_t)n;
	buf[len] = 0;
	return buf;
}

/* A FIFO without a reader: to open it, to write more than it holds and to end take no
 * more than moments, and another file gets all. */
static void
test_fifo(void **arg)
{
	struct log_sink sink[2] = {
		{ .target = LOG_T_FILE, .classes = LOG_CLASS_ALL, .path = path_of("a") },
		{ .target = LOG_T_FILE, .classes = LOG_CLASS_ALL, .path = path_of("b") },
	};
	const char *bad = NULL;
	struct log_set *set;
	unsigned cnt;
	char *s;
	int fd;

	(void)arg;
	alarm(60); /* waiting would be for ever */
	assert_int_equal(mkfifo(path_of("a"), 0600), 0);
	log_start();
	assert_int_equal(log_configure(sink, 2, NULL, &bad), 0);
	for (int i = 0; i < 3000; i++)
		log_msg(LOG_C_INFO, "line %d", i);
	log_stop();
	assert_int_equal(count_lines(test_log_slurp("b")), 3000);

	/* Who reads it at last finds the first lines, then how many are missing. */
	assert_int_equal(log_set_new(&set, &bad, sink, 1, NULL), 0);
	for (int i = 0; i < 3000; i++)
		log_set_write(set, LOG_C_INFO, clock_now_ns(), "a line");
	fd = open(path_of("a"), O_RDONLY | O_NONBLOCK);
	cnt = count_lines(test_log_drain(fd));
	assert_in_range(cnt, 100, 2999);
	log_set_write(set, LOG_C_INFO, clock_now_ns(), "at last");
	s = test_log_drain(fd);
	assert_int_equal(count_lines(s), 2);
	assert_int_equal(cnt + (unsigned)atoi(strstr(s, "<WARN> ") + 7), 3000);
	assert_non_null(strstr(s, " <INFO> at last\n"));
	close(fd);
	log_set_free(set);
	alarm(0);
}

/* Nobody reads the pipe: traces leave room for what they aren't. */
static void
test_traces(void **arg)
{
	FILE *f = start_stuck();
	struct heard h = { 0 };

	(void)arg;
	for (int i = 0; i < 12000; i++)
		log_msg(LOG_C_TRACE, "trace %d", i);
	for (unsigned i = 0; i < QUEUE_MAX - TRACE_MAX; i++)
		log_msg(LOG_C_INFO, "info %u", i);
	test_log_hear(f, 12000 + QUEUE_MAX - TRACE_MAX, &h);
	assert_int_equal(h.infos, QUEUE_MAX - TRACE_MAX);
	log_stop();
	fclose(f);
}

/* One that takes what was made of nothing but lines and the mark. */
static void
test_fixed(void **arg)
{
	struct log_sink sink = { .target = LOG_T_FIXED,
		.classes = LOG_CLASS_ALL,
		.path = path_of("a"),
		.limit = 1024 };
	const char *bad, *at;
	struct log_set *set;
	char text[40], *all;
	unsigned nr = 0;

	(void)arg;
	for (unsigned round = 0; round < 3; round++) { /* it is gone on with */
		assert_int_equal(log_set_new(&set, &bad, &sink, 1, NULL), 0);
		for (unsigned i = 0; i < 30; i++) {
			snprintf(text, sizeof(text), "line %u", ++nr);
			log_set_write(set, LOG_C_INFO, clock_now_ns(), text);
			all = test_log_slurp("a");
			assert_true(strlen(all) <= 1024);
			at = strstr(all, "==== the newest line is above ====\n");
			assert_non_null(at);
			assert_true(at - all > (long)strlen(text));
			assert_memory_equal(at - strlen(text) - 1, text, strlen(text));
		}
		log_set_free(set);
	}
	for (unsigned i = nr - 10; i <= nr; i++) {
		snprintf(text, sizeof(text), "<INFO> line %u\n", i);
		assert_non_null(strstr(test_log_slurp("a"), text));
	}
	assert_null(strstr(test_log_slurp("a"), "line 40\n"));
	/* a smaller one: what is beyond it goes */
	sink.limit = 500;
	assert_int_equal(log_set_new(&set, &bad, &sink, 1, NULL), 0);
	log_set_write(set, LOG_C_INFO, clock_now_ns(), "x");
	log_set_free(set);
	assert_true(strlen(test_log_slurp("a")) <= 500);
	unlink(path_of("a"));
	sink.path = dir;
	assert_int_equal(log_set_new(&set, &bad, &sink, 1, NULL), -EISDIR);
	sink.path = "/dev/null";
	assert_int_equal(log_set_new(&set, &bad, &sink, 1, NULL), -EINVAL);
}

static int
udp_socket(uint16_t *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	*port = ntohs(a.sin_port);
	return fd;
}

static sem_t answers;
/* A name server that doesn't answer for one name until the test posts @answers. */
int
getaddrinfo(const char *host, const char *port, const struct addrinfo *hint,
    struct addrinfo **list)
{
	int (*real)(
	    const char *, const char *, const struct addrinfo *, struct addrinfo **);
	void *p = dlsym(RTLD_NEXT, "getaddrinfo");

	memcpy(&real, &p, sizeof(real));
	if (!strcmp(host, "slow.invalid") && !(hint->ai_flags & AI_NUMERICHOST)) {
		sem_wait(&answers);
		host = "127.0.0.1";
	}
	return real(host, port, hint, list);
}

/* recv_line - the next line at @fd into @got. Returns: false: none came soon. */
static bool
recv_line(int fd, char got[2000])
{
	struct timeval wait = { .tv_usec = 200000 };
	ssize_t n;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	n = recv(fd, got, 1999, 0);
	got[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* Other sinks don't wait for a name. Later lines come, and how many are missing. */
static void
test_udp_slow_name(void **arg)
{
	struct log_sink sink = {
		.target = LOG_T_UDP, .classes = LOG_CLASS_ALL, .path = "slow.invalid"
	};
	struct wait w = { 0 };
	struct log_set *set;
	const char *bad;
	char got[2000];
	int fd = udp_socket(&sink.port);

	(void)arg;
	sem_init(&answers, 0, 0);
	assert_int_equal(log_set_new(&set, &bad, &sink, 1, NULL), 0);
	for (unsigned i = 0; i < 5; i++)
		log_set_write(set, LOG_C_INFO, clock_now_ns(), "too early");
	sem_post(&answers);
	do {
		lib_wait_turn(&w, "the name to be known");
		log_set_write(set, LOG_C_INFO, clock_now_ns(), "again");
	} while (!recv_line(fd, got));
	assert_non_null(strstr(got, " lines could not be sent here"));
	assert_true(recv_line(fd, got) && strstr(got, "tern: again"));
	log_set_free(set);
	close(fd);
}

/* A socket by which nothing can be sent any more is made anew, but not with each line. */
static void
test_udp_anew(void **arg)
{
	char got[2000];
	struct log_udp u;
	uint16_t port;
	int fd = udp_socket(&port), bad = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)arg;
	log_udp_init(&u, "127.0.0.1", port);
	assert_true(log_udp_send(&u, 6, clock_now_ns(), "one"));
	assert_true(recv_line(fd, got));
	assert_int_equal(dup2(bad, u.fd), u.fd); /* it has no peer */
	assert_false(log_udp_send(&u, 6, clock_now_ns(), "two"));
	u.tried_ns -= 60 * NS_PER_S;
	assert_true(log_udp_send(&u, 6, clock_now_ns(), "three"));
	assert_true(recv_line(fd, got));
	assert_non_null(strstr(got, "tern: three"));
	log_udp_fini(&u);
	close(bad);
	close(fd);
}

static void
test_udp(void **arg)
{
	struct log_sink sink[2] = {
		{ .target = LOG_T_UDP, .classes = 1 << LOG_C_ERR, .path = "127.0.0.1" },
		{ .target = LOG_T_UDP, .classes = LOG_CLASS_ALL, .path = "localhost" }
	};
	char got[2000], month[4], rest[1200];
	struct log_set *set;
	const char *bad;
	int fd, pri;
	ssize_t n;

	(void)arg;
	fd = udp_socket(&sink[0].port);
	sink[1].port = sink[0].port;
	assert_int_equal(log_set_new(&set, &bad, sink, 2, NULL), 0);
	log_set_write(set, LOG_C_INFO, clock_now_ns(), "for one of them");
	log_set_write(set, LOG_C_ERR, clock_now_ns(), "for both");
	for (unsigned i = 0; i < 3; i++) {
		n = recv(fd, got, sizeof(got) - 1, 0);
		assert_true(n > 0);
		got[n] = 0;
		assert_int_equal(sscanf(got,
				     "<%d>%3[A-Z-a-z] %*2d %*d:%*d:%*d %*s tern: "
				     "%1000[^\n]",
				     &pri, month, rest),
		    3);
		assert_int_equal(pri, i ? 3 << 3 | 3 : 3 << 3 | 6);
		assert_string_equal(rest, i ? "for both" : "for one of them");
	}
	/* nobody listens: neither an error nor a wait */
	close(fd);
	for (unsigned i = 0; i < 20; i++)
		log_set_write(set, LOG_C_ERR, clock_now_ns(), "for nobody");
	log_set_free(set);
	sink[0].path = "no such host.invalid";
	assert_int_equal(log_set_new(&set, &bad, sink, 1, NULL), 0);
	log_set_write(set, LOG_C_ERR, clock_now_ns(), "for nobody");
	log_set_free(set);
}

/* A tap has the classes that it asked for, also those that no sink takes; what finds no
 * room is counted, and nothing is left when it was taken. */
static void
test_tap(void **arg)
{
	static const struct log_sink errors = { .target = LOG_T_STDERR,
		.classes = 1 << LOG_C_BUG };
	struct log_tap *t;
	const char *bad, *p;
	uint64_t lost;
	size_t len;

	(void)arg;
	log_start();
	assert_int_equal(log_configure(&errors, 1, NULL, &bad), 0);
	t = log_tap_new(1 << LOG_C_INFO, 20);
	log_msg(LOG_C_INFO, "one");
	log_msg(LOG_C_TRACE, "two");
	log_msg(LOG_C_INFO, "three");
	p = log_tap_take(t, &len, &lost);
	assert_int_equal(len, 10);
	assert_memory_equal(p, "one\0three", 10);
	assert_int_equal(lost, 0);
	for (int i = 0; i < 7; i++)
		log_msg(LOG_C_INFO, "three");
	p = log_tap_take(t, &len, &lost);
	assert_int_equal(len, 18);
	assert_memory_equal(p + 12, "three", 6);
	assert_int_equal(lost, 4);
	log_tap_take(t, &len, &lost);
	assert_int_equal(len + lost, 0);
	log_tap_free(t);
	assert_int_equal(load_relaxed32(&state.tapped), 0);
	log_stop();
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, test_log_set_up, test_log_tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_lines),
		TEST(test_rotation),
		TEST(test_rotation_meanwhile),
		TEST(test_bad_files),
		TEST(test_full_queue),
		TEST(test_traces),
		TEST(test_fifo),
		TEST(test_fixed),
		cmocka_unit_test(test_udp),
		cmocka_unit_test(test_udp_slow_name),
		cmocka_unit_test(test_udp_anew),
		TEST(test_tap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
