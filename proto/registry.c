/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of all protocols. No other file names all protocols. Loop: any thread. */
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
