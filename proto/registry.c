/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of all protocols. No other file names all protocols. Loop: any thread.
 * Tested by test/net/test_start.py. */
#include "proto/bfd/bfd.h"
#include "proto/bgp/bgp.h"
#include "proto/bmp/bmp.h"
#include "proto/device/device.h"
#include "proto/direct/direct.h"
#include "proto/image/image.h"
#include "proto/kernel/kernel.h"
#include "proto/mrt/mrt.h"
#include "proto/pipe/pipe.h"
#include "proto/registry.h"
#include "proto/rpki/rpki.h"
#include "proto/static/static.h"

#include "lib/mem/mem.h"

const struct proto_class *const proto_classes[] = {
	&device_proto_class,
	&direct_proto_class,
	&kernel_proto_class,
	&bgp_proto_class,
	&static_proto_class,
	&pipe_proto_class,
	&rpki_proto_class,
	&mrt_proto_class,
	&bmp_proto_class,
	&bfd_proto_class,
	&image_proto_class,
	NULL,
};

const struct conf_class **
registry_conf_classes(void)
{
	const struct conf_class **list;
	unsigned cnt = 0;

	while (proto_classes[cnt])
		cnt++;
	list = mem_zalloc(MEM_CONFIG, (cnt + 1) * sizeof(*list));
	for (unsigned i = 0; i < cnt; i++)
		list[i] = proto_classes[i]->conf;
	return list;
}
