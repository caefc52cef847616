/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_commit checks which valid configurations a running daemon refuses. */
#include "test/lib/conf_text.h"
#include "test/lib/cli_rig.h"

static struct control c;
static struct instance going[20001];

static struct config *
test_commit_parse(const char *text)
{
	struct conf_env env = { .class = conf_classes, .custom = &c.custom };
	struct config *conf;
	struct diag d;

	diag_init(&d);
	conf = conf_text_parse(text, strlen(text), &env, &d);
	assert_non_null(conf);
	diag_fini(&d);
	return conf;
}

static void
test_check(void **state)
{
	static const char text[] =
	    "router id 1.1.1.1; protocol fake f1 { ipv4 { import all; }; }";
	struct config *conf;
	struct strbuf b;

	(void)state;
	custom_registry_init(&c.custom);
	conf = test_commit_parse(text);
	c.tern = &tern;
	c.begin.nofile = 1000;
	strbuf_init(&b);
	assert_null(commit_check(&c, conf, &b)); /* nothing runs yet */
	c.begin.nofile = 60;
	assert_non_null(strstr(commit_check(&c, conf, &b), "the limit is 60"));
	c.begin.nofile = 1000;
	c.conf = config_ref_new(conf);
	list_init(&c.instances);
	for (uint32_t i = 0; i < ARRAY_LEN(going); i++) {
		char name[16];

		snprintf(name, sizeof(name), "g%u", i);
		going[i].name = mem_strdup(MEM_CONFIG, name);
		if (i < ARRAY_LEN(going) - 1)
			list_add_tail(&c.instances, &going[i].link);
	}
	assert_null(commit_check(&c, conf, &b));
	list_add_tail(&c.instances, &going[ARRAY_LEN(going) - 1].link);
	assert_non_null(strstr(commit_check(&c, conf, &b), "on their way out"));
	for (uint32_t i = 0; i < ARRAY_LEN(going); i++)
		mem_free(MEM_CONFIG, going[i].name);
	strbuf_fini(&b);
	rcu_join();
	config_ref_put(c.conf);
	rcu_drain();
	rcu_leave();
	custom_registry_fini(&c.custom);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_check),
};

UNIT_MAIN(tests)
