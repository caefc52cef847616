/* SPDX-License-Identifier: GPL-3.0-or-later */
/* struct kernel_conf holds the options of `protocol kernel`. Loop: the thread that
 * parses; functions on parsed options run in any thread. */
#ifndef TERN_PROTO_KERNEL_KERNEL_CONF_H
#define TERN_PROTO_KERNEL_KERNEL_CONF_H

#include "lib/base/check.h"
#include "nest/conf/opt/conf_opt.h"

/* Which foreign routes of the kernel table are learned. ALIEN: all but routes that the
 * kernel itself made. */
enum krt_learn { KRT_LEARN_OFF, KRT_LEARN_ALIEN, KRT_LEARN_ALL };

/* Options of an instance. Owner: the configuration. Life: until the configuration is
 * freed. */
struct kernel_conf {
	uint32_t table; /* number of the kernel table */
	uint32_t metric; /* of exported routes; 0: each route decides (krt_metric) */
	uint32_t scan_s; /* interval of scans; 0: only at the start */
	uint32_t merge; /* next hops of a merged route; 0: routes are not merged */
	uint32_t rx_buffer; /* octets; 0: the daemon chooses */
	bool persist; /* routes stay in the kernel when the instance ends */
	bool graceful; /* after `-R`, change nothing until recovery is over */
	uint8_t learn; /* enum krt_learn */
};

extern const struct conf_class kernel_conf_class;

#endif
