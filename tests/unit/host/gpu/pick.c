#include "host/gpu/pick.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

#define GPUS_MAX 16

/* A host of GPUs with the UUIDs GPU-a0, GPU-a1, …; instances follow their GPU. */
struct host {
	struct host_gpu_facts facts[GPUS_MAX];
	struct host_gpu_offer offers[GPUS_MAX];
	char uuids[GPUS_MAX][16];
	size_t count;
	int next_index;
};

static struct host_gpu_facts *add(struct host *host, char model, int node, int nvlinks)
{
	static char names[256][8];
	size_t i = host->count++;
	struct host_gpu_facts *facts = &host->facts[i];

	snprintf(names[(unsigned char)model], sizeof(names[0]), "model%c", model);
	snprintf(host->uuids[i], sizeof(host->uuids[i]), "GPU-%c%zu", model, i);
	*facts = (struct host_gpu_facts){ .index = host->next_index++,
					  .uuid = host->uuids[i],
					  .name = names[(unsigned char)model],
					  .numa_node = node,
					  .nvlinks = nvlinks };
	host->offers[i] = (struct host_gpu_offer){ .facts = facts };
	return facts;
}

static void add_instance(struct host *host, struct host_gpu_facts *parent)
{
	struct host_gpu_facts *facts = add(host, 'm', parent->numa_node, 0);

	host->next_index--;
	snprintf(host->uuids[host->count - 1], sizeof(host->uuids[0]), "MIG-%zu", host->count - 1);
	facts->index = parent->index;
	facts->mig_parent = parent->uuid;
	parent->mig = true;
}

static void take(struct host *host, const char *which)
{
	static char held[] = "is held";

	for (; *which != '\0'; which++)
		host->offers[*which - '0'].taken = held;
}

/* The numbers of the picked offers: "01"; "-" where there are not enough. */
static void assert_picks(const struct host *host, size_t wanted, const char *expected)
{
	size_t picked[GPUS_MAX];
	char found[GPUS_MAX + 1] = "-";
	bool mixed;

	if (host_gpu_pick(host->offers, host->count, wanted, picked, &mixed)) {
		for (size_t i = 0; i < wanted; i++)
			found[i] = (char)('0' + picked[i]);
		found[wanted] = '\0';
	}
	assert_string_equal(found, expected);
}

static void test_host_gpu_pick__first_free_ones(void **state)
{
	(void)state;
	struct host host = { 0 };

	for (int i = 0; i < 4; i++)
		add(&host, 'a', -1, 0);
	assert_picks(&host, 0, "");
	assert_picks(&host, 1, "0");
	assert_picks(&host, 4, "0123");
	assert_picks(&host, 5, "-");
	take(&host, "02");
	assert_picks(&host, 2, "13");
	assert_picks(&host, 3, "-");
	assert_int_equal(host_gpu_allowed(host.offers, host.count, 3), 4);
}

static void test_host_gpu_pick__one_numa_node_if_it_can_be(void **state)
{
	(void)state;
	struct host host = { 0 };

	for (int i = 0; i < 8; i++)
		add(&host, 'a', i / 4, 0);
	assert_picks(&host, 4, "0123");
	take(&host, "0");
	/* the node with three free ones is too small for four, and the better one for three */
	assert_picks(&host, 4, "4567");
	assert_picks(&host, 3, "123");
	take(&host, "4");
	assert_picks(&host, 4, "1235");
	/* few nodes, most from the fullest */
	take(&host, "1");
	assert_picks(&host, 4, "2567");
}

static void test_host_gpu_pick__one_with_the_fewest_to_spare(void **state)
{
	(void)state;
	struct host host = { 0 };

	for (int i = 0; i < 8; i++)
		add(&host, 'a', i / 4, 0);
	take(&host, "456");
	/* the last one of its node: the other node stays whole for whoever needs four */
	assert_picks(&host, 1, "7");
}

static void test_host_gpu_pick__one_model_and_linked_ones(void **state)
{
	(void)state;
	struct host host = { 0 };
	size_t picked[GPUS_MAX];
	bool mixed;

	add(&host, 'a', 0, 0);
	add(&host, 'b', 0, 0);
	add(&host, 'b', 0, 0);
	add(&host, 'c', 0, 18);
	add(&host, 'c', 0, 18);
	assert_picks(&host, 2, "34");
	take(&host, "3");
	assert_picks(&host, 2, "12");
	take(&host, "2");
	assert_true(host_gpu_pick(host.offers, host.count, 2, picked, &mixed));
	assert_true(mixed);
	assert_true(host_gpu_pick(host.offers, host.count, 1, picked, &mixed));
	assert_false(mixed);
}

static void test_host_gpu_pick__instances_only_for_one(void **state)
{
	(void)state;
	struct host host = { 0 };

	struct host_gpu_facts *parent = add(&host, 'a', 0, 0);
	add_instance(&host, parent);
	add_instance(&host, parent);
	assert_picks(&host, 1, "1");
	assert_picks(&host, 2, "-");
	assert_int_equal(host_gpu_allowed(host.offers, host.count, 2), 0);
	assert_int_equal(host_gpu_allowed(host.offers, host.count, 1), 2);
	add(&host, 'a', 0, 0);
	assert_picks(&host, 1, "3");
	take(&host, "3");
	assert_picks(&host, 1, "1");
}

static void test_host_gpu_pick__names(void **state)
{
	(void)state;
	struct host host = { 0 };
	struct host_gpu_facts *parent;
	static const struct {
		const char *name;
		int found; /* -1: refused */
		const char *says;
	} cases[] = {
		{ "0", 0, "" },
		{ "2", 4, "" },
		{ "3", -1, "expected one of 0 (modela, GPU-a0)" },
		{ "-1", -1, "expected one of" },
		{ "GPU-a0", 0, "" },
		{ "GPU-b", 4, "" },
		{ "GPU-", -1, "matches 3 GPUs" },
		{ "GPU-x", -1, "MIG-2 (modelm)" },
		{ "MIG-3", 3, "" },
		{ "1", -1, "partitioned" },
		{ "GPU-a1", -1, "partitioned" },
		{ "", -1, "expected one of" },
	};

	add(&host, 'a', 0, 0);
	parent = add(&host, 'a', 0, 0);
	add_instance(&host, parent);
	add_instance(&host, parent);
	add(&host, 'b', 0, 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct pl_err err = PL_ERR_INIT;
		size_t at = 99;
		int done = host_gpu_find(host.offers, host.count, cases[i].name, &at, &err);
		assert_int_equal(done, cases[i].found < 0 ? -1 : 0);
		if (done == 0)
			assert_int_equal(at, cases[i].found);
		else
			assert_int_equal(err.code, PL_ERR_INVALID);
		assert_non_null(strstr(err.text, cases[i].says));
	}
}

static void test_host_gpu_pick__visible_devices_hide_the_others(void **state)
{
	(void)state;
	static const struct {
		const char *visible;
		const char *shown;
	} cases[] = {
		{ NULL, "0123" }, { "", "" },      { "1", "1" },      { "2,0", "02" },
		{ "1,9,2", "1" }, { "-1,1", "" },  { "GPU-a3", "3" }, { " 1 , 2 ", "12" },
		{ "x", "" },      { "0,,1", "0" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct host host = { 0 };
		char shown[GPUS_MAX] = "";
		for (int k = 0; k < 4; k++)
			add(&host, 'a', 0, 0);
		host_gpu_hide(host.offers, host.count, cases[i].visible);
		for (size_t k = 0; k < host.count; k++) {
			if (!host.offers[k].hidden)
				shown[strlen(shown)] = (char)('0' + k);
		}
		assert_string_equal(shown, cases[i].shown);
		assert_int_equal(host_gpu_allowed(host.offers, host.count, 1), strlen(shown));
	}
}

static void test_host_gpu_pick__memory_of_an_idle_gpu(void **state)
{
	(void)state;
	assert_true(host_gpu_idle_bytes(85e9) == 0.02 * 85e9);
	assert_true(host_gpu_idle_bytes(8e9) == 500.0 * 1048576);
	assert_true(host_gpu_idle_bytes(__builtin_nan("")) == 500.0 * 1048576);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_gpu_pick__first_free_ones),
		cmocka_unit_test(test_host_gpu_pick__one_numa_node_if_it_can_be),
		cmocka_unit_test(test_host_gpu_pick__one_with_the_fewest_to_spare),
		cmocka_unit_test(test_host_gpu_pick__one_model_and_linked_ones),
		cmocka_unit_test(test_host_gpu_pick__instances_only_for_one),
		cmocka_unit_test(test_host_gpu_pick__names),
		cmocka_unit_test(test_host_gpu_pick__visible_devices_hide_the_others),
		cmocka_unit_test(test_host_gpu_pick__memory_of_an_idle_gpu),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
