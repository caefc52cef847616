/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads, mutexes, conditions, semaphores and grace periods as tasks of the
 * simulation.
 *
 * I1  pthread_t is the number of the task. A mutex uses the first word of the caller's
 *     object (0: free), a condition and a semaphore the first word too, so that objects
 *     made by the static initialisers work.
 * I2  A grace period ends when each registered task was quiescent, offline or gone
 *     since the period began. The task "rcu" then waits a drawn time, runs the
 *     callbacks in the order of posting, and begins anew.
 *
 * Every function stands for the call of the same name in pthread.h, semaphore.h or
 * urcu-qsbr.h. */
#include "test/sim/sim_priv.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <urcu-qsbr.h>

#define READER_MAX 8192

struct reader {
	uint32_t task; /* 0: free */
	bool online;
	uint64_t quiescent_cnt;
};

struct rcu_post {
	struct rcu_post *next;
	struct rcu_head *head;
	void (*fn)(struct rcu_head *head);
};

struct sim_threads {
	struct reader reader[READER_MAX];
	unsigned reader_cnt; /* no reader stands behind */
	/* quiescent_cnt when the grace period began; UINT64_MAX: not waited for */
	uint64_t seen[READER_MAX];
	struct rcu_post *first, **last;
	bool runs; /* the task "rcu" */
};

static struct sim_threads *
threads_of(unsigned daemon)
{
	struct sim_threads *t = sim_root(&sim->threads[daemon], sizeof(*t));

	if (!t->last)
		t->last = &t->first;
	return t;
}

/* threads - of the daemon whose task runs. */
static struct sim_threads *
thread_threads(void)
{
	return threads_of(sim_task_daemon(sim_self()));
}

void *
sim_root(void *at, size_t len)
{
	void **p = at;

	if (!*p)
		*p = calloc(1, len);
	return *p;
}

/* ---- grace periods ---- */

/* reader_mine - NULL: the task is none. */
static struct reader *
reader_mine(void)
{
	unsigned slot = *sim_task_reader(sim_self());

	return slot ? &thread_threads()->reader[slot - 1] : NULL;
}

static bool
period_over(void *arg)
{
	struct sim_threads *t = arg;

	for (unsigned i = 0; i < t->reader_cnt; i++)
		if (t->seen[i] != UINT64_MAX && t->reader[i].task &&
		    t->reader[i].online && t->reader[i].quiescent_cnt == t->seen[i])
			return false;
	return true;
}

static bool
has_posts(void *arg)
{
	return ((struct sim_threads *)arg)->first != NULL;
}

/* draw_rest_ns - of a grace period whose readers have all been quiescent. A quarter of
 * the periods ends at once, as with idle readers; most others end soon; some readers of
 * the real world sleep for long. */
static uint64_t
draw_rest_ns(void)
{
	uint64_t kind = sim_random(8);

	return sim_random(kind == 0   ? 400 * SIM_MS
			  : kind <= 2 ? 10 * SIM_US
				      : 2 * SIM_MS);
}

static void *
rcu_task(void *arg)
{
	struct sim_threads *t = thread_threads();

	(void)arg;
	for (;;) {
		struct rcu_post *p, *next;

		sim_wait(has_posts, t, SIM_NEVER);
		p = t->first;
		t->first = NULL;
		t->last = &t->first;
		for (unsigned i = 0; i < t->reader_cnt; i++)
			t->seen[i] = t->reader[i].task && t->reader[i].online
					 ? t->reader[i].quiescent_cnt
					 : UINT64_MAX;
		sim_wait(period_over, t, SIM_NEVER);
		sim_sleep(sim_now() + draw_rest_ns());
		sim_event("grace period ends");
		for (; p; p = next) {
			next = p->next;
			p->fn(p->head);
			free(p);
		}
	}
	return NULL;
}

void
sim_rcu_drop(struct sim_task *task)
{
	struct sim_threads *t = threads_of(sim_task_daemon(task));
	unsigned slot = *sim_task_reader(task);

	if (slot)
		t->reader[slot - 1].task = 0;
}

void
sim_rcu_drop_daemon(unsigned daemon)
{
	struct sim_threads *t = threads_of(daemon);

	for (unsigned i = 0; i < READER_MAX; i++)
		t->reader[i].task = 0;
	t->first = NULL; /* the memory of the posts belongs to the daemon's life */
	t->last = &t->first;
	t->runs = false;
}

void
__wrap_urcu_qsbr_register_thread(void)
{
	struct sim_threads *t = thread_threads();

	for (unsigned i = 0; i < READER_MAX; i++)
		if (!t->reader[i].task) {
			t->reader[i] = (struct reader){ .task = sim_task_nr(sim_self()),
				.online = true };
			*sim_task_reader(sim_self()) = i + 1;
			if (i >= t->reader_cnt)
				t->reader_cnt = i + 1;
			t->seen[i] = UINT64_MAX;
			return;
		}
	sim_fail("more than READER_MAX readers");
}

void
__wrap_urcu_qsbr_unregister_thread(void)
{
	sim_rcu_drop(sim_self());
	*sim_task_reader(sim_self()) = 0;
}

void
__wrap_urcu_qsbr_quiescent_state(void)
{
	struct reader *r = reader_mine();

	if (r)
		r->quiescent_cnt++;
}

void
__wrap_urcu_qsbr_thread_offline(void)
{
	struct reader *r = reader_mine();

	if (r)
		r->online = false;
}

void
__wrap_urcu_qsbr_thread_online(void)
{
	struct reader *r = reader_mine();

	if (r) {
		r->online = true;
		r->quiescent_cnt++;
	}
}

int
__wrap_urcu_qsbr_read_ongoing(void)
{
	struct reader *r = reader_mine();

	return r && r->online;
}

void
__wrap_urcu_qsbr_call_rcu(struct rcu_head *head, void (*fn)(struct rcu_head *head))
{
	struct sim_threads *t = thread_threads();
	struct rcu_post *p = calloc(1, sizeof(*p));

	p->head = head;
	p->fn = fn;
	*t->last = p;
	t->last = &p->next;
	if (!t->runs) {
		t->runs = true;
		sim_task_new("rcu", sim_task_daemon(sim_self()), rcu_task, NULL);
	}
}

/* ---- threads ---- */

struct start {
	void *(*fn)(void *);
	void *arg;
};

int
__wrap_pthread_create(
    pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	struct sim_task *t = sim_task_new("thread", sim_task_daemon(sim_self()), fn, arg);

	(void)attr;
	*out = sim_task_nr(t);
	return 0;
}

pthread_t
__wrap_pthread_self(void)
{
	return sim_task_nr(sim_self());
}

static bool
task_gone(void *arg)
{
	struct sim_task *t = sim_task_find((uint32_t)(uintptr_t)arg);

	return !t || sim_task_done(t);
}

int
__wrap_pthread_join(pthread_t nr, void **value)
{
	if (value)
		*value = NULL;
	sim_wait(task_gone, (void *)(uintptr_t)nr, SIM_NEVER);
	return 0;
}

int
__wrap_pthread_timedjoin_np(pthread_t nr, void **value, const struct timespec *until)
{
	(void)until;
	if (value)
		*value = NULL;
	return sim_wait(task_gone, (void *)(uintptr_t)nr, sim_now() + 5 * SIM_S)
		   ? 0
		   : ETIMEDOUT;
}

int
__wrap_pthread_detach(pthread_t nr)
{
	(void)nr;
	return 0;
}

int
__wrap_pthread_setname_np(pthread_t nr, const char *name)
{
	struct sim_task *t = sim_task_find((uint32_t)nr);

	if (t && strcmp(sim_task_name_of(t), name)) {
		sim_event("is now %s", name);
		sim_task_name(t, name);
	}
	return 0;
}

int
__wrap_pthread_setschedparam(pthread_t nr, int policy, const struct sched_param *p)
{
	(void)nr;
	(void)policy;
	(void)p;
	return EPERM;
}

int
__wrap_pthread_sigmask(int how, const void *set, void *old)
{
	(void)how;
	(void)set;
	if (old)
		memset(old, 0, sizeof(sigset_t));
	return 0;
}

int
__wrap_sigprocmask(int how, const void *set, void *old)
{
	return __wrap_pthread_sigmask(how, set, old);
}

int
__wrap_pthread_getcpuclockid(pthread_t nr, clockid_t *id)
{
	(void)nr;
	(void)id;
	return ENOENT;
}

int
__wrap_pthread_getattr_np(pthread_t nr, pthread_attr_t *attr)
{
	(void)nr;
	(void)attr;
	return ENOENT;
}

/* ---- mutexes, conditions, semaphores ---- */

static bool
word_is_free(void *arg)
{
	return !*(unsigned *)arg;
}

int
__wrap_pthread_mutex_lock(pthread_mutex_t *m)
{
	unsigned *word = (unsigned *)m;

	if (!sim_self())
		return 0;
	sim_wait(word_is_free, word, SIM_NEVER);
	*word = 1;
	return 0;
}

int
__wrap_pthread_mutex_unlock(pthread_mutex_t *m)
{
	*(unsigned *)m = 0;
	return 0;
}

/* A waiter notes the count of signals when the waiter began to wait. */
struct cond_wait {
	unsigned *word, from;
};

static bool
cond_signalled(void *arg)
{
	struct cond_wait *w = arg;

	return *w->word != w->from;
}

/* style: one signal may wake several waiters, as POSIX allows; the product's callers
 * test their condition. */
int
__wrap_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	struct cond_wait w = { .word = (unsigned *)c, .from = *(unsigned *)c };

	__wrap_pthread_mutex_unlock(m);
	sim_wait(cond_signalled, &w, SIM_NEVER);
	return __wrap_pthread_mutex_lock(m);
}

int
__wrap_pthread_cond_signal(pthread_cond_t *c)
{
	++*(unsigned *)c;
	return 0;
}

int
__wrap_pthread_cond_broadcast(pthread_cond_t *c)
{
	++*(unsigned *)c;
	return 0;
}

int
__wrap_sem_init(sem_t *s, int shared, unsigned value)
{
	(void)shared;
	*(unsigned *)s = value;
	return 0;
}

static bool
sem_positive(void *arg)
{
	return *(unsigned *)arg > 0;
}

int
__wrap_sem_wait(sem_t *s)
{
	sim_wait(sem_positive, s, SIM_NEVER);
	--*(unsigned *)s;
	return 0;
}

int
__wrap_sem_post(sem_t *s)
{
	++*(unsigned *)s;
	return 0;
}

int
__wrap_sem_destroy(sem_t *s)
{
	(void)s;
	return 0;
}

int
__wrap_sched_yield(void)
{
	sim_sleep(sim_now() + 1 + sim_random(30 * SIM_US));
	return 0;
}
