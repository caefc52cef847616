/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of ternload: all its state, and the loop that drives all sessions in one
 * thread. */
#ifndef TERN_TEST_LOAD_RUN_H
#define TERN_TEST_LOAD_RUN_H

#include "test/load/load_curve.h"
#include "test/load/load_gate.h"
#include "test/load/load_model.h"
#include "test/load/load_opt.h"
#include "test/load/load_rng.h"
#include "test/load/load_seen.h"

#define NS_S  1000000000ull
#define NS_MS 1000000ull

/* Octets that are read of a client at a time, at most: as much as is quick; less while
 * latencies are measured, since all clients have their turn in one thread. */
#define LOAD_RX_BUF   (256 * 1024)
#define LOAD_RX_SHORT (64 * 1024)

enum client_state {
	CL_IDLE,
	CL_CONNECTING,
	CL_OPEN_SENT,
	CL_OPEN_CONFIRM,
	CL_ESTABLISHED
};

/* owner: struct load_run; lives: for the run. */
struct load_client {
	uint32_t nr;
	int fd; /* -1: none */
	enum client_state state;
	bool as4_own; /* speaks 4-octet AS numbers */
	bool as4; /* so does the session */
	bool ids_in, ids_out; /* NLRI have path identifiers (RFC 7911) */
	bool stalled; /* doesn't read */
	bool tx_armed;
	bool dropped; /* by a step: being down is wanted */
	bool away; /* stays down until a step brings it back */
	bool elsewhere; /* another ternload plays it: it counts as up, and is away */
	bool was_up;

	uint8_t *tx; /* what waits to be sent: tx_pos to tx_len */
	size_t tx_pos, tx_len, tx_cap;
	uint8_t *part; /* beginning of a message, MSG_MAX octets of room */
	uint32_t part_len;
	/* guesses: what it received last. With ids_in the number of a path id, not a
	 * net. */
	uint32_t last_net;
	uint32_t last_msg; /* in seen */
	struct load_seen *seen; /* of its class of sessions */

	uint32_t *route; /* its routes, in the order in which they are announced */
	uint32_t route_cnt, route_cap;
	/* so many have been sent; the rest follows as the socket takes it */
	uint32_t fed;
	bool feeding;

	uint64_t retry_ns, backoff_ns;
	uint64_t mute_ns; /* until then it connects but says nothing; 0: never */
	uint64_t rx_ns, keepalive_ns;
	uint64_t hold_ns; /* negotiated; 0: none */

	uint64_t rx_msgs, rx_octets, tx_msgs, tx_octets;
	uint64_t rx_refresh_mark; /* prefixes received when a refresh was asked for */
	uint64_t update_ns; /* when the last UPDATE came */
	uint64_t gap_ns; /* longest time between two UPDATEs since a step began to look */
};

/* One recorded message of a client, for replays in a given order. */
struct load_record {
	uint32_t client;
	uint32_t len;
	const uint8_t *p;
};

struct load_steps;
struct load_pair;

struct load_run {
	const struct load_opt *opt;
	struct load_nets nets;
	struct load_sets sets;
	struct load_board board;
	/* by classes of sessions: 1 with 4-octet AS numbers, 2 with ids_in */
	struct load_seen seen[4];
	struct load_model model;
	struct model_client *facts; /* of clients, as the model sees them */
	struct load_client *client;
	uint32_t clients;
	struct load_rng rng; /* the same draws in all ternloads that play a run */
	struct load_rng retry_rng;

	uint32_t full_left, others_left; /* nets to give to client 0, to the others */

	struct load_record *record; /* recorded messages, in the order of sending */
	uint32_t record_cnt, record_pos;
	bool replaying;

	int epoll;
	uint8_t *rx_buf;
	uint32_t rx_len; /* LOAD_RX_*; of the step at hand */
	uint32_t up_cnt, connecting_cnt, away_cnt, elsewhere_cnt;
	bool announcing; /* sessions that come up announce at once */
	bool stopped; /* by a signal */
	bool fatal; /* something made success impossible */
	uint64_t lost; /* sessions that went down against our will */
	uint64_t retries, malformed;
	double setup_cpu_s; /* used by ourselves before the first connection */
	uint64_t start_ns, all_up_ns, announce_ns;
	struct load_gate gate;
	struct load_curve curve;
	uint64_t now; /* taken once a turn of the loop, and after each read */
	/* two more members, in a process of their own; NULL: none */
	struct load_pair *pair;
	int reload_pid; /* the command that makes the daemon read its file; 0: none */
	struct load_steps *steps;
};

uint64_t load_now(void);
/* load_run_loop - until all steps are done or time is up. Returns: whether all was done.
 */
bool load_run_loop(struct load_run *r);
/* load_run_stay - keep all sessions until told to go on (load_gate.h), or stopped. */
void load_run_stay(struct load_run *r, const char *name);

/* load_client_tick - connect, keepalive, hold timer. */
void load_client_tick(struct load_run *r, struct load_client *c);
/* load_client_event - the socket can be read or written. */
void load_client_event(struct load_run *r, struct load_client *c, uint32_t events);
/* load_client_close - end the session; @why: NULL if it is wanted, else said on stderr.
 */
void load_client_close(struct load_run *r, struct load_client *c, const char *why);
/* load_client_hang_up - close the connection alone; load_client_close does the rest, when
 * there is time for it. */
void load_client_hang_up(struct load_client *c);
/* load_client_cease - say that the session ends; the caller closes it. */
void load_client_cease(struct load_run *r, struct load_client *c);
/* load_client_stall - stop reading, or read again. */
void load_client_stall(struct load_run *r, struct load_client *c, bool stalled);
/* load_client_room - room for one message at the end of what is to be sent. */
uint8_t *load_client_room(struct load_client *c);
/* load_client_queue - the message of @len octets written there is to be sent. */
void load_client_queue(struct load_client *c, unsigned len);
void load_client_flush(struct load_run *r, struct load_client *c);
void load_client_add_route(struct load_client *c, uint32_t route);

/* load_update_again - those of the @len octets at @p that are, one after the other, the
 * UPDATEs that followed the last one before. Returns: octets taken; what comes then, if
 * it is whole, needs load_update_take or isn't for it. */
size_t load_update_again(
    struct load_run *r, struct load_client *c, const uint8_t *p, size_t len);
/* load_update_take - a received UPDATE, whose header of MSG_HEADER octets was found
 * right. Returns: 0 or -EPROTO: nothing was taken. */
int load_update_take(
    struct load_run *r, struct load_client *c, const uint8_t *p, unsigned len);
/* load_update_send - announce or withdraw these routes of @c as the model has them now.
 */
void load_update_send(
    struct load_run *r, struct load_client *c, const uint32_t *route, uint32_t cnt);
/* load_update_put - the same, but only queue it. */
void load_update_put(
    struct load_run *r, struct load_client *c, const uint32_t *route, uint32_t cnt);
/* load_update_send_all - all routes that are announced, and End-of-RIB. */
void load_update_send_all(struct load_run *r, struct load_client *c);
/* load_update_feed - queue the next part of all routes. */
void load_update_feed(struct load_run *r, struct load_client *c);
/* load_update_replay - hand out recorded messages as long as sockets take them. */
void load_update_replay(struct load_run *r);

#endif
