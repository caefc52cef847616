/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes and targets of log lines. Included by sysdep/log/log.h. Loop: any thread. */
#ifndef TERN_SYSDEP_LOG_LOG_CLASS_H
#define TERN_SYSDEP_LOG_LOG_CLASS_H

#include "lib/base/base.h"

enum log_class {
	LOG_C_DEBUG,
	LOG_C_TRACE,
	LOG_C_INFO,
	LOG_C_REMOTE,
	LOG_C_WARN,
	LOG_C_ERR,
	LOG_C_AUTH,
	LOG_C_FATAL,
	LOG_C_BUG,
	LOG_C_AUDIT /* commands of clients */
};

/* the classes of `all`: without audit, as looking glasses run many commands */
#define LOG_CLASS_ALL 0x1ff

enum log_target { LOG_T_FILE, LOG_T_STDERR, LOG_T_SYSLOG, LOG_T_FIXED, LOG_T_UDP };

/* A configured target. Owner: the configuration; the log copies the sinks. Life: until
 * the configuration is freed. */
struct log_sink {
	enum log_target target;
	uint32_t classes; /* 1 << enum log_class */
	/* FILE, FIXED: path; SYSLOG: name of the program (NULL: "tern"); UDP: address or
	 * name of the machine */
	const char *path;
	/* FILE: rotate to @backup beyond so many octets; 0: never. FIXED: size of the
	 * file */
	uint64_t limit;
	uint16_t port; /* UDP */
	const char *backup; /* FILE with a limit */
};

#endif
