/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of protocol rpki, and the functions shared by the folder's files. All
 * functions run in the instance's worker, unless marked otherwise. Owner: the instance's
 * worker. Life: embedded in the instance, freed with the instance. */
#ifndef TERN_PROTO_RPKI_RPKI_PRIV_H
#define TERN_PROTO_RPKI_RPKI_PRIV_H

#include "lib/mem/arena.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/wire/rtr.h"
#include "nest/channel/proto.h"
#include "nest/rib/nlri.h"
#include "proto/rpki/rpki.h"
#include "proto/rpki/rpki_data.h"
#include "proto/rpki/rpki_fsm.h"
#include "proto/rpki/rpki_ssh.h"
#include "sysdep/log/log_rate.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/os_fd.h"

#define RPKI_ADDR_MAX   8 /* addresses of a name that are tried */
#define RPKI_RX_CAP     65536 /* octets that a call reads at most */
#define RPKI_OUT_MAX    512 /* of queries and reports that wait for the socket */
#define RPKI_TABLES     3 /* kinds of channels: roa4, roa6, aspa */
#define RPKI_FIRST_KIND NLRI_ROA4

/* ---- the connection: rpki_link.c ---- */

enum link_state {
	LINK_CLOSED,
	LINK_RESOLVING, /* a thread asks for the addresses of the name */
	LINK_CONNECTING, /* TCP */
	LINK_SECURING, /* a thread talks SSH; the thread's first line is the result */
	LINK_UP,
};

/* The answer of the thread that resolves a name. */
struct link_names {
	char error[96]; /* "": none */
	uint32_t cnt;
	struct ip_addr addr[RPKI_ADDR_MAX];
};

struct rpki_proto;

/* What the user of a connection does. The loop causes each call, never a function of the
 * connection. */
struct rpki_link_ops {
	void (*up)(struct rpki_proto *s);
	/* @text: the reason */
	void (*lost)(struct rpki_proto *s, const char *text);
	/* Returns: number of used octets; the rest belongs to an unfinished PDU, or is
	 * passed again after link_want(true). */
	uint32_t (*octets)(struct rpki_proto *s, const uint8_t *p, uint32_t len);
};

/* The connection to the cache. Owner: the instance's worker; embedded in the instance,
 * freed with the instance. */
struct rpki_link {
	const struct rpki_link_ops *ops;
	/* with SSH, after the handshake, the socket to the thread */
	struct sock_tcp sock;
	uint8_t state; /* enum link_state */
	struct os_fd resolver; /* of the thread's answer; OS_FD_NONE: none */
	struct watch answer;
	struct link_names names;
	bool fresh; /* the names arrived between two attempts and are unused */
	uint32_t name; /* index of the address in use */
	bool reads; /* the instance accepts octets */
	uint8_t *part; /* octets of an unfinished PDU, or octets that arrived too early */
	uint32_t part_len;
	uint8_t out[RPKI_OUT_MAX];
	uint32_t out_len;
	char line[RPKI_TEXT_MAX]; /* the SSH thread's text so far */
	uint32_t line_len;
	uint32_t life; /* counts connections, to detect a new connection */
	struct timer soon; /* process `part`, or report `failed` */
	char failed[RPKI_TEXT_MAX]; /* "": nothing */
};

/* link_init - with the instance; @ops lives as long. */
void link_init(struct rpki_proto *s, const struct rpki_link_ops *ops);
/* link_open - open the closed link; ops->up or ops->lost follows, never before the
 * return. */
void link_open(struct rpki_proto *s);
/* link_close - no effect on a closed link. link_forget - after link_close: drop the
 * addresses of the name, including addresses of an answer that is still awaited. */
void link_close(struct rpki_proto *s);
void link_forget(struct rpki_proto *s);
/* link_send - octets that do not fit are sent later. ops->lost reports errors, later. */
void link_send(struct rpki_proto *s, const void *p, uint32_t len);
/* link_want - @read: give received octets to ops->octets. */
void link_want(struct rpki_proto *s, bool read);

/* ---- an instance ---- */

/* A channel and the cache's data for the channel. */
struct rpki_chan {
	struct channel *ch; /* NULL: no channel of this kind */
	struct rpki_data data;
	bool again; /* all records must pass the import policy again */
	struct attr_set *vrp_set; /* of VRPs; NULL: not made yet */
};

/* What is known of the cache. rpki_rx.c. Owner: the instance's worker. Life: embedded in
 * struct rpki_proto. */
struct rpki_cache {
	uint8_t version; /* in use, or the first to try */
	bool negotiated; /* the cache has used the version on this connection */
	bool known; /* session and serial are good */
	bool serial_query; /* the last query was a Serial Query */
	uint8_t known_version; /* the session id belongs to it */
	uint16_t session;
	uint32_t serial;
	struct rtr_times times; /* by the cache; 0: none */
};

/* The present event of the state machine. rpki_act.c. Owner: the instance's worker.
 * Life: embedded in struct rpki_proto. */
struct rpki_present {
	struct rtr_fault fault; /* for the action SEND_ERROR */
	const uint8_t *about; /* the erroneous PDU; NULL: no report may be sent */
	uint32_t about_len;
	uint8_t lower; /* version after DOWNGRADE */
	bool acting; /* events that actions cause wait for their end */
};

/* Timers of the state machine. rpki_act.c. Owner: the instance's worker. Life: embedded
 * in struct rpki_proto. */
struct rpki_timers {
	struct timer retry, refresh, expire, more;
	uint32_t backoff_s; /* the next one; 0: from the start */
	uint32_t wait_s; /* the present one */
	uint64_t alive_ns; /* time of the last received octets */
};

/* Announcement of the data to the tables. rpki_feed.c. Owner: the instance's worker.
 * Life: embedded in struct rpki_proto. */
struct rpki_announced {
	bool on, announced_all;
	uint32_t added, removed;
	struct arena arena;
};

/* What the log and `show protocols` say. rpki_say.c, rpki_show.c. Owner: the instance's
 * worker. Life: embedded in struct rpki_proto. */
struct rpki_shown {
	char error[RPKI_TEXT_MAX];
	/* the guard that keeps the present records; empty: the records are the cache's */
	char kept[RPKI_TEXT_MAX];
	bool troubled; /* the log has it, and End of Data hasn't come since */
	struct log_rate said;
	struct pubptr snap; /* struct rpki_snap * */
	struct counter64 retry_ns, refresh_ns, expire_ns; /* 0: stopped */
	struct counter64 update_ns; /* the last End of Data; 0: none */
};

/* Owner: the instance's worker. Life: as struct proto. */
struct rpki_proto {
	struct proto p; /* first */
	struct rpki_chan chan[RPKI_TABLES]; /* by kind, from RPKI_FIRST_KIND on */
	struct rpki_link link;
	uint8_t state; /* enum rpki_state */
	bool detached; /* its channels are */
	struct rpki_cache cache;
	struct rpki_present present;
	struct rpki_timers timers;
	struct rpki_announced feed;
	struct rpki_shown shown;
};

static inline struct rpki_proto *
rpki_of(struct proto *p)
{
	return (struct rpki_proto *)p;
}

static inline const struct rpki_conf *
rpki_conf(const struct rpki_proto *s)
{
	return rpki_conf_of(s->p.cf);
}

/* rpki_traces - is DEBUG_* @bit on? */
static inline bool
rpki_traces(const struct rpki_proto *s, uint32_t bit)
{
	return load_relaxed32(&s->p.debug) & bit;
}

/* rpki_event - run a step of the state machine with event @e. */
void rpki_event(struct rpki_proto *s, enum rpki_event e);
/* rpki_fault - run a step for a wrong PDU. @about NULL: send no report. */
void rpki_fault(
    struct rpki_proto *s, const struct rtr_fault *f, const uint8_t *about, uint32_t len);
/* rpki_note - set the reason of the present state, for the log and `show protocols`. */
void rpki_note(struct rpki_proto *s, const char *text);
/* rpki_refresh_s, ... - the interval from the configuration or from the cache. */
uint32_t rpki_refresh_s(const struct rpki_proto *s);
uint32_t rpki_retry_s(const struct rpki_proto *s);
uint32_t rpki_expire_s(const struct rpki_proto *s);

/* rpki_timers_init - once. rpki_timers_changed - adjust the timers to a changed
 * configuration; the arguments are the intervals before the change. */
void rpki_timers_init(struct rpki_proto *s);
void rpki_timers_changed(struct rpki_proto *s, uint32_t refresh_s, uint32_t expire_s);
/* rpki_channels_up - start the channels that are down. */
void rpki_channels_up(struct rpki_proto *s);
/* rpki_try_gone - end the instance if all channels are detached and the data is freed. */
void rpki_try_gone(struct rpki_proto *s);

/* rpki_link_up, rpki_link_lost - rpki_link_ops.up, lost. */
void rpki_link_up(struct rpki_proto *s);
void rpki_link_lost(struct rpki_proto *s, const char *text);

/* rpki_rx - rpki_link_ops.octets. */
uint32_t rpki_rx(struct rpki_proto *s, const uint8_t *p, uint32_t len);

/* rpki_feed - announce the changes to the tables, as far as the tables accept changes,
 * and free some of the dropped data. After the last change reading resumes. */
void rpki_feed(struct rpki_proto *s);
/* rpki_feed_stop - drop the open changes and all data without a message to the tables:
 * the channels are going down. */
void rpki_feed_stop(struct rpki_proto *s);
/* rpki_feed_forget - drop attribute sets that the configuration has changed. */
void rpki_feed_forget(struct rpki_proto *s);
/* rpki_records - number of records of this cache in the tables. */
uint32_t rpki_records(const struct rpki_proto *s);

/* rpki_guard_refuses - does the guard of the configuration refuse the answer that is
 * complete now? Writes the reason to s->kept. */
bool rpki_guard_refuses(struct rpki_proto *s);

/* rpki_say - log the step on @e from @before, if the step leads into trouble; _recovered
 * - the cache has sent all data; _version - another version is in use, because of
 * @why. */
void rpki_say(struct rpki_proto *s, enum rpki_state before, enum rpki_event e,
    const struct rpki_step *st);
void rpki_say_recovered(struct rpki_proto *s);
void rpki_say_version(struct rpki_proto *s, const char *why, unsigned version);

/* rpki_publish - proto_life_ops.publish: status row and snapshot. */
void rpki_publish(struct proto *p);
void rpki_snap_free(struct rpki_proto *s);
/* rpki_reply, rpki_data_age - any thread under RCU. */
bool rpki_data_age(const struct proto *p, uint64_t *ago_ns, bool *late);
bool rpki_absent(const struct proto *p, uint64_t *ago_ns);
void rpki_trouble(const struct proto *p, struct strbuf *out);
void rpki_reply(const struct proto *p, struct reply *r);

#endif
