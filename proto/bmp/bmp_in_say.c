/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log lines caused by remote hosts: each kind has a limit. Loop: the instance's. Tested
 * by test/net/test_bmp_station.py. */
#include "lib/base/plural.h"
#include "proto/bmp/bmp_in_priv.h"
#include "nest/channel/import/many_peers.h"
#include "nest/channel/proto.h"
#include "sysdep/log/log_class.h"
#include "sysdep/log/log_rate.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/clock.h"

#define SAY_NS (60 * NS_PER_S)

/* lines of each kind in SAY_NS */
static const uint32_t say_max[BMP_SAY_CNT] = {
	[BMP_SAY_STRANGER] = 10, [BMP_SAY_ROUTER] = 100
};
static const char *const say_text[BMP_SAY_CNT] = {
	[BMP_SAY_STRANGER] = "connections that didn't begin or were refused",
	[BMP_SAY_ROUTER] = "routers that came or went"
};

static void
say_rest(struct bmp_in *in, enum bmp_say what, uint32_t left_out)
{
	if (left_out)
		proto_log(in->p, LOG_C_REMOTE, "%u more line%s about %s not logged",
		    left_out, plural(left_out, "", "s"), say_text[what]);
}

bool
bmp_in_may_log(struct bmp_in *in, enum bmp_say what)
{
	uint32_t left_out;
	bool may = log_rate_take(&in->said[what], loop_now_ns(&in->p->worker), SAY_NS,
	    say_max[what], &left_out);

	say_rest(in, what, left_out);
	return may;
}

void
bmp_in_say_rest(struct bmp_in *in, enum bmp_say what, uint64_t now_ns)
{
	say_rest(in, what, log_rate_due(&in->said[what], now_ns, SAY_NS, say_max[what]));
}
