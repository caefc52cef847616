/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The blocks of the page of counters (lib/mt/count_page.h), a contract between the daemon
 * and readers: doc/counters.md describes the page, and test/unit/test_counters.c compares
 * both. Constants only; any thread.
 *
 * A block is an object of the daemon's JSON (doc/json.md): the kind is the type of the
 * object, the name of the block is the member `name`, texts and values are the members at
 * the path of their row. An empty text and a value COUNT_NONE are absent members. A
 * channel belongs to the last protocol before the channel, as an item of `channels`.
 * Reasons belong to the last channel before the reasons, as the member `reasons`: the
 * texts are keys of reasons (doc/reasons.md), and each key has its count among the
 * values. */
#ifndef TERN_LIB_WIRE_COUNTERS_H
#define TERN_LIB_WIRE_COUNTERS_H

#include "lib/base/check.h"

/* X(kind, number, type): numbers from 1 to 63 never change. */
#define COUNTERS_KINDS(X)                                                                \
	X(STATUS, 1, "status")                                                           \
	X(PROBLEM, 2, "problem")                                                         \
	X(SESSIONS, 3, "sessions")                                                       \
	X(LOG, 4, "log")                                                                 \
	X(TABLE, 5, "table")                                                             \
	X(THREAD, 6, "thread")                                                           \
	X(MEMORY, 7, "memory")                                                           \
	X(PROTOCOL, 8, "protocol")                                                       \
	X(CHANNEL, 9, "channel")                                                         \
	X(MEMBER, 10, "member")                                                          \
	X(MEMBERS, 11, "members")                                                        \
	X(REASONS, 12, "reasons")

#define COUNTERS_KIND_ENUM(kind, number, type) COUNTERS_##kind = number,
enum counters_kind { COUNTERS_KINDS(COUNTERS_KIND_ENUM) COUNTERS_KIND_CNT };
#undef COUNTERS_KIND_ENUM

/* How a value stands in JSON. */
enum counters_form {
	COUNTERS_NUMBER,
	COUNTERS_BOOL, /* 0: false */
	COUNTERS_SECONDS, /* a value in nanoseconds */
	COUNTERS_LIST /* an item of a list: rows with one path, which follow each other */
};

#define COUNTERS_HOURS 24 /* of MEMBER, DOWNS */
#define COUNTERS_DAYS  7 /* of MEMBER, DAYS */

/* Texts of the kinds: X(kind, name, most octets, path). A row never moves. */
#define COUNTERS_TEXTS(X)                                                                \
	X(STATUS, VERSION, 40, "version")                                                \
	X(STATUS, BIRD_VERSION, 20, "bird_version")                                      \
	X(STATUS, ROUTER_ID, 20, "router_id")                                            \
	X(STATUS, HOSTNAME, 80, "hostname")                                              \
	X(PROBLEM, KIND, 24, "kind")                                                     \
	X(PROBLEM, PROTOCOL, 64, "protocol")                                             \
	X(PROBLEM, CHANNEL, 24, "channel")                                               \
	X(PROBLEM, TABLE, 64, "table")                                                   \
	X(PROBLEM, TEXT, 200, "text")                                                    \
	X(PROTOCOL, PROTOCOL, 16, "protocol")                                            \
	X(PROTOCOL, STATE, 8, "state")                                                   \
	X(PROTOCOL, INFO, 160, "info")                                                   \
	X(PROTOCOL, DESCRIPTION, 120, "description")                                     \
	X(CHANNEL, STATE, 8, "state")                                                    \
	X(CHANNEL, IMPORT_FILTER, 64, "import_filter")                                   \
	X(CHANNEL, EXPORT_FILTER, 64, "export_filter")                                   \
	X(MEMBER, DESCRIPTION, 100, "description")                                       \
	X(MEMBER, ADDRESS, 48, "address")                                                \
	X(MEMBER, INTERFACE, 16, "interface")                                            \
	X(MEMBER, STATE, 12, "state")                                                    \
	X(MEMBER, SIDE, 8, "cause.side")                                                 \
	X(MEMBER, CAUSE, 160, "cause.text")

#define COUNTERS_DOWNS(X, h)                                                             \
	X(MEMBER, DOWNS_##h##0, LIST, "downs")                                           \
	X(MEMBER, DOWNS_##h##1, LIST, "downs")                                           \
	X(MEMBER, DOWNS_##h##2, LIST, "downs")                                           \
	X(MEMBER, DOWNS_##h##3, LIST, "downs")                                           \
	X(MEMBER, DOWNS_##h##4, LIST, "downs")                                           \
	X(MEMBER, DOWNS_##h##5, LIST, "downs")                                           \
	X(MEMBER, DOWNS_##h##6, LIST, "downs")                                           \
	X(MEMBER, DOWNS_##h##7, LIST, "downs")

/* Values of the kinds: X(kind, name, form, path). A row never moves. */
#define COUNTERS_VALUES(X)                                                               \
	X(STATUS, NOW, SECONDS, "now_unix_s")                                            \
	X(STATUS, STARTED, SECONDS, "started_unix_s")                                    \
	X(STATUS, CONFIGURED, SECONDS, "configured_unix_s")                              \
	X(STATUS, FAILED, SECONDS, "configure_failed_unix_s")                            \
	X(STATUS, REPLACED, BOOL, "program_replaced")                                    \
	X(SESSIONS, UP, NUMBER, "up")                                                    \
	X(SESSIONS, WANTED, NUMBER, "wanted")                                            \
	X(SESSIONS, STALE, NUMBER, "stale_routes")                                       \
	X(LOG, DROPPED, NUMBER, "dropped_lines")                                         \
	X(LOG, LOST, NUMBER, "lost_lines")                                               \
	X(LOG, LOST_AUDIT, NUMBER, "lost_audit_lines")                                   \
	X(TABLE, NETWORKS, NUMBER, "networks")                                           \
	X(TABLE, ROUTES, NUMBER, "routes")                                               \
	X(TABLE, FILTERED, NUMBER, "filtered")                                           \
	X(TABLE, CHANGES, NUMBER, "changes")                                             \
	X(TABLE, JOURNAL, NUMBER, "journal_octets")                                      \
	X(TABLE, CUT_OFF, NUMBER, "readers_cut_off")                                     \
	X(TABLE, CPU, SECONDS, "cpu_s")                                                  \
	X(THREAD, WORKERS, NUMBER, "workers")                                            \
	X(THREAD, CPU, SECONDS, "cpu_s")                                                 \
	X(THREAD, ROUNDS, NUMBER, "rounds")                                              \
	X(THREAD, WAKEUPS, NUMBER, "wakeups")                                            \
	X(THREAD, LONGEST, SECONDS, "longest_round_s")                                   \
	X(THREAD, LAG, SECONDS, "lag_s")                                                 \
	X(MEMORY, EFFECTIVE, NUMBER, "effective_octets")                                 \
	X(MEMORY, OVERHEAD, NUMBER, "overhead_octets")                                   \
	X(PROTOCOL, SINCE, SECONDS, "since_unix_s")                                      \
	X(PROTOCOL, DISABLED, BOOL, "disabled")                                          \
	X(PROTOCOL, BY_LIMIT, BOOL, "by_limit")                                          \
	X(PROTOCOL, HELD, BOOL, "held")                                                  \
	X(PROTOCOL, LOSSES, NUMBER, "bgp.down_count")                                    \
	X(PROTOCOL, DATA_AGE, SECONDS, "rpki.updated_age_s")                             \
	X(CHANNEL, RECEIVE_MAX, NUMBER, "limits.receive.max")                            \
	X(CHANNEL, RECEIVE_HIT, BOOL, "limits.receive.hit")                              \
	X(CHANNEL, IMPORT_MAX, NUMBER, "limits.import.max")                              \
	X(CHANNEL, IMPORT_HIT, BOOL, "limits.import.hit")                                \
	X(CHANNEL, EXPORT_MAX, NUMBER, "limits.export.max")                              \
	X(CHANNEL, EXPORT_HIT, BOOL, "limits.export.hit")                                \
	X(CHANNEL, NET_MAX, NUMBER, "limits.net.max")                                    \
	X(CHANNEL, NET_HIT, BOOL, "limits.net.hit")                                      \
	X(CHANNEL, IMPORTED, NUMBER, "routes.imported")                                  \
	X(CHANNEL, FILTERED, NUMBER, "routes.filtered")                                  \
	X(CHANNEL, EXPORTED, NUMBER, "routes.exported")                                  \
	X(CHANNEL, PREFERRED, NUMBER, "routes.preferred")                                \
	X(CHANNEL, IU_RECEIVED, NUMBER, "changes.import_updates.received")               \
	X(CHANNEL, IU_REJECTED, NUMBER, "changes.import_updates.rejected")               \
	X(CHANNEL, IU_FILTERED, NUMBER, "changes.import_updates.filtered")               \
	X(CHANNEL, IU_IGNORED, NUMBER, "changes.import_updates.ignored")                 \
	X(CHANNEL, IU_ACCEPTED, NUMBER, "changes.import_updates.accepted")               \
	X(CHANNEL, IW_RECEIVED, NUMBER, "changes.import_withdraws.received")             \
	X(CHANNEL, IW_REJECTED, NUMBER, "changes.import_withdraws.rejected")             \
	X(CHANNEL, IW_IGNORED, NUMBER, "changes.import_withdraws.ignored")               \
	X(CHANNEL, IW_ACCEPTED, NUMBER, "changes.import_withdraws.accepted")             \
	X(CHANNEL, EU_RECEIVED, NUMBER, "changes.export_updates.received")               \
	X(CHANNEL, EU_REJECTED, NUMBER, "changes.export_updates.rejected")               \
	X(CHANNEL, EU_FILTERED, NUMBER, "changes.export_updates.filtered")               \
	X(CHANNEL, EU_ACCEPTED, NUMBER, "changes.export_updates.accepted")               \
	X(CHANNEL, EW_RECEIVED, NUMBER, "changes.export_withdraws.received")             \
	X(CHANNEL, EW_ACCEPTED, NUMBER, "changes.export_withdraws.accepted")             \
	X(CHANNEL, STALE, NUMBER, "stale_routes")                                        \
	X(CHANNEL, QUEUED, NUMBER, "queued_octets")                                      \
	X(CHANNEL, IMPORT_STEPS, NUMBER, "filter_steps.import")                          \
	X(CHANNEL, EXPORT_STEPS, NUMBER, "filter_steps.export")                          \
	X(CHANNEL, DIRTY, NUMBER, "sending.dirty_networks")                              \
	X(CHANNEL, BEHIND, SECONDS, "sending.behind_s")                                  \
	X(CHANNEL, DECISIONS, NUMBER, "sending.decisions")                               \
	X(CHANNEL, SENT, NUMBER, "sending.messages_sent")                                \
	X(MEMBER, AS, NUMBER, "as")                                                      \
	X(MEMBER, SINCE, SECONDS, "since_unix_s")                                        \
	X(MEMBER, RECEIVED4, NUMBER, "ipv4.received")                                    \
	X(MEMBER, ACCEPTED4, NUMBER, "ipv4.accepted")                                    \
	X(MEMBER, FILTERED4, NUMBER, "ipv4.filtered")                                    \
	X(MEMBER, EXPORTED4, NUMBER, "ipv4.exported")                                    \
	X(MEMBER, RECEIVED6, NUMBER, "ipv6.received")                                    \
	X(MEMBER, ACCEPTED6, NUMBER, "ipv6.accepted")                                    \
	X(MEMBER, FILTERED6, NUMBER, "ipv6.filtered")                                    \
	X(MEMBER, EXPORTED6, NUMBER, "ipv6.exported")                                    \
	X(MEMBER, LIMIT_MAX, NUMBER, "limit.max")                                        \
	X(MEMBER, LIMIT_PERCENT, NUMBER, "limit.used_percent")                           \
	COUNTERS_DOWNS(X, 0)                                                             \
	COUNTERS_DOWNS(X, 1)                                                             \
	COUNTERS_DOWNS(X, 2)                                                             \
	X(MEMBER, DAYS_0, LIST, "downs_days")                                            \
	X(MEMBER, DAYS_1, LIST, "downs_days")                                            \
	X(MEMBER, DAYS_2, LIST, "downs_days")                                            \
	X(MEMBER, DAYS_3, LIST, "downs_days")                                            \
	X(MEMBER, DAYS_4, LIST, "downs_days")                                            \
	X(MEMBER, DAYS_5, LIST, "downs_days")                                            \
	X(MEMBER, DAYS_6, LIST, "downs_days")                                            \
	X(MEMBERS, SESSIONS, NUMBER, "sessions")                                         \
	X(MEMBERS, UP, NUMBER, "up")

/* All texts, and all values, of all kinds, in the order of the tables. The place of a
 * text in its block is counters_text - counters_text_first of its kind. */
#define COUNTERS_TEXT_ENUM(kind, name, max, path) COUNTERS_TEXT_##kind##_##name,
enum counters_text { COUNTERS_TEXTS(COUNTERS_TEXT_ENUM) COUNTERS_TEXT_CNT };
#undef COUNTERS_TEXT_ENUM
#define COUNTERS_VALUE_ENUM(kind, name, form, path) COUNTERS_VALUE_##kind##_##name,
enum counters_value { COUNTERS_VALUES(COUNTERS_VALUE_ENUM) COUNTERS_VALUE_CNT };
#undef COUNTERS_VALUE_ENUM

/* A row of a table. Constant. */
struct counters_row {
	uint8_t kind; /* enum counters_kind */
	uint8_t form; /* of a value: enum counters_form */
	uint16_t max; /* of a text: octets */
	const char *path;
};

extern const struct counters_row counters_texts[COUNTERS_TEXT_CNT];
extern const struct counters_row counters_values[COUNTERS_VALUE_CNT];

/* counters_type - the type of the object in JSON; NULL: an unknown kind. */
const char *counters_type(uint64_t kind);
/* counters_first - the first row of @kind among the @cnt rows @row; @cnt: none. */
uint32_t counters_first(const struct counters_row *row, uint32_t cnt, uint64_t kind);

#endif
