/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A validator of the simulated world and its records: rtr.c, and the oracle, which asks
 * for the records that the daemon must have. */
#ifndef TERN_TEST_SIM_RTR_H
#define TERN_TEST_SIM_RTR_H

#include "test/sim/actor.h"

#define RTR_PROVIDERS 16

struct tcp;

/* PDUs of records. */
enum { RTR_IPV4_PREFIX = 4, RTR_IPV6_PREFIX = 6, RTR_ASPA = 11 };

/* owner: its validator, which frees old records at a restart. */
struct record {
	struct record *next;
	uint8_t type; /* of its PDU */
	uint8_t len, max;
	uint8_t address[16];
	uint32_t as; /* of an ASPA: the customer */
	uint32_t provider[RTR_PROVIDERS];
	unsigned provider_cnt;
	uint32_t since, until; /* serials (I1); UINT32_MAX: holds now */
};

/* owner: the world. */
struct rtr {
	struct actor a;
	uint16_t port, session;
	uint8_t version;
	uint32_t serial, oldest; /* serials before are forgotten */
	uint32_t refresh_s, retry_s, expire_s;
	struct record *records;
	uint64_t acted_ns; /* the last step of the story that concerns the validator */
	/* what the story wants */
	bool listens, silent, empty, refuses, notifies, halves;
	bool drops; /* all connections, with a reset */
	bool work;
	int fd;
	struct tcp *routers;
	/* what the daemon did, since the story forgot */
	unsigned reset_cnt, serial_cnt;
	uint8_t asked_version;
	int error; /* code of the last Error Report; -1: none */
};

/* rtr_serves - has the daemon a connection to a validator that answers and notifies? */
bool rtr_serves(const struct rtr *c);

#endif
