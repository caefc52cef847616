/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU time and memory of processes.
 *
 * Some daemons are several processes, so descendants count too; time of children that
 * have ended and were waited for is in their parent's cutime. */
#include "test/load/load_proc.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct proc {
	int pid, parent;
	double user_s, system_s, cpu_s;
	unsigned threads;
};

#define PROCS_MAX 4096

/* The sum of all threads, also those that have ended, to the nanosecond, and children
 * that have ended; @else_s: what to say if the clock can't be read. */
static double
exact_s(int pid, double else_s, double children_s)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		return else_s;
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9 + children_s;
}

static bool
read_stat(struct proc *p, int pid)
{
	unsigned long ut, st;
	long cut, cst, threads;
	char path[64], line[1024], *s;
	double hz = (double)sysconf(_SC_CLK_TCK);
	FILE *f;
	bool ok;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	s = fgets(line, sizeof(line), f);
	fclose(f);
	s = s ? strrchr(line, ')') : NULL; /* names may hold anything */
	if (!s)
		return false;
	ok =
	    sscanf(s + 1,
		" %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld %*d %*d %ld",
		&p->parent, &ut, &st, &cut, &cst, &threads) == 6;
	p->pid = pid;
	p->user_s = (double)(ut + (unsigned long)cut) / hz;
	p->system_s = (double)(st + (unsigned long)cst) / hz;
	p->cpu_s = exact_s(pid, p->user_s + p->system_s, (double)(cut + cst) / hz);
	p->threads = (unsigned)threads;
	return ok;
}

static void
add_memory(struct load_usage *u, int pid)
{
	char path[64], line[256];
	unsigned long kb;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "VmRSS: %lu", &kb) == 1)
			u->rss_kb += kb;
		if (sscanf(line, "VmHWM: %lu", &kb) == 1)
			u->peak_kb += kb;
	}
	fclose(f);
}

static unsigned
load_proc_read_all(struct proc *all)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	unsigned cnt = 0;

	if (!d)
		return 0;
	while (cnt < PROCS_MAX && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			cnt += read_stat(&all[cnt], atoi(e->d_name));
	closedir(d);
	return cnt;
}

static void
load_proc_add(struct load_usage *u, const struct proc *p)
{
	u->user_s += p->user_s;
	u->system_s += p->system_s;
	u->cpu_s += p->cpu_s;
	u->threads += p->threads;
	u->processes++;
	add_memory(u, p->pid);
}

void
load_proc_usage(struct load_usage *u, const int *pid, unsigned cnt)
{
	struct proc *all, *mine;
	unsigned i, j, all_cnt, mine_cnt = 0;

	memset(u, 0, sizeof(*u));
	all = calloc(PROCS_MAX, 2 * sizeof(*all));
	if (!all || !cnt) {
		free(all);
		return;
	}
	mine = all + PROCS_MAX;
	for (i = 0; i < cnt; i++)
		mine_cnt += read_stat(&mine[mine_cnt], pid[i]);
	all_cnt = load_proc_read_all(all);
	for (i = 0; i < mine_cnt; i++) { /* grows while it runs */
		load_proc_add(u, &mine[i]);
		for (j = 0; j < all_cnt && mine_cnt < PROCS_MAX; j++)
			if (all[j].parent == mine[i].pid)
				mine[mine_cnt++] = all[j];
	}
	free(all);
}
