#include "host/gpu/gpu.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_gpus.h"

#define MIB (1024.0 * 1024.0)
#define GIB (1024.0 * MIB)

static void test_facts(void **state)
{
	(void)state;
	auto_gpus struct host_gpus *gpus = open_gpus(LIBRARY, "1xH100:numa=1,L4", NULL);

	assert_string_equal(host_gpus_driver(gpus), "580.65.06");
	assert_string_equal(host_gpus_cuda(gpus), "13.0");
	assert_int_equal(host_gpus_count(gpus), 2);
	const struct host_gpu_facts *facts = host_gpus_facts(gpus, 0);
	assert_int_equal(facts->index, 0);
	assert_int_equal(facts->mig_index, -1);
	assert_string_equal(facts->name, "NVIDIA H100 80GB HBM3");
	assert_string_equal(facts->uuid, "GPU-70726574-656e-6400-0000-000000000000");
	assert_string_equal(facts->pci_bus_id, "0000FADE:01:00.0");
	assert_true(facts->memory_bytes == 81559 * MIB);
	assert_true(facts->power_limit_w == 700);
	assert_true(facts->compute_capability == 9.0);
	assert_int_equal(facts->numa_node, 1);
	assert_int_equal(facts->pcie_generation, 5);
	assert_int_equal(facts->pcie_lanes, 16);
	assert_int_equal(facts->nvlinks, 18);
	assert_true(facts->ecc && facts->ecc_reported);
	assert_true(!facts->mig && facts->mig_reported);
	assert_true(facts->simulated);
	facts = host_gpus_facts(gpus, 1);
	assert_true(fabs(facts->compute_capability - 8.9) < 1e-12);
	assert_int_equal(facts->numa_node, -1);
	assert_int_equal(facts->nvlinks, -1);
}

static void test_state(void **state)
{
	(void)state;
	auto_gpus struct host_gpus *gpus = open_gpus(
		LIBRARY, "2xH100",
		"0.memory_used=3GiB; 0.utilization=73; 0.memory_utilization=41;"
		"0.temperature=66; 0.sm_clock=1410; 0.memory_clock=2000;"
		"0.ecc_uncorrected=5; 0.power=const:321.5; 0.throttle=none");
	struct host_gpu_state now;

	host_gpus_read(gpus, 0, &now);
	assert_true(now.memory_used_bytes == 3 * GIB);
	assert_true(fabs(now.utilization - 0.73) < 1e-12);
	assert_true(fabs(now.memory_utilization - 0.41) < 1e-12);
	assert_true(now.temperature_c == 66);
	assert_true(now.sm_clock_mhz == 1410);
	assert_true(now.memory_clock_mhz == 2000);
	assert_true(now.ecc_uncorrected == 5);
	assert_true(now.power_w == 321.5);
	assert_int_equal(now.throttle, 0);
	assert_true(now.nvlink_rx_bytes == 0);
	/* a rate needs two reads */
	assert_true(isnan(now.pcie_rx_bytes_per_s));
	host_gpus_read(gpus, 1, &now);
	assert_true(now.memory_used_bytes == 0);
	assert_true(now.utilization == 0);
	assert_int_equal(now.throttle, HOST_GPU_THROTTLE_IDLE);
}

static void test_throttle_words(void **state)
{
	static const struct {
		const char *set;
		int64_t bits;
		const char *json;
	} cases[] = {
		{ "throttle=none", 0, "[]" },
		{ "throttle=idle", HOST_GPU_THROTTLE_IDLE, "[\"idle\"]" },
		{ "throttle=sw_power_cap", HOST_GPU_THROTTLE_POWER, "[\"power\"]" },
		{ "throttle=sw_thermal", HOST_GPU_THROTTLE_THERMAL, "[\"thermal\"]" },
		{ "throttle=hw_thermal", HOST_GPU_THROTTLE_THERMAL, "[\"thermal\"]" },
		{ "throttle=hw_power_brake", HOST_GPU_THROTTLE_BRAKE, "[\"brake\"]" },
		/* an older driver, which does not say why */
		{ "throttle=hw_slowdown", HOST_GPU_THROTTLE_BRAKE, "[\"brake\"]" },
		{ "throttle=sync_boost", HOST_GPU_THROTTLE_OTHER, "[\"other\"]" },
		{ "throttle=display_clock", HOST_GPU_THROTTLE_OTHER, "[\"other\"]" },
		{ "throttle=sw_power_cap,hw_thermal",
		  HOST_GPU_THROTTLE_POWER | HOST_GPU_THROTTLE_THERMAL, "[\"power\",\"thermal\"]" },
		{ "vanish=throttle", -1, "null" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_gpus struct host_gpus *gpus = open_gpus(LIBRARY, "1xH100", cases[i].set);
		struct host_gpu_state now;
		host_gpus_read(gpus, 0, &now);
		assert_int_equal(now.throttle, cases[i].bits);
		auto_json json_t *json = host_gpu_throttle_to_json(now.throttle);
		auto_free char *text = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);
		assert_string_equal(text, cases[i].json);
	}
}

static void test_processes(void **state)
{
	struct host_gpu_process *list;
	auto_free char *settings = NULL;
	size_t count;

	(void)state;
	pid_t gone = fork();
	if (gone == 0)
		_exit(0);
	assert_int_equal(waitpid(gone, NULL, 0), gone);
	settings = pl_asprintf("0.processes=4000001:16GiB:serve\x01r,4000002:20MiB:graphics:Xorg,"
			       "%d:1GiB:alive,%d:1GiB:alive;0.memory_used=1GiB",
			       (int)getpid(), (int)gone);
	auto_gpus struct host_gpus *gpus = open_gpus(LIBRARY, "2xH100", settings);
	assert_int_equal(host_gpus_processes(gpus, 0, &list, &count), 0);
	assert_int_equal(count, 3);
	assert_int_equal(list[0].pid, 4000001);
	assert_true(list[0].memory_bytes == 16 * GIB);
	/* names are anybody's choice */
	assert_string_equal(list[0].name, "serve?r");
	assert_true(list[0].compute);
	assert_int_equal(list[1].pid, getpid());
	assert_non_null(list[1].name);
	assert_int_equal(list[2].pid, 4000002);
	assert_false(list[2].compute);
	host_gpu_processes_free(list, count);

	struct host_gpu_state now;
	host_gpus_read(gpus, 0, &now);
	assert_true(now.memory_used_bytes == 18 * GIB + 20 * MIB);
	assert_int_equal(host_gpus_processes(gpus, 1, &list, &count), 0);
	assert_int_equal(count, 0);
	host_gpu_processes_free(list, count);
}

static void test_more_processes_than_first_asked_for(void **state)
{
	auto_buf settings = { 0 };
	struct host_gpu_process *list;
	size_t count;

	(void)state;
	pl_buf_init(&settings, 65536);
	pl_buf_add_text(&settings, "processes=");
	for (int i = 0; i < 60; i++)
		pl_buf_addf(&settings, "%s%d:1MiB", i > 0 ? "," : "", 4000000 + i);
	for (int old = 0; old < 2; old++) {
		auto_gpus struct host_gpus *gpus = open_gpus(old ? OLD_LIBRARY : LIBRARY, "1xH100",
							     pl_buf_text(&settings));
		assert_int_equal(host_gpus_processes(gpus, 0, &list, &count), 0);
		assert_int_equal(count, 60);
		assert_int_equal(list[59].pid, 4000059);
		host_gpu_processes_free(list, count);
	}
}

static void test_mig(void **state)
{
	struct host_gpu_process *list;
	size_t count;

	(void)state;
	auto_gpus struct host_gpus *gpus = open_gpus(
		LIBRARY, "1xA100:numa=0:mig=1g.10gb*2+3g.40gb,1xA100",
		"0.1.processes=4000001:2GiB:worker; 0.2.memory_used=5GiB");
	assert_int_equal(host_gpus_count(gpus), 5);
	const struct host_gpu_facts *whole = host_gpus_facts(gpus, 0);
	assert_true(whole->mig && whole->mig_reported && whole->mig_parent == NULL);
	for (size_t i = 1; i <= 3; i++) {
		const struct host_gpu_facts *facts = host_gpus_facts(gpus, i);
		assert_int_equal(facts->index, 0);
		assert_int_equal(facts->mig_index, i - 1);
		assert_string_equal(facts->mig_parent, whole->uuid);
		assert_memory_equal(facts->uuid, "MIG-", 4);
		assert_true(facts->memory_bytes == (i < 3 ? 10 : 40) * GIB);
		assert_int_equal(facts->numa_node, 0);
		assert_false(facts->mig);
	}
	assert_string_equal(host_gpus_facts(gpus, 3)->name, "NVIDIA A100-SXM4-80GB MIG 3g.40gb");
	assert_int_equal(host_gpus_facts(gpus, 4)->index, 1);
	assert_false(host_gpus_facts(gpus, 4)->mig);

	struct host_gpu_state now;
	host_gpus_read(gpus, 2, &now);
	assert_true(now.memory_used_bytes == 2 * GIB);
	assert_true(isnan(now.power_w) && isnan(now.utilization) && now.throttle == -1);
	host_gpus_read(gpus, 0, &now);
	assert_true(now.memory_used_bytes == 7 * GIB);
	assert_int_equal(host_gpus_processes(gpus, 2, &list, &count), 0);
	assert_int_equal(count, 1);
	assert_string_equal(list[0].name, "worker");
	host_gpu_processes_free(list, count);
}

static void test_old_library(void **state)
{
	struct host_gpu_process *list;
	size_t count;

	(void)state;
	auto_gpus struct host_gpus *gpus = open_gpus(
		OLD_LIBRARY, "1xA100:numa=0:mig=1g.10gb*2",
		"processes=4000001:16GiB:serve;throttle=sw_power_cap");
	assert_int_equal(host_gpus_count(gpus), 1);
	const struct host_gpu_facts *facts = host_gpus_facts(gpus, 0);
	assert_string_equal(facts->name, "NVIDIA A100-SXM4-80GB");
	assert_true(facts->power_limit_w == 400);
	assert_false(facts->mig_reported);
	assert_int_equal(facts->numa_node, -1);
	assert_string_equal(host_gpus_cuda(gpus), "13.0");
	struct host_gpu_state now;
	host_gpus_read(gpus, 0, &now);
	/* this form counts what the driver keeps for itself */
	assert_true(now.memory_used_bytes > 16 * GIB && now.memory_used_bytes < 17 * GIB);
	assert_int_equal(now.throttle, HOST_GPU_THROTTLE_POWER);
	assert_true(isnan(now.nvlink_rx_bytes));
	assert_int_equal(host_gpus_processes(gpus, 0, &list, &count), 0);
	assert_int_equal(count, 1);
	assert_true(list[0].memory_bytes == 16 * GIB);
	host_gpu_processes_free(list, count);
}

static void test_unreported_values(void **state)
{
	struct host_gpu_process *list;
	struct host_gpu_state now;
	size_t count;

	(void)state;
	setenv("PRETEND_VANISH", "energy,ecc,nvlink,pcie,processes", 1);
	setenv("PRETEND_FAIL",
	       "nvmlDeviceGetMemoryInfo_v2=missing,nvmlDeviceGetUtilizationRates,"
	       "nvmlDeviceGetPowerUsage=lost@2",
	       1);
	auto_gpus struct host_gpus *gpus = open_gpus(LIBRARY, "1xH100", "power=const:100");
	host_gpus_read(gpus, 0, &now);
	/* the older form answers */
	assert_false(isnan(now.memory_used_bytes));
	assert_true(isnan(now.utilization) && isnan(now.energy_j) && isnan(now.ecc_uncorrected));
	assert_true(isnan(now.nvlink_tx_bytes));
	assert_true(now.power_w == 100);
	host_gpus_read(gpus, 0, &now);
	assert_true(now.power_w == 100);
	assert_true(isnan(now.pcie_rx_bytes_per_s));
	host_gpus_read(gpus, 0, &now);
	assert_true(isnan(now.power_w));
	assert_int_equal(host_gpus_processes(gpus, 0, &list, &count), -1);
}

static void test_shared_memory_gpu(void **state)
{
	struct host_gpu_state now;

	(void)state;
	auto_gpus struct host_gpus *gpus = open_gpus(LIBRARY, "GB10", NULL);
	assert_true(isnan(host_gpus_facts(gpus, 0)->memory_bytes));
	host_gpus_read(gpus, 0, &now);
	assert_true(isnan(now.memory_used_bytes));
	assert_true(isnan(now.memory_clock_mhz));
	auto_json json_t *json = host_gpu_to_json(host_gpus_facts(gpus, 0), &now);
	assert_true(json_is_null(json_object_get(json, "memory_bytes")));
	assert_true(json_is_null(json_object_get(json, "ecc")));
}

/* ---- opening ------------------------------------------------------------- */

static void test_open_faults(void **state)
{
	static const struct {
		const char *library;
		const char *gpus;
		const char *fail;
		const char *text;
	} cases[] = {
		{ "/nowhere/libnvidia-ml.so", "1xH100", NULL,
		  "could not load the NVIDIA driver library" },
		{ LIBRARY, "1xH100", "nvmlInit_v2=driver", "the driver is not loaded" },
		{ LIBRARY, "1xH100", "nvmlInit_v2=version", "have different versions" },
		{ LIBRARY, "3xNothing", NULL, "(code 2)" },
		{ "libm.so.6", "1xH100", NULL, "is not NVML" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct host_gpus *gpus = NULL;
		struct pl_err err = PL_ERR_INIT;
		setenv("PROFLLM_NVML_LIB", cases[i].library, 1);
		setenv("PRETEND_GPUS", cases[i].gpus, 1);
		if (cases[i].fail != NULL)
			setenv("PRETEND_FAIL", cases[i].fail, 1);
		assert_int_equal(host_gpus_open(&gpus, &err), -1);
		assert_null(gpus);
		assert_int_equal(err.code, PL_ERR_INVALID);
		assert_memory_equal(err.text, "PROFLLM_NVML_LIB: ", 18);
		assert_non_null(strstr(err.text, cases[i].text));
		unsetenv("PRETEND_FAIL");
	}
}

static void test_no_gpu(void **state)
{
	(void)state;
	auto_gpus struct host_gpus *gpus = open_gpus(LIBRARY, "", NULL);

	assert_int_equal(host_gpus_count(gpus), 0);
	assert_non_null(strstr(host_gpus_why(gpus), "reports no GPU"));
}

static void test_two_at_once(void **state)
{
	(void)state;
	setenv("PRETEND_SEED", "7", 1);
	struct host_gpus *one = open_gpus(LIBRARY, "2xL4", NULL);
	struct host_gpus *other = open_gpus(LIBRARY, "2xL4", NULL);
	struct host_gpu_state now;

	assert_string_equal(host_gpus_facts(one, 1)->uuid,
			    "GPU-70726574-656e-6400-0007-000100000000");
	host_gpus_free(one);
	host_gpus_read(other, 1, &now);
	assert_true(now.memory_used_bytes == 0);
	host_gpus_free(other);
}

#define READS 200

static void *read_often(void *data)
{
	struct host_gpus *gpus = data;
	size_t *answers = pl_alloc(sizeof(*answers));

	for (int i = 0; i < READS; i++) {
		struct host_gpu_state now;
		host_gpus_read(gpus, (size_t)i % 2, &now);
		*answers += !isnan(now.power_w);
	}
	return answers;
}

static void test_two_threads(void **state)
{
	struct host_gpus *gpus[2];
	pthread_t threads[2];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		gpus[i] = open_gpus(LIBRARY, "2xL4", NULL);
		assert_int_equal(pthread_create(&threads[i], NULL, read_often, gpus[i]), 0);
	}
	for (size_t i = 0; i < 2; i++) {
		void *answers;
		assert_int_equal(pthread_join(threads[i], &answers), 0);
		assert_int_equal(*(size_t *)answers, READS);
		free(answers);
		host_gpus_free(gpus[i]);
	}
}

static void test_json_names_every_field(void **state)
{
	(void)state;
	auto_gpus struct host_gpus *gpus = open_gpus(LIBRARY, "1xH100:numa=0", NULL);
	struct host_gpu_state now;

	host_gpus_read(gpus, 0, &now);
	auto_json json_t *facts = host_gpu_to_json(host_gpus_facts(gpus, 0), NULL);
	auto_json json_t *both = host_gpu_to_json(host_gpus_facts(gpus, 0), &now);
	assert_int_equal(json_object_size(facts), 16);
	assert_int_equal(json_object_size(both), 30);
	assert_true(json_is_integer(json_object_get(both, "memory_bytes")));
	assert_true(json_is_null(json_object_get(both, "mig_parent")));
	assert_true(json_is_true(json_object_get(both, "simulated")));
	assert_true(json_is_array(json_object_get(both, "throttle")));
}

#define TEST(name) cmocka_unit_test_setup(name, clear_environment)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_facts),
		TEST(test_state),
		TEST(test_throttle_words),
		TEST(test_processes),
		TEST(test_more_processes_than_first_asked_for),
		TEST(test_mig),
		TEST(test_old_library),
		TEST(test_unreported_values),
		TEST(test_shared_memory_gpu),
		TEST(test_open_faults),
		TEST(test_no_gpu),
		TEST(test_two_at_once),
		TEST(test_two_threads),
		TEST(test_json_names_every_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
