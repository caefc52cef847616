/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interfaces and addresses of the simulated hosts (link.c). netlink.c tells the daemons
 * of them; connect.c and udp.c ask where an address is. */
#ifndef TERN_TEST_SIM_LINK_H
#define TERN_TEST_SIM_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/* owner: its link. */
struct link_address {
	struct link_address *next;
	sa_family_t family;
	int len; /* of the subnet */
	bool has_peer, is_secondary;
	unsigned char octets[16], peer[16];
};

/* owner: the world. Interfaces are listed by index; no two have one index. */
struct link {
	struct link *next;
	unsigned host;
	int index;
	char name[16];
	bool is_up; /* by the operator */
	bool has_cable;
	bool generates; /* a link-local address when the link comes up */
	unsigned mtu;
	struct link *pair; /* the other end of the cable; NULL: a switch */
	struct link_address *first; /* IPv4, then IPv6, each as they came */
};

/* Calls for tests of links. @host: 0 is the host of all members. Functions return 0, or
 * -1 with errno. */
int link_make(unsigned host, const char *name, const char *pair);
int link_delete(unsigned host, const char *name);
int link_set_up(unsigned host, const char *name, bool up);
int link_rename(unsigned host, const char *name, const char *now);
int link_move(unsigned host, const char *name, unsigned to);
int link_set_mtu(unsigned host, const char *name, unsigned mtu);
int link_set_generates(unsigned host, const char *name, bool on);
/* link_address_add - @peer: NULL or the other end of a point-to-point link. */
int link_address_add(
    unsigned host, const char *name, const char *address, const char *peer, int len);
int link_address_delete(unsigned host, const char *name, const char *address, int len);

struct link *link_first(void);
/* link_find - NULL with errno: no such interface. */
struct link *link_find(unsigned host, const char *name);
struct link *link_by_index(int index);
/* link_runs - up, with a carrier. */
bool link_runs(const struct link *l);
/* link_show - a line "INDEX NAME up|down runs|dead MTU PAIR" for each interface of the
 * host, and below it a line " ADDRESS LENGTH PEER" for each address; "-": none. */
size_t link_show(unsigned host, char *out, size_t room);

/* link_has - is the address one of the host's? "ADDRESS%INDEX": on that interface. */
bool link_has(unsigned host, const char *address);
/* link_toward - the interface of the host whose subnet has the address; NULL: none. */
const struct link *link_toward(unsigned host, const char *address);
/* link_index_toward - of host 0, for its routes; 0: none. */
unsigned link_index_toward(const char *address);
/* link_name_of - NULL: no such interface. */
const char *link_name_of(int index);
/* link_source - the address that a client of the host takes for its own. */
bool link_source(unsigned host, int family, const char *to, struct sockaddr_storage *out);
/* link_arrival - the interface by which octets for the link-local address arrive that
 * were sent by interface @index. */
int link_arrival(const char *address, int index);
/* link_path_is_down - a link between two addresses of hosts has lost its carrier. */
bool link_path_is_down(const char *from, const char *to);
/* bridge_link - a change in words, each ends with 0: add NAME [PAIR]; delete NAME;
 * up NAME; down NAME; rename NAME NOW; move NAME HOST; mtu NAME N; generates NAME 0|1;
 * address NAME ADDRESS LENGTH [PEER]; drop NAME ADDRESS LENGTH (-1: any length);
 * neighbor NAME ADDRESS [MAC]; forget NAME ADDRESS; flush TABLE (routes).
 * Returns: 0, or -1 with errno (ENOSYS: no such words). */
int bridge_link(unsigned host, const char *words, size_t len);

/* netlink.c: told of each change. */
void netlink_link_changed(const struct link *l);
void netlink_link_gone(const struct link *l);
void netlink_address_changed(
    const struct link *l, const struct link_address *a, bool gone);

#endif
