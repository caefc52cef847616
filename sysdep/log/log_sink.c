/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets of log lines: files, stderr, syslog, another machine. The log's thread calls,
 * or the holder of the log's lock.
 *
 * I1  One call writes a line, so a reader of the file sees whole lines at once.
 * I2  An error of a file costs at most the line: a full disk, a failed rotation. Lost
 *     lines are counted, and the count is written when the sink accepts lines again.
 * I3  A pipe or terminal that accepts nothing for WAIT_MS loses lines until it accepts
 *     lines again; other sinks and the end of the daemon do not wait. Opening never
 *     waits: a FIFO is opened for reading as well, and keeps lines until a reader
 *     comes.
 *
 * Tested by test/unit/test_log.c. */
#include "sysdep/log/log_sink.h"
#include "lib/base/plural.h"
#include "lib/mem/mem.h"
#include "sysdep/log/log_ring.h"
#include "sysdep/log/log_udp.h"
#include "sysdep/os/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <unistd.h>

#define LINE_MAX_LEN 1200 /* time, tag, text and newline */
#define WAIT_MS      1000

struct sink {
	struct log_sink what; /* strings are ours */
	int fd; /* -1: none */
	uint64_t size;
	uint64_t lost_cnt;
	bool partial; /* the last line is incomplete */
	bool stuck; /* it took nothing for WAIT_MS (I3) */
	struct log_udp udp; /* of UDP */
	struct log_ring ring; /* of FIXED */
};

struct log_set {
	struct time_format format;
	uint64_t lost_cnt; /* of all sinks, since log_set_lost */
	uint32_t err; /* of the last one */
	unsigned cnt;
	struct sink sink[];
};

static const char *const class_tag[] = { "DBG", "TRACE", "INFO", "RMT", "WARN", "ERR",
	"AUTH", "FATAL", "BUG", "AUDIT" };

static const int class_syslog[] = { LOG_DEBUG, LOG_DEBUG, LOG_INFO, LOG_NOTICE,
	LOG_WARNING, LOG_ERR, LOG_WARNING, LOG_CRIT, LOG_CRIT, LOG_NOTICE };

static char *
sink_copy_string(const char *s)
{
	return s ? mem_strdup(MEM_OTHER, s) : NULL;
}

static void
sink_free_string(const char *s)
{
	mem_free(MEM_OTHER, (void *)(uintptr_t)s);
}

/* Returns: 0 or negative errno; then the sink is as before. */
static int
log_sink_open_file(struct sink *s)
{
	int fd, mode = O_WRONLY | O_CREAT | O_APPEND;
	struct stat st;

	if (!stat(s->what.path, &st) && S_ISFIFO(st.st_mode))
		mode = O_RDWR; /* Linux: I3 */
	fd = open(s->what.path, mode | O_CLOEXEC | O_NONBLOCK, 0640);
	if (fd < 0)
		return -errno;
	if (s->fd >= 0)
		close(s->fd);
	s->fd = fd;
	s->size = fstat(fd, &st) || !S_ISREG(st.st_mode) ? 0 : (uint64_t)st.st_size;
	s->partial = s->stuck = false;
	return 0;
}

/* log_sink_rotate - rename the file to the backup. If the rename fails, the file grows by
 * another limit before the next try. */
static void
log_sink_rotate(struct sink *s)
{
	s->size = 0;
	if (s->what.backup && !rename(s->what.path, s->what.backup) &&
	    log_sink_open_file(s))
		s->size = 0; /* continue in the file, which is now the backup */
}

/* log_sink_takes - true if @s can take a line now. */
static bool
log_sink_takes(struct sink *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLOUT };
	int rc;

	do
		rc = poll(&p, 1, s->stuck ? 0 : WAIT_MS);
	while (rc < 0 && errno == EINTR);
	s->stuck = !rc;
	return rc;
}

/* sink_write_line - A write may take a part of the line: the rest is written until the
 * file refuses. */
static bool
sink_write_line(struct sink *s, const char *line, size_t len)
{
	struct iovec part[2] = { { (void *)(uintptr_t) "\n", s->partial },
		{ (void *)(uintptr_t)line, len } };
	size_t first, done = 0;
	ssize_t n;

	if (!log_sink_takes(s)) {
		errno = 0;
		return false;
	}
	for (len += part[0].iov_len; done < len; done += (size_t)n) {
		do
			n = writev(s->fd, part, 2);
		while (n < 0 && errno == EINTR);
		if (n <= 0)
			break;
		first = (size_t)n < part[0].iov_len ? (size_t)n : part[0].iov_len;
		part[0].iov_len -= first;
		part[1].iov_base = (char *)part[1].iov_base + ((size_t)n - first);
		part[1].iov_len -= (size_t)n - first;
	}
	if (!done)
		return false;
	s->size += done;
	s->partial = done < len;
	return !s->partial;
}

/* sink_put_line - into a file, whichever kind. */
static bool
sink_put_line(struct sink *s, const char *line, size_t len)
{
	if (s->what.target == LOG_T_FIXED)
		return log_ring_write(&s->ring, line, len);
	return sink_write_line(s, line, len);
}

/* sink_write_file - Returns: false, and errno or 0: the line is lost. */
static bool
sink_write_file(struct sink *s, const char *head, enum log_class c, const char *text)
{
	char line[LINE_MAX_LEN];
	int len;

	if (s->lost_cnt) {
		len = snprintf(line, sizeof(line),
		    "%s <%s> %llu line%s could not be written here\n", head,
		    class_tag[LOG_C_WARN], (unsigned long long)s->lost_cnt,
		    plural(s->lost_cnt, "", "s"));
		if (!sink_put_line(s, line, (size_t)len)) {
			s->lost_cnt++;
			return false;
		}
		s->lost_cnt = 0;
	}
	len = snprintf(line, sizeof(line), "%s <%s> %s\n", head, class_tag[c], text);
	if (len >= (int)sizeof(line)) { /* a long time format */
		len = (int)sizeof(line) - 1;
		line[len - 1] = '\n';
	}
	if (s->what.target == LOG_T_FILE && s->what.limit &&
	    s->size + (uint64_t)len > s->what.limit)
		log_sink_rotate(s);
	if (sink_put_line(s, line, (size_t)len))
		return true;
	s->lost_cnt++;
	return false;
}

/* sink_send_line - as sink_write_file. */
static bool
sink_send_line(struct sink *s, enum log_class c, uint64_t at_ns, const char *text)
{
	char lost[80];

	if (s->lost_cnt) {
		snprintf(lost, sizeof(lost), "%llu line%s could not be sent here",
		    (unsigned long long)s->lost_cnt, plural(s->lost_cnt, "", "s"));
		if (log_udp_send(&s->udp, class_syslog[LOG_C_WARN], at_ns, lost))
			s->lost_cnt = 0;
	}
	errno = 0;
	if (log_udp_send(&s->udp, class_syslog[c], at_ns, text))
		return true;
	s->lost_cnt++;
	return false;
}

int
log_set_new(struct log_set **out, const char **bad, const struct log_sink *sink,
    unsigned cnt, const struct time_format *f)
{
	struct log_set *set = mem_zalloc(
	    MEM_OTHER, sizeof(*set) + cnt * sizeof(set->sink[0]));

	set->format = f ? *f : time_iso_long;
	set->format.fmt = sink_copy_string(set->format.fmt);
	set->format.fmt2 = sink_copy_string(set->format.fmt2);
	for (unsigned i = 0; i < cnt; i++) {
		struct sink *s = &set->sink[i];
		int rc = 0;

		s->what = sink[i];
		s->what.path = sink_copy_string(sink[i].path);
		s->what.backup = sink_copy_string(sink[i].backup);
		s->fd = s->ring.fd = -1;
		set->cnt++;
		log_udp_init(&s->udp, s->what.path, s->what.port);
		if (s->what.target == LOG_T_FILE)
			rc = log_sink_open_file(s);
		if (s->what.target == LOG_T_FIXED)
			rc = log_ring_open(&s->ring, s->what.path, s->what.limit);
		if (s->what.target == LOG_T_STDERR)
			s->fd = STDERR_FILENO;
		if (rc) {
			*bad = sink[i].path;
			log_set_free(set);
			return rc;
		}
	}
	*out = set;
	return 0;
}

void
log_set_free(struct log_set *set)
{
	for (unsigned i = 0; i < set->cnt; i++) {
		struct sink *s = &set->sink[i];

		if (s->what.target == LOG_T_FILE && s->fd >= 0)
			close(s->fd);
		if (s->what.target == LOG_T_SYSLOG)
			/* the syslog library may hold a pointer to the sink's text */
			closelog();
		log_udp_fini(&s->udp);
		log_ring_close(&s->ring);
		sink_free_string(s->what.path);
		sink_free_string(s->what.backup);
	}
	sink_free_string(set->format.fmt);
	sink_free_string(set->format.fmt2);
	mem_free(MEM_OTHER, set);
}

uint32_t
log_set_classes(const struct log_set *set)
{
	uint32_t classes = 0;

	for (unsigned i = 0; i < set->cnt; i++)
		classes |= set->sink[i].what.classes;
	return classes;
}

/* sink_count_lost - count a line that the sink did not take; errno is the sink's error.
 */
static void
sink_count_lost(struct log_set *set, bool taken)
{
	if (taken)
		return;
	set->lost_cnt++;
	set->err = (uint32_t)errno;
}

uint64_t
log_set_lost(struct log_set *set, uint32_t *err)
{
	uint64_t cnt = set->lost_cnt;

	*err = set->err;
	set->lost_cnt = 0;
	return cnt;
}

void
log_set_write(struct log_set *set, enum log_class c, uint64_t at_ns, const char *text)
{
	char head[128] = "";

	for (unsigned i = 0; i < set->cnt; i++) {
		struct sink *s = &set->sink[i];

		if (!(s->what.classes & (1u << c)))
			continue;
		if (s->what.target == LOG_T_SYSLOG) {
			/* openlog costs nothing unless it connects; another sink may have
			 * another name. */
			openlog(s->what.path ? s->what.path : "tern", 0, LOG_DAEMON);
			syslog(class_syslog[c], "%s", text);
			continue;
		}
		if (s->what.target == LOG_T_UDP) {
			sink_count_lost(set, sink_send_line(s, c, at_ns, text));
			continue;
		}
		if (!head[0])
			clock_print(head, sizeof(head), &set->format, at_ns);
		sink_count_lost(set, sink_write_file(s, head, c, text));
	}
}

void
log_set_taken(struct log_set *set)
{
	for (unsigned i = 0; i < set->cnt; i++) {
		struct sink *s = &set->sink[i];
		struct stat path, fd;

		if (s->what.target == LOG_T_FIXED)
			log_ring_sync(&s->ring);
		if (s->what.target != LOG_T_FILE || !s->what.backup || fstat(s->fd, &fd))
			continue;
		if (stat(s->what.path, &path) || path.st_ino != fd.st_ino ||
		    path.st_dev != fd.st_dev)
			(void)log_sink_open_file(s);
		else
			s->size = (uint64_t)fd.st_size;
	}
}
