/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of protocol kernel. Only files of this folder include the header. Loop:
 * the instance's. */
#ifndef TERN_PROTO_KERNEL_KERNEL_PRIV_H
#define TERN_PROTO_KERNEL_KERNEL_PRIV_H

#include "lib/base/check.h"
#include "lib/mem/arena.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "proto/kernel/kernel_conf.h"
#include "proto/kernel/krt_read.h"
#include "proto/kernel/krt_sink.h"
#include "sysdep/loop/loop.h"

/* Owner: the worker of the instance. Life: from make to free of the class in kernel.c. */
struct kernel_proto {
	struct proto p; /* first */
	/* NULL: no channel is configured, and the instance does nothing */
	struct channel *ch;
	struct krt_sink sink;
	struct krt_read scan, news;
	struct timer due; /* the next scan */
	struct timer more; /* next step of a removal or a repair */
	struct arena arena;
	uint64_t scanned_ns, scan_took_ns;
	bool scan_knows; /* the present scan began after all routes were exported */
	bool scan_again; /* start another scan after the present scan */
	bool stale; /* learned routes that the present scan does not find are removed */
	bool repairing;
};

static inline struct kernel_proto *
kernel_of(const struct proto *p)
{
	return (struct kernel_proto *)(uintptr_t)p;
}

static inline struct kernel_proto *
kernel_of_timer(struct timer *t)
{
	return kernel_of(container_of(t->worker, struct proto, worker));
}

static inline const struct kernel_conf *
kernel_conf_of(const struct kernel_proto *s)
{
	return s->p.cf->opt;
}

/* kernel_scan_by - start a scan at time @at or earlier. Scans also run while the instance
 * is going down, until they are stopped, but have no effect. */
void kernel_scan_by(struct kernel_proto *s, uint64_t at);
/* kernel_scan_me - the sink wants a scan soon. */
void kernel_scan_me(struct krt_sink *k);
/* kernel_scan_later - set the timer for the next regular scan. */
void kernel_scan_later(struct kernel_proto *s);
/* kernel_scan_fires - the timer s->due fired. */
void kernel_scan_fires(struct timer *t);
/* kernel_news_open - follow changes of foreign routes. If opening the socket fails, each
 * scan tries again. */
void kernel_news_open(struct kernel_proto *s);

#endif
