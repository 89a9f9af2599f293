#include "host/gpu/nvidia_smi.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"

#define FIXTURES PROFLLM_SOURCE_DIR "/tests/fuzz/corpus/host/gpu/nvidia_smi/"
#define MIB      (1024.0 * 1024.0)
#define GIB      (1024.0 * MIB)

static struct host_gpus *read_fixture(const char *name)
{
	auto_free char *path = pl_asprintf(FIXTURES "%s", name);
	auto_free char *text = NULL;
	struct pl_err err = PL_ERR_INIT;
	struct host_gpus *gpus = NULL;
	size_t len;

	if (pl_file_read(path, 1 << 20, &text, &len, &err) < 0 ||
	    host_gpus_from_text(text, len, name, &gpus, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(host_gpus_source(gpus), HOST_GPU_NVIDIA_SMI);
	return gpus;
}

static struct host_gpus *read_text(const char *text)
{
	struct pl_err err = PL_ERR_INIT;
	struct host_gpus *gpus = NULL;

	if (host_gpus_from_text(text, strlen(text), "text", &gpus, &err) < 0)
		fail_msg("%s", err.text);
	return gpus;
}

static struct host_gpu_state state_of(struct host_gpus *gpus, size_t i)
{
	struct host_gpu_state now;

	host_gpus_read(gpus, i, &now);
	return now;
}

static void test_xml(void **state)
{
	(void)state;
	auto_gpus struct host_gpus *gpus = read_fixture("two_gpus_mig.xml");

	assert_string_equal(host_gpus_driver(gpus), "570.10");
	assert_string_equal(host_gpus_cuda(gpus), "12.8");
	assert_int_equal(host_gpus_count(gpus), 4);
	const struct host_gpu_facts *facts = host_gpus_facts(gpus, 0);
	assert_string_equal(facts->name, "Made Up 80 & More");
	assert_string_equal(facts->uuid, "GPU-aaaaaaaa-0000-0000-0000-000000000001");
	assert_string_equal(facts->pci_bus_id, "00000000:17:00.0");
	assert_int_equal(facts->index, 0);
	assert_true(facts->memory_bytes == 80 * GIB);
	assert_true(facts->power_limit_w == 300);
	assert_int_equal(facts->pcie_generation, 5);
	assert_int_equal(facts->pcie_lanes, 16);
	assert_true(facts->ecc && facts->ecc_told && facts->mig && facts->mig_told);
	assert_false(facts->simulated);
	/* not in this form */
	assert_true(isnan(facts->compute_capability));
	assert_int_equal(facts->numa_node, -1);

	struct host_gpu_state now = state_of(gpus, 0);
	assert_true(now.memory_used_bytes == 1037 * MIB);
	assert_true(isnan(now.utilization));
	assert_true(now.power_w == 251.5);
	assert_true(now.temperature_c == 61);
	assert_true(now.sm_clock_mhz == 1410);
	assert_true(now.memory_clock_mhz == 1593);
	assert_true(now.pcie_rx_bytes_per_s == 2e6 && now.pcie_tx_bytes_per_s == 1e6);
	assert_true(now.ecc_uncorrected == 7);
	assert_int_equal(now.throttle, HOST_GPU_THROTTLE_POWER | HOST_GPU_THROTTLE_THERMAL);
}

static void test_xml_instances_and_older_names(void **state)
{
	(void)state;
	auto_gpus struct host_gpus *gpus = read_fixture("two_gpus_mig.xml");

	const struct host_gpu_facts *facts = host_gpus_facts(gpus, 2);
	assert_int_equal(facts->index, 0);
	assert_int_equal(facts->mig_index, 1);
	assert_string_equal(facts->mig_parent, "GPU-aaaaaaaa-0000-0000-0000-000000000001");
	assert_true(facts->memory_bytes == 9728 * MIB);
	assert_true(state_of(gpus, 2).memory_used_bytes == GIB);

	facts = host_gpus_facts(gpus, 3);
	assert_int_equal(facts->index, 1);
	assert_int_equal(facts->mig_index, -1);
	assert_false(facts->mig_told || facts->ecc_told);
	assert_true(facts->memory_bytes == 16 * GIB);
	assert_true(facts->power_limit_w == 225);
	assert_true(state_of(gpus, 3).power_w == 25.25);
	assert_true(state_of(gpus, 3).ecc_uncorrected == 3);
	assert_int_equal(state_of(gpus, 3).throttle, HOST_GPU_THROTTLE_IDLE);
}

static void test_xml_processes(void **state)
{
	struct host_gpu_process *list;
	size_t count;

	(void)state;
	auto_gpus struct host_gpus *gpus = read_fixture("two_gpus_mig.xml");
	assert_int_equal(host_gpus_processes(gpus, 0, &list, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(list[0].pid, 4321);
	assert_string_equal(list[0].name, "/opt/a <b>");
	assert_true(list[0].memory_bytes == 1000 * MIB);
	assert_true(list[0].compute);
	assert_null(list[1].name);
	assert_true(isnan(list[1].memory_bytes));
	assert_false(list[1].compute);
	host_gpu_processes_free(list, count);
	/* the second GPU has no list at all */
	assert_int_equal(host_gpus_processes(gpus, 3, &list, &count), -1);
}

static void test_xml_of_some_gpus(void **state)
{
	(void)state;
	auto_gpus struct host_gpus *gpus = read_text(
		"<nvidia_smi_log><attached_gpus>4</attached_gpus>"
		"<gpu><product_name>A&#39;s &#228; &#x;</product_name></gpu></nvidia_smi_log>\n");

	assert_int_equal(host_gpus_count(gpus), 1);
	assert_int_equal(host_gpus_facts(gpus, 0)->index, -1);
	assert_string_equal(host_gpus_facts(gpus, 0)->name, "A's ? ?");
}

static void test_csv_looks_without_index(void **state)
{
	struct host_gpu_process *list;
	size_t count;

	(void)state;
	auto_gpus struct host_gpus *gpus = read_fixture("looks.csv");
	assert_null(host_gpus_driver(gpus));
	assert_int_equal(host_gpus_count(gpus), 2);
	assert_int_equal(host_gpus_facts(gpus, 1)->index, -1);
	assert_string_equal(host_gpus_facts(gpus, 1)->name, "Made Up Two");
	assert_true(host_gpus_facts(gpus, 1)->memory_bytes == 2000 * MIB);
	struct host_gpu_state now = state_of(gpus, 0);
	assert_true(now.memory_used_bytes == 300 * MIB);
	assert_true(fabs(now.utilization - 0.3) < 1e-12);
	assert_true(now.power_w == 70);
	assert_int_equal(now.throttle, HOST_GPU_THROTTLE_POWER);
	now = state_of(gpus, 1);
	assert_true(isnan(now.power_w));
	assert_int_equal(now.throttle, 0);
	assert_int_equal(host_gpus_processes(gpus, 0, &list, &count), -1);
}

static void test_csv_by_uuid_without_units(void **state)
{
	(void)state;
	auto_gpus struct host_gpus *gpus = read_fixture("indexed_nounits.csv");

	assert_string_equal(host_gpus_driver(gpus), "550.1");
	assert_int_equal(host_gpus_count(gpus), 2);
	assert_null(host_gpus_facts(gpus, 0)->name);
	assert_true(host_gpus_facts(gpus, 0)->memory_bytes == 24564 * MIB);
	assert_true(fabs(host_gpus_facts(gpus, 0)->compute_capability - 8.9) < 1e-12);
	assert_true(state_of(gpus, 0).memory_used_bytes == 100 * MIB);
	assert_int_equal(state_of(gpus, 0).throttle, HOST_GPU_THROTTLE_BRAKE);
	assert_int_equal(state_of(gpus, 1).throttle, -1);
}

static void test_csv_without_stamps_is_one_look(void **state)
{
	(void)state;
	auto_gpus struct host_gpus *gpus = read_text(
		"name, memory.total [MiB]\r\nA, 10 MiB\r\nB, 20 MiB\r\n");

	assert_int_equal(host_gpus_count(gpus), 2);
	assert_string_equal(host_gpus_facts(gpus, 0)->name, "A");
	assert_true(host_gpus_facts(gpus, 1)->memory_bytes == 20 * MIB);
}

static void test_table(void **state)
{
	struct host_gpu_process *list;
	size_t count;

	(void)state;
	auto_gpus struct host_gpus *gpus = read_fixture("table_mig.txt");
	assert_string_equal(host_gpus_driver(gpus), "570.10");
	assert_string_equal(host_gpus_cuda(gpus), "12.8");
	assert_int_equal(host_gpus_count(gpus), 4);
	const struct host_gpu_facts *facts = host_gpus_facts(gpus, 0);
	assert_string_equal(facts->name, "Made Up A 80GB ...");
	assert_true(facts->mig && facts->mig_told && !facts->ecc_told);
	assert_true(facts->memory_bytes == 80 * GIB && facts->power_limit_w == 300);
	assert_true(state_of(gpus, 0).power_w == 251 && state_of(gpus, 0).temperature_c == 61);
	assert_true(isnan(state_of(gpus, 0).utilization));
	/* the instances follow their GPU */
	assert_int_equal(host_gpus_facts(gpus, 1)->mig_index, 0);
	assert_int_equal(host_gpus_facts(gpus, 2)->mig_index, 1);
	assert_true(host_gpus_facts(gpus, 2)->memory_bytes == 9728 * MIB);
	assert_true(state_of(gpus, 2).memory_used_bytes == GIB);
	facts = host_gpus_facts(gpus, 3);
	assert_int_equal(facts->index, 1);
	assert_string_equal(facts->name, "Made Up B");
	assert_true(facts->ecc && facts->ecc_told && !facts->mig && facts->mig_told);
	assert_true(isnan(facts->power_limit_w));
	assert_true(state_of(gpus, 3).ecc_uncorrected == 2);
	assert_true(fabs(state_of(gpus, 3).utilization - 0.37) < 1e-12);

	assert_int_equal(host_gpus_processes(gpus, 0, &list, &count), 0);
	assert_int_equal(count, 1);
	assert_string_equal(list[0].name, "python3 with blanks");
	assert_true(list[0].memory_bytes == 1000 * MIB && list[0].compute);
	host_gpu_processes_free(list, count);
	assert_int_equal(host_gpus_processes(gpus, 3, &list, &count), 0);
	assert_int_equal(count, 1);
	assert_true(list[0].compute && isnan(list[0].memory_bytes));
	host_gpu_processes_free(list, count);
}

/* A driver whose table has two lines a GPU and no instances. */
static void check_old_table(struct host_gpus *gpus)
{
	struct host_gpu_process *list;
	size_t count;

	assert_string_equal(host_gpus_driver(gpus), "418.00");
	assert_int_equal(host_gpus_count(gpus), 1);
	const struct host_gpu_facts *facts = host_gpus_facts(gpus, 0);
	assert_string_equal(facts->name, "Old Kind");
	assert_string_equal(facts->pci_bus_id, "00000000:03:00.0");
	assert_true(!facts->ecc && facts->ecc_told && !facts->mig_told);
	assert_true(facts->memory_bytes == 8119 * MIB);
	assert_int_equal(host_gpus_processes(gpus, 0, &list, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(list[0].pid, 1234);
	assert_string_equal(list[0].name, "python");
	host_gpu_processes_free(list, count);
}

static void test_old_table(void **state)
{
	(void)state;
	auto_gpus struct host_gpus *gpus = read_fixture("table_old.txt");

	check_old_table(gpus);
}

static void test_json_with_stdout(void **state)
{
	(void)state;
	auto_gpus struct host_gpus *gpus = read_fixture("wrapped.json");

	check_old_table(gpus);
	/* of the query, whose columns stand in its command */
	assert_true(fabs(host_gpus_facts(gpus, 0)->compute_capability - 6.1) < 1e-12);
	auto_gpus struct host_gpus *tail = read_fixture("wrapped_tail.json");
	check_old_table(tail);
}

static void test_capture_of_two_looks(void **state)
{
	struct host_gpu_process *list;
	size_t count;

	(void)state;
	auto_gpus struct host_gpus *gpus = read_fixture("capture.txt");
	assert_int_equal(host_gpus_count(gpus), 1);
	assert_string_equal(host_gpus_facts(gpus, 0)->uuid,
			    "GPU-cccccccc-0000-0000-0000-000000000000");
	assert_true(state_of(gpus, 0).memory_used_bytes == 900 * MIB);
	/* told in the first look only */
	assert_true(isnan(state_of(gpus, 0).power_w));
	assert_int_equal(host_gpus_processes(gpus, 0, &list, &count), 0);
	assert_int_equal(count, 2);
	assert_string_equal(list[0].name, "second");
	assert_null(list[1].name);
	host_gpu_processes_free(list, count);
}

static void test_names_of_newer_drivers(void **state)
{
	static const char table[] =
		"| NVIDIA-SMI 610.1    KMD Version: 610.2     CUDA UMD Version: 13.3     |\n"
		"|   0  Made Up          On  |   00000000:01:00.0 Off |                  N/A |\n"
		"| N/A   46C    P0   10W / N/A | 1MiB / 2MiB | 0%      Default |\n";

	(void)state;
	auto_gpus struct host_gpus *gpus = read_text(table);
	assert_string_equal(host_gpus_driver(gpus), "610.2");
	assert_string_equal(host_gpus_cuda(gpus), "13.3");
	auto_gpus struct host_gpus *csv = read_text("index, kmd_version\n0, 610.2\n");
	assert_string_equal(host_gpus_driver(csv), "610.2");
}

static void test_no_devices(void **state)
{
	(void)state;
	auto_gpus struct host_gpus *gpus = read_fixture("none.txt");

	assert_int_equal(host_gpus_count(gpus), 0);
	assert_string_equal(host_gpus_why(gpus), "'none.txt' names no GPU");
}

static void test_names_are_cleaned(void **state)
{
	(void)state;
	auto_gpus struct host_gpus *gpus = read_text(
		"name, index\nfine \xc3\xa4, 0\nbad \xff\x1b[31m, 1\n");

	assert_string_equal(host_gpus_facts(gpus, 0)->name, "fine \xc3\xa4");
	assert_string_equal(host_gpus_facts(gpus, 1)->name, "bad ??[31m");
}

static void test_faults(void **state)
{
	static const struct {
		const char *text;
		const char *error;
	} cases[] = {
		{ "", "'x': found nothing that nvidia-smi prints" },
		{ "hello\nworld\n", "'x': found nothing that nvidia-smi prints" },
		{ "{\"a\": 1}", "'x': found no \"stdout\" with what nvidia-smi prints" },
		{ "{\"stdout\": \"Linux\"}",
		  "'x': found no \"stdout\" with what nvidia-smi prints" },
		{ "index, name\n0, a\n1\n", "'x': line 3: found 1 values, expected 2" },
		{ "| NVIDIA-SMI 1  Driver Version: 1 |\n", "'x': line 1: a table without a GPU" },
		{ "<html></html>", "'x': line 1: expected <nvidia_smi_log>" },
		{ "<nvidia_smi_log>\n<a>\n</b>",
		  "'x': line 3: an element is closed that is not open" },
		{ "<nvidia_smi_log>\n<a>", "'x': line 2: the text ends within the document" },
		{ "<nvidia_smi_log>&nbsp;</nvidia_smi_log>", "'x': line 1: unknown entity" },
		{ "<nvidia_smi_log a></nvidia_smi_log>",
		  "'x': line 1: expected '=' behind an attribute" },
		{ "<nvidia_smi_log/>x", "'x': line 1: text behind the document" },
		{ "<!-- x", "'x': line 1: the text ends within markup" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct pl_err err = PL_ERR_INIT;
		struct host_gpus *gpus = NULL;
		assert_int_equal(
			host_gpus_from_text(cases[i].text, strlen(cases[i].text), "x", &gpus, &err),
			-1);
		assert_string_equal(err.text, cases[i].error);
		assert_int_equal(err.code, PL_ERR_INVALID);
		assert_null(gpus);
	}
}

static void test_too_deep(void **state)
{
	auto_buf text = { 0 };
	struct pl_err err = PL_ERR_INIT;
	struct host_gpus *gpus = NULL;

	(void)state;
	pl_buf_init(&text, 65536);
	pl_buf_add_text(&text, "<nvidia_smi_log>");
	for (int i = 0; i < 100; i++)
		pl_buf_add_text(&text, "<a>");
	assert_int_equal(host_gpus_from_text(text.data, text.len, "x", &gpus, &err), -1);
	assert_string_equal(err.text, "'x': line 1: elements are too deep");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_xml),
		cmocka_unit_test(test_xml_instances_and_older_names),
		cmocka_unit_test(test_xml_processes),
		cmocka_unit_test(test_xml_of_some_gpus),
		cmocka_unit_test(test_csv_looks_without_index),
		cmocka_unit_test(test_csv_by_uuid_without_units),
		cmocka_unit_test(test_csv_without_stamps_is_one_look),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_old_table),
		cmocka_unit_test(test_json_with_stdout),
		cmocka_unit_test(test_capture_of_two_looks),
		cmocka_unit_test(test_names_of_newer_drivers),
		cmocka_unit_test(test_no_devices),
		cmocka_unit_test(test_names_are_cleaned),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_too_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
