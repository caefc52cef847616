/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sockets of rtnetlink(7). lib/wire/rtnl.h makes and reads the messages. Any thread that
 * owns the descriptor. */
#ifndef TERN_SYSDEP_SOCK_NETLINK_H
#define TERN_SYSDEP_SOCK_NETLINK_H

#include "lib/base/check.h"
#include "sysdep/os/os_fd.h"

#include <sys/types.h>

/* Owner: the caller. Life: on the stack. */
struct netlink_conf {
	uint32_t groups; /* RTMGRP_*, the groups of messages to receive */
	uint32_t rx_buffer; /* octets that may wait in the receive buffer; 0: default */
	/* 0: calls never block; else netlink_recv waits so many seconds */
	uint32_t wait_s;
	bool strict; /* the kernel filters routes by the request */
	bool short_errors; /* error messages come without the failed message */
	uint8_t deaf_to; /* RTPROT_* whose routes the groups do not report; 0: none */
};

/* netlink_new - Returns: descriptor or negative errno. */
MUST_CHECK struct os_fd netlink_new(const struct netlink_conf *c);
/* netlink_send - whole messages. Returns: 0, or negative errno: none was sent. */
MUST_CHECK int netlink_send(struct os_fd fd, const void *p, size_t len);
/* netlink_recv - whole messages. Returns: octets put into @buf; 0: none now, or not in
 * wait_s; -ENOBUFS: messages are lost, and others may follow; -EPIPE: the end; another
 * negative errno. */
MUST_CHECK ssize_t netlink_recv(struct os_fd fd, void *buf, size_t room);

#endif
