/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The channels of an instance: their begin, and the end of the instance after them. Loop:
 * the instance's. Tested by test/net/test_rpki.py. */
#include "lib/attr/route.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/rib/source.h"
#include "proto/rpki/rpki_priv.h"
#include "sysdep/loop/loop.h"

void
rpki_channels_up(struct rpki_proto *s)
{
	struct route_source src = { .proto = s->p.name };

	for (unsigned i = 0; i < RPKI_TABLES; i++)
		if (s->chan[i].ch && !channel_is_up(s->chan[i].ch))
			channel_up(s->chan[i].ch, &src);
}

void
rpki_try_gone(struct rpki_proto *s)
{
	if (s->detached && !s->feed.on)
		proto_gone(&s->p);
}
