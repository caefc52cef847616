/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log: a bounded queue of lines and the thread that writes the lines.
 *
 * I1  Callers format, hold the lock for a few instructions, and return. Only the log's
 *     thread waits for disks, pipes and syslog. While QUEUE_MAX lines wait, further lines
 *     are dropped and counted; the count is written when the queue is empty again. Traces
 *     may fill half of the queue only, so that traces do not displace an operator's
 *     messages. Lines of class audit have a share of their own, AUDIT_MAX lines: other
 *     lines displace no audit line, and audit lines displace no other line.
 * I2  Orders to the thread (new sinks, end) wait in the same queue and take effect
 *     between the lines before and after the order. Orders are never dropped.
 * I3  Without the thread (before log_start, after log_stop) lines are written to stderr.
 * I4  A tap gets its copy under the lock, into room that the tap has; the owner of the
 *     tap swaps full room for empty room. The copy allocates no memory, and no caller
 *     waits for the tap's owner.
 * I5  Control characters become question marks: text from peers cannot forge lines.
 *
 * Loop: any thread may hand over lines; the log's thread writes the lines. */
#include "sysdep/log/log.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "sysdep/log/log_sink.h"
#include "sysdep/log/log_tap.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/sandbox.h"
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#define QUEUE_MAX 4096
#define TRACE_MAX (QUEUE_MAX / 2) /* lines that wait when a trace is dropped */
#define AUDIT_MAX 4096
#define TEXT_MAX  1000
#define STOP_S    3 /* for what waits, at the end */

enum item_kind { ITEM_LINE, ITEM_SINKS, ITEM_END };

/* owner: the queue, then the log's thread. */
struct item {
	struct item *next;
	enum item_kind kind;
	enum log_class class;
	uint64_t at_ns;
	struct log_set *set; /* ITEM_SINKS */
	char text[];
};

/* style: the one log of the process; log_msg is called from everywhere and has no handle.
 * The lock is a leaf. */
static struct log {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct item *first, **last; /* last: NULL while empty */
	unsigned line_cnt; /* without class audit */
	unsigned audit_cnt; /* lines of class audit */
	uint64_t drop_cnt;
	uint64_t audit_drop_cnt; /* of drop_cnt: lines of class audit */
	struct counter64 drop_all; /* since the start; written under the lock */
	struct counter64 drop_ns; /* time of the last drop; written under the lock */
	struct counter64 audit_drop_all; /* of tx_drop_all: lines of class audit */
	/* lines that sinks could not write; written by the log's thread */
	struct counter64 lost_all, lost_ns;
	struct counter64 audit_lost_all; /* of lost_all: lines of class audit */
	struct pub32 lost_err;
	struct list taps;
	struct pub32 tapped; /* classes that a tap takes */
	struct pub32 classes; /* classes that the newest sinks take */
	struct pub32 runs; /* the thread runs */
	pthread_t thread;
	/* private to the thread; without the thread, under the lock */
	struct log_set *set;
} state = { .lock = PTHREAD_MUTEX_INITIALIZER,
	.wake = PTHREAD_COND_INITIALIZER,
	.taps = { &state.taps, &state.taps },
	.classes = { LOG_CLASS_ALL } };

/* A subscriber of log lines. Owner: the caller of log_tap_new. Fields under the lock are
 * marked. */
struct log_tap {
	struct list link; /* under the lock */
	uint32_t classes; /* constant */
	size_t size; /* of each */
	char *in, *out; /* in: under the lock */
	size_t len; /* under the lock: of in */
	uint64_t lost; /* under the lock */
};

/* log_has_room - may a further line of @c wait? Under the lock. */
static bool
log_has_room(enum log_class c)
{
	if (c == LOG_C_AUDIT)
		return state.audit_cnt < AUDIT_MAX;
	return state.line_cnt <
	       (c == LOG_C_TRACE || c == LOG_C_DEBUG ? TRACE_MAX : QUEUE_MAX);
}

static void
log_clean_text(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			*s = '?';
}

/* The set that is in force before any is configured. */
static struct log_set *
log_default_set(void)
{
	static const struct log_sink all = { .target = LOG_T_STDERR,
		.classes = LOG_CLASS_ALL };
	struct log_set *set;
	const char *bad;

	/* Nothing is opened. */
	ASSERT(log_set_new(&set, &bad, &all, 1, NULL) == 0);
	return set;
}

static struct item *
log_item_new(enum item_kind kind, const char *text)
{
	size_t len = strlen(text) + 1;
	struct item *i = mem_alloc(MEM_OTHER, sizeof(*i) + len);

	memset(i, 0, sizeof(*i));
	i->kind = kind;
	memcpy(i->text, text, len);
	return i;
}

/* Under the lock. */
static void
log_push(struct item *i)
{
	i->next = NULL;
	if (state.first)
		*state.last = i;
	else
		state.first = i;
	state.last = &i->next;
	if (i->kind == ITEM_LINE && i->class == LOG_C_AUDIT)
		state.audit_cnt++;
	else
		state.line_cnt += i->kind == ITEM_LINE;
	pthread_cond_signal(&state.wake);
}

/* Take the whole queue; sleep while the queue is empty. *@drop_cnt: lines dropped since
 * the last call; *@audit_cnt: of class audit. */
static struct item *
log_take_all(uint64_t *drop_cnt, uint64_t *audit_cnt)
{
	struct item *i;

	pthread_mutex_lock(&state.lock);
	while (!state.first)
		pthread_cond_wait(&state.wake, &state.lock);
	i = state.first;
	state.first = NULL;
	state.line_cnt = state.audit_cnt = 0;
	*drop_cnt = state.drop_cnt;
	*audit_cnt = state.audit_drop_cnt;
	state.drop_cnt = state.audit_drop_cnt = 0;
	pthread_mutex_unlock(&state.lock);
	return i;
}

static void
log_write_set(enum log_class c, uint64_t at_ns, const char *text)
{
	uint64_t lost;
	uint32_t err;

	log_set_write(state.set, c, at_ns, text);
	lost = log_set_lost(state.set, &err);
	if (!lost)
		return;
	counter64_add(&state.lost_all, lost);
	if (c == LOG_C_AUDIT)
		counter64_add(&state.audit_lost_all, lost);
	counter64_set(&state.lost_ns, clock_now_ns());
	store_relaxed32(&state.lost_err, err);
}

/* Returns: false: the item was the order to end. */
static bool
log_handle(struct item *i)
{
	switch (i->kind) {
	case ITEM_LINE:
		log_write_set(i->class, i->at_ns, i->text);
		return true;
	case ITEM_SINKS:
		log_set_free(state.set);
		state.set = i->set;
		log_set_taken(state.set);
		return true;
	case ITEM_END:
		break;
	}
	return false;
}

static void
log_write_dropped(enum log_class c, uint64_t cnt, const char *what)
{
	char text[80];

	snprintf(text, sizeof(text), "%llu %s lines dropped, too many waited",
	    (unsigned long long)cnt, what);
	log_write_set(c, clock_now_ns(), text);
}

static void *
log_thread(void *arg)
{
	bool more = true;

	(void)arg;
	pthread_setname_np(pthread_self(), "log");
	while (more) {
		uint64_t drop_cnt, audit_cnt;
		struct item *i, *next;

		for (i = log_take_all(&drop_cnt, &audit_cnt); i; i = next) {
			next = i->next;
			more = log_handle(i) && more;
			mem_free(MEM_OTHER, i);
		}
		if (drop_cnt)
			log_write_dropped(LOG_C_WARN, drop_cnt, "log");
		if (audit_cnt) /* a log of class audit alone must show the gap */
			log_write_dropped(LOG_C_AUDIT, audit_cnt, "audit");
	}
	return NULL;
}

/* Lines while there is no thread. */
static void
log_write_direct(enum log_class c, const char *text)
{
	struct log_set *set = log_default_set();

	log_set_write(set, c, clock_now_ns(), text);
	log_set_free(set);
}

/* Under the lock. */
static void
log_set_tapped(void)
{
	const struct list *n;
	uint32_t all = 0;

	list_for_each (n, &state.taps)
		all |= container_of(n, const struct log_tap, link)->classes;
	store_relaxed32(&state.tapped, all);
}

struct log_tap *
log_tap_new(uint32_t classes, size_t size)
{
	struct log_tap *t = mem_zalloc(MEM_OTHER, sizeof(*t));

	t->classes = classes;
	t->size = size;
	t->in = mem_alloc(MEM_OTHER, size);
	t->out = mem_alloc(MEM_OTHER, size);
	pthread_mutex_lock(&state.lock);
	list_add_tail(&state.taps, &t->link);
	log_set_tapped();
	pthread_mutex_unlock(&state.lock);
	return t;
}

void
log_tap_free(struct log_tap *t)
{
	pthread_mutex_lock(&state.lock);
	list_del(&t->link);
	log_set_tapped();
	pthread_mutex_unlock(&state.lock);
	mem_free(MEM_OTHER, t->in);
	mem_free(MEM_OTHER, t->out);
	mem_free(MEM_OTHER, t);
}

const char *
log_tap_take(struct log_tap *t, size_t *len, uint64_t *lost)
{
	char *in = t->out;

	pthread_mutex_lock(&state.lock);
	t->out = t->in;
	t->in = in;
	*len = t->len;
	*lost = t->lost;
	t->len = 0;
	t->lost = 0;
	pthread_mutex_unlock(&state.lock);
	return t->out;
}

/* Under the lock. */
static void
log_tap_call(enum log_class c, const char *text)
{
	size_t len = strlen(text) + 1;
	struct list *n;

	list_for_each (n, &state.taps) {
		struct log_tap *t = container_of(n, struct log_tap, link);

		if (!(t->classes & (1u << c)))
			continue;
		if (t->size - t->len < len) {
			t->lost++;
			continue;
		}
		memcpy(t->in + t->len, text, len);
		t->len += len;
	}
}

void
log_start(void)
{
	sigset_t old;
	int rc;

	ASSERT(!load_relaxed32(&state.runs));
	if (!state.set)
		state.set = log_default_set();
	sandbox_block_signals(&old);
	rc = pthread_create(&state.thread, NULL, log_thread, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc)
		log_msg(LOG_C_ERR, "No thread for the log: %s", strerror(rc));
	else
		store_release32(&state.runs, 1); /* pairs: LOGRUN */
}

uint64_t
log_dropped(void)
{
	return counter64_get(&state.drop_all);
}

uint64_t
log_dropped_ns(void)
{
	return counter64_get(&state.drop_ns);
}

void
log_lost(struct log_lost *out)
{
	out->lines = counter64_get(&state.lost_all);
	out->last_ns = counter64_get(&state.lost_ns);
	out->err = load_relaxed32(&state.lost_err);
	out->audit_lines = counter64_get(&state.audit_lost_all) +
			   counter64_get(&state.audit_drop_all);
}

void
log_stop(void)
{
	struct timespec until;

	if (!load_acquire32(&state.runs)) /* pairs: LOGRUN */
		return;
	pthread_mutex_lock(&state.lock);
	store_relaxed32(&state.runs, 0);
	log_push(log_item_new(ITEM_END, ""));
	pthread_mutex_unlock(&state.lock);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += STOP_S;
	if (pthread_timedjoin_np(state.thread, NULL, &until))
		return; /* it hangs in syslog or on a disk, and goes with the process */
	log_set_free(state.set);
	state.set = NULL;
	store_relaxed32(&state.classes, LOG_CLASS_ALL);
}

int
log_configure(const struct log_sink *sink, unsigned cnt, const struct time_format *f,
    const char **bad)
{
	struct log_set *set, *old = NULL;
	struct item *i;
	int rc;

	rc = log_set_new(&set, bad, sink, cnt, f);
	if (rc)
		return rc;
	i = log_item_new(ITEM_SINKS, "");
	i->set = set;
	pthread_mutex_lock(&state.lock);
	store_relaxed32(&state.classes, log_set_classes(set));
	if (load_relaxed32(&state.runs)) {
		log_push(i);
		i = NULL;
	} else {
		old = state.set;
		state.set = set;
	}
	pthread_mutex_unlock(&state.lock);
	mem_free(MEM_OTHER, i);
	if (old)
		log_set_free(old);
	return 0;
}

bool
log_takes(enum log_class c)
{
	return (load_relaxed32(&state.classes) | load_relaxed32(&state.tapped)) &
	       (1u << c);
}

void
log_msg(enum log_class c, const char *fmt, ...)
{
	char text[TEXT_MAX + 1];
	struct item *i;
	uint32_t taken = load_relaxed32(&state.classes), tapped;
	bool pushed = false;
	va_list ap;

	tapped = load_relaxed32(&state.tapped);
	if (load_relaxed32(&state.runs) && !((taken | tapped) & (1u << c)))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_clean_text(text);

	if (!load_acquire32(&state.runs)) { /* pairs: LOGRUN */
		log_write_direct(c, text);
		return;
	}
	i = log_item_new(ITEM_LINE, text);
	i->class = c;
	i->at_ns = clock_now_ns();
	pthread_mutex_lock(&state.lock);
	if (tapped & (1u << c))
		log_tap_call(c, text);
	if (!(taken & (1u << c))) {
		/* for taps alone */
	} else if (load_relaxed32(&state.runs) && log_has_room(c)) {
		log_push(i);
		pushed = true;
	} else {
		state.drop_cnt++;
		state.audit_drop_cnt += c == LOG_C_AUDIT;
		counter64_add(&state.audit_drop_all, c == LOG_C_AUDIT);
		counter64_add(&state.drop_all, 1);
		counter64_set(&state.drop_ns, clock_now_ns());
	}
	pthread_mutex_unlock(&state.lock);
	if (!pushed)
		mem_free(MEM_OTHER, i);
}
