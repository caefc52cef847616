/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol kernel`. */
#ifndef TERN_PROTO_KERNEL_CONF_H
#define TERN_PROTO_KERNEL_CONF_H

#include "lib/base/check.h"
#include "nest/conf/opt/conf_opt.h"

/* Which routes of others come in. ALIEN: but those that the kernel itself has made. */
enum krt_learn { KRT_LEARN_OFF, KRT_LEARN_ALIEN, KRT_LEARN_ALL };

/* Options of an instance. */
struct kernel_conf {
	uint32_t table; /* of the kernel */
	uint32_t metric; /* of our routes; 0: as each has it (krt_metric) */
	uint32_t scan_s; /* between scans; 0: only at the start */
	uint32_t merge; /* next hops of a route, made of several routes; 0: off */
	uint32_t rx_buffer; /* octets; 0: as the daemon likes */
	bool persist; /* routes stay when the instance goes */
	bool graceful; /* after `-R` nothing is changed until recovery is over */
	uint8_t learn; /* enum krt_learn */
};

extern const struct conf_class kernel_conf_class;

#endif
