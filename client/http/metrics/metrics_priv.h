/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of metrics share: labels, and tern's own metrics. Loop:
 * the only thread of ternhttp. */
#ifndef TERN_CLIENT_HTTP_METRICS_METRICS_PRIV_H
#define TERN_CLIENT_HTTP_METRICS_METRICS_PRIV_H

#include "client/http/job/job.h"
#include "client/http/job/request.h"
#include "lib/json/jview.h"
#include "lib/base/strbuf.h"

/* tern's own metrics: X(name, group, sparse, text, suffix, type, help). A sparse metric
 * has no series with the value 0: with 1,000 members most of these series have the value
 * 0. The suffix is part of the name of each series; OpenMetrics names a counter without
 * the suffix. */
#define TERN_METRICS(X)                                                                  \
	X(INFO, SERVER, false, "tern_build_info", "", "gauge",                           \
	    "version of the running program")                                            \
	X(REPLACED, SERVER, false, "tern_program_replaced", "", "gauge",                 \
	    "1: the installed program is not the running program")                       \
	X(CONFIGURE, SERVER, false, "tern_configure_failed", "", "gauge",                \
	    "1: the last configure failed")                                              \
	X(PROBLEMS, SERVER, false, "tern_problems", "", "gauge",                         \
	    "problems of show health")                                                   \
	X(WANTED, SERVER, false, "tern_sessions_wanted", "", "gauge",                    \
	    "sessions that should be up")                                                \
	X(UP, SERVER, false, "tern_sessions_up", "", "gauge", "sessions that are up")    \
	X(STALE, SERVER, false, "tern_stale_routes", "", "gauge",                        \
	    "routes of restarting peers")                                                \
	X(LOG, SERVER, false, "tern_log_lines", "_total", "counter",                     \
	    "log lines that were not written")                                           \
	X(LOSSES, MEMBERS, false, "tern_session_losses", "_total", "counter",            \
	    "losses of the session")                                                     \
	X(LIMIT, MEMBERS, false, "tern_limit_routes", "", "gauge",                       \
	    "limit of the channel")                                                      \
	X(LIMIT_HIT, MEMBERS, true, "tern_limit_hit", "", "gauge",                       \
	    "1: the limit is hit")                                                       \
	X(REFUSED, MEMBERS, false, "tern_refused_routes", "", "gauge",                   \
	    "routes kept back since the session came up")                                \
	X(BEHIND, MEMBERS, true, "tern_behind_seconds", "", "gauge",                     \
	    "age of the backlog to the peer")                                            \
	X(DIRTY, MEMBERS, true, "tern_dirty_networks", "", "gauge",                      \
	    "networks that wait to be sent")                                             \
	X(QUEUED, MEMBERS, true, "tern_queued_octets", "", "gauge",                      \
	    "received routes that the table has not taken yet")                          \
	X(DECISIONS, WORK, false, "tern_export_decisions", "_total", "counter",          \
	    "decisions about exports")                                                   \
	X(SENT, WORK, false, "tern_messages_sent", "_total", "counter",                  \
	    "UPDATE messages sent")                                                      \
	X(STEPS, WORK, false, "tern_filter_steps", "_total", "counter",                  \
	    "instructions that filters ran since the session came up")                   \
	X(NETWORKS, SERVER, false, "tern_table_networks", "", "gauge",                   \
	    "networks of the table")                                                     \
	X(ROUTES, SERVER, false, "tern_table_routes", "", "gauge",                       \
	    "routes of the table")                                                       \
	X(CHANGES, SERVER, false, "tern_table_changes", "_total", "counter",             \
	    "changes of the table")                                                      \
	X(JOURNAL, SERVER, false, "tern_journal_octets", "", "gauge",                    \
	    "journal of the table")                                                      \
	X(CUT_OFF, SERVER, false, "tern_journal_readers_cut_off", "_total", "counter",   \
	    "readers that were too slow for the journal")                                \
	X(TABLE_CPU, SERVER, false, "tern_table_cpu_seconds", "_total", "counter",       \
	    "processor time of the table")                                               \
	X(CPU, SERVER, false, "tern_thread_cpu_seconds", "_total", "counter",            \
	    "processor time of the thread")                                              \
	X(LAG, SERVER, true, "tern_thread_lag_seconds", "", "gauge",                     \
	    "age of the present round")                                                  \
	X(LONGEST, SERVER, true, "tern_thread_longest_round_seconds", "", "gauge",       \
	    "longest round")                                                             \
	X(MEMORY, SERVER, false, "tern_memory_octets", "", "gauge", "resident memory")   \
	X(AGE, MEMBERS, false, "tern_rpki_data_age_seconds", "", "gauge",                \
	    "time since the last End of Data of the cache")

/* Members of a protocol, and of a channel, that metrics read. X(name, key) */
#define METRIC_OF_PROTOCOL(X)                                                            \
	X(NAME, "name")                                                                  \
	X(PROTOCOL, "protocol")                                                          \
	X(STATE, "state")                                                                \
	X(INFO, "info")                                                                  \
	X(SINCE, "since_unix_s")                                                         \
	X(BGP, "bgp")                                                                    \
	X(RPKI, "rpki")                                                                  \
	X(CHANNELS, "channels")
#define METRIC_OF_CHANNEL(X)                                                             \
	X(NAME, "name")                                                                  \
	X(EXPORT, "export_filter")                                                       \
	X(IMPORT, "import_filter")                                                       \
	X(ROUTES, "routes")                                                              \
	X(CHANGES, "changes")                                                            \
	X(REASONS, "reasons")                                                            \
	X(LIMITS, "limits")                                                              \
	X(STEPS, "filter_steps")                                                         \
	X(QUEUED, "queued_octets")                                                       \
	X(SENDING, "sending")
#define METRIC_PROTOCOL_ENUM(name, key) METRIC_PROTOCOL_##name,
#define METRIC_CHANNEL_ENUM(name, key)  METRIC_CHANNEL_##name,
enum { METRIC_OF_PROTOCOL(METRIC_PROTOCOL_ENUM) METRIC_PROTOCOL_CNT };
enum { METRIC_OF_CHANNEL(METRIC_CHANNEL_ENUM) METRIC_CHANNEL_CNT };

#define METRIC_ENUM(name, group, sparse, text, suffix, type, help) METRIC_##name,
enum tern_metric { TERN_METRICS(METRIC_ENUM) METRIC_CNT };

/* The threads of one name. Owner: struct tern_metrics. Life: that of the job. Freed with
 * struct tern_metrics. */
struct tern_metric_thread {
	char name[32];
	double cpu_s, lag_s, longest_s;
};

/* Owner: struct metrics. Life: that of the job. Freed by: tern_metric_fini, but for the
 * struct. */
struct tern_metrics {
	bool daemons; /* several: series have the label `daemon` */
	bool any; /* a series */
	struct strbuf labels; /* of the present protocol or channel */
	struct strbuf text[METRIC_CNT]; /* the series */
	/* Of the present daemon. */
	struct tern_metric_thread *thread;
	unsigned thread_cnt, thread_cap;
	unsigned *problems; /* by kind; NULL: no reply */
};

void tern_metric_init(struct tern_metrics *w);
void tern_metric_fini(struct tern_metrics *w);
/* tern_metric_line - @v: a line of any reply but `show protocols`. tern_metric_step - the
 * present question has ended. */
void tern_metric_line(struct tern_metrics *w, struct job *j, struct jview v);
void tern_metric_step(struct tern_metrics *w, struct job *j);
/* tern_metric_protocol, tern_metric_channel - of the protocol with the members @v; of its
 * channel with the members @c. */
void tern_metric_protocol(struct tern_metrics *w, struct job *j, const struct jview *v);
void tern_metric_channel(
    struct tern_metrics *w, struct job *j, const struct jview *v, const struct jview *c);
/* tern_metric_write - the metrics of the groups that @r wants, at the end of @o. A metric
 * without a series has its HELP and TYPE, if a daemon has answered. */
void tern_metric_write(
    const struct tern_metrics *w, struct strbuf *o, const struct request *r);

enum { BFD_METRICS = 4 };

/* The series of BFD sessions. Owner: struct metrics. Life: that of the job. Freed by:
 * bfd_metric_fini, but for the struct. */
struct bfd_metrics {
	struct strbuf text[BFD_METRICS];
};

void bfd_metric_init(struct bfd_metrics *b);
void bfd_metric_fini(struct bfd_metrics *b);
/* bfd_metric_line - @v: a line of `show bfd sessions`. @daemon: the label `daemon`; NULL:
 * none. bfd_metric_write - all series, at the end of @o. */
void bfd_metric_line(struct bfd_metrics *b, const char *daemon, struct jview v);
void bfd_metric_write(const struct bfd_metrics *b, struct strbuf *o);

/* label_add - `name="value"` with the escapes of the format, and a comma before if a
 * label precedes. label_cstr - the same, of a C string. label_text - the same, of a text
 * without special characters. */
void label_add(struct strbuf *o, const char *name, struct jview v);
void label_cstr(struct strbuf *o, const char *name, const char *value);
void label_text(struct strbuf *o, const char *name, const char *value);

#endif
