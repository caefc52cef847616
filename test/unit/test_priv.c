/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Giving up root, in a child; without root only what is refused. */
#include "sysdep/os/priv.c"
#include "test/lib/unit.h"

static unsigned
test_priv_caps(bool effective)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &head, data))
		return 0;
	return effective ? data[0].effective : data[0].permitted;
}

/* In the child. Returns: which step went wrong. */
static int
test_priv_drop(const char *user, const char *group, uid_t uid, gid_t gid)
{
	unsigned kept = test_priv_caps(false) & KEPT_CAPS;
	const char *bad;
	gid_t list[4];

	if (priv_drop(user, group, &bad))
		return 1;
	if (getuid() != uid || geteuid() != uid || getgid() != gid || getegid() != gid)
		return 2;
	if (getgroups(4, list) != 0)
		return 3;
	if (test_priv_caps(false) != kept || test_priv_caps(true) != kept)
		return 4;
	if (setuid(0) == 0)
		return 5;
	return 0;
}

static int
drop_in_child(const char *user, const char *group, uid_t uid, gid_t gid)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(test_priv_drop(user, group, uid, gid));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
test_unknown(void **arg)
{
	const char *bad = "";

	(void)arg;
	assert_int_equal(priv_drop(NULL, NULL, &bad), 0);
	assert_null(bad);
	assert_int_equal(priv_drop("no_such_user_", NULL, &bad), -ENOENT);
	assert_string_equal(bad, "no_such_user_");
	assert_int_equal(priv_drop(NULL, "no_such_group_", &bad), -ENOENT);
	assert_string_equal(bad, "no_such_group_");
	assert_int_equal(priv_drop("12x", NULL, &bad), -ENOENT);
	assert_int_equal(priv_drop("-1", NULL, &bad), -ENOENT);
}

static void
test_drop(void **arg)
{
	struct passwd *pw = getpwnam("nobody");
	uid_t uid;
	gid_t gid;

	(void)arg;
	if (getuid() != 0 || !(test_priv_caps(true) & 1u << CAP_SETUID))
		unit_cannot_here("only root gives rights up");
	if (!pw)
		unit_cannot_here("there is no user nobody");
	uid = pw->pw_uid;
	gid = pw->pw_gid;
	assert_int_equal(drop_in_child("nobody", NULL, uid, gid), 0);
	assert_int_equal(drop_in_child("nobody", "4321", uid, 4321), 0);
	assert_int_equal(drop_in_child("54321", "nogroup", 54321, gid), 0);
	assert_int_equal(drop_in_child("54321", NULL, 54321, 54321), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
