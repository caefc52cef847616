/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Giving up root, and keeping three capabilities across it.
 *
 * The order matters: PR_SET_KEEPCAPS keeps the permitted set when the user changes, the
 * group has to change while we may still do that, and the effective set, which the change
 * of user cleared, is raised last. The file calls capget and
 * capset itself: a library for these two calls alone would be one more dependency.
 *
 * Loop: any thread, but priv_drop runs before other threads exist. */
#include "sysdep/os/priv.h"
#include "lib/mem/mem.h"
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PASSWD_FILE "/etc/passwd"
#define PORT_SYSCTL "/proc/sys/net/ipv4/ip_unprivileged_port_start"
/* octets of a group's entry; the text of the members has no bound */
#define GROUP_LEN     4096u
#define GROUP_LEN_MAX (4096u << 8)
#define KEPT_CAPS     (1u << CAP_NET_BIND_SERVICE | 1u << CAP_NET_RAW | 1u << CAP_NET_ADMIN)

/* A number that is all of @s. */
static bool
priv_parse_id(unsigned *out, const char *s)
{
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(s, &end, 10);
	if (*s < '0' || *s > '9' || *end || errno || v >= UINT32_MAX)
		return false;
	*out = (unsigned)v;
	return true;
}

static bool
os_find_user(uid_t *uid, gid_t *gid, const char *name)
{
	struct passwd *pw = getpwnam(name);

	if (!pw && priv_parse_id(uid, name))
		pw = getpwuid(*uid);
	else if (!pw)
		return false;
	if (pw) {
		*uid = pw->pw_uid;
		*gid = pw->pw_gid;
	} else {
		*gid = *uid; /* a number without an entry */
	}
	return true;
}

bool
priv_find_group(uint32_t *gid, const char *name)
{
	struct group entry, *gr = NULL;
	char *buf;

	for (size_t len = GROUP_LEN;; len *= 4) {
		int rc;

		buf = mem_alloc(MEM_OTHER, len);
		rc = getgrnam_r(name, &entry, buf, len, &gr);
		if (rc != ERANGE || len >= GROUP_LEN_MAX)
			break;
		mem_free(MEM_OTHER, buf); /* a group of many members */
	}
	if (gr)
		*gid = gr->gr_gid;
	mem_free(MEM_OTHER, buf);
	return gr || priv_parse_id(gid, name);
}

bool
priv_login(char login[PRIV_LOGIN_MAX], uint32_t uid)
{
	FILE *f = fopen(PASSWD_FILE, "re");
	struct passwd entry, *pw = NULL;
	char buf[4096];
	int rc;

	if (!f)
		return false;
	do
		rc = fgetpwent_r(f, &entry, buf, sizeof(buf), &pw);
	while (!rc && entry.pw_uid != uid);
	fclose(f);
	if (rc)
		return false;
	snprintf(login, PRIV_LOGIN_MAX, "%s", entry.pw_name);
	return true;
}

static int
os_set_caps(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &head, data))
		return -errno;
	/* Never more than we had, for instance in a container. */
	data[0].permitted &= KEPT_CAPS;
	data[0].effective = data[0].permitted;
	data[0].inheritable = 0;
	data[1] = (struct __user_cap_data_struct){ 0 };
	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

int
priv_drop(const char *user, const char *group, const char **bad)
{
	uid_t uid = 0;
	gid_t gid = 0;

	*bad = user;
	if (user && !os_find_user(&uid, &gid, user))
		return -ENOENT;
	if (group) {
		*bad = group;
		if (!priv_find_group(&gid, group))
			return -ENOENT;
	}
	*bad = NULL;
	if (!user && !group)
		return 0;
	if (user && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0))
		return -errno;
	if (setgroups(0, NULL) || setresgid(gid, gid, gid))
		return -errno;
	if (!user)
		return 0;
	if (setresuid(uid, uid, uid))
		return -errno;
	return uid ? os_set_caps() : 0;
}

/* priv_lacks - of the calling thread; all have the same. What the kernel doesn't report
 * isn't lacking. */
static bool
priv_lacks(unsigned cap)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { 0 };

	return !syscall(SYS_capget, &head, data) && !(data[0].effective & 1u << cap);
}

bool
priv_lacks_port(uint16_t port)
{
	unsigned first = 1024;
	FILE *f;

	if (!priv_lacks(CAP_NET_BIND_SERVICE))
		return false;
	f = fopen(PORT_SYSCTL, "re");
	if (f) {
		if (fscanf(f, "%u", &first) != 1)
			first = 1024;
		fclose(f);
	}
	return port && port < first;
}

bool
priv_lacks_net_admin(void)
{
	return priv_lacks(CAP_NET_ADMIN);
}
