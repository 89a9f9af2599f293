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
	assert_true(facts->ecc && facts->ecc_reported && facts->mig && facts->mig_reported);
	assert_false(facts->simulated);
	/* not in this form, and no known model */
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
	assert_false(facts->mig_reported || facts->ecc_reported);
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
		"<gpu><product_name>A&#39;s &#228; &#9;</product_name></gpu></nvidia_smi_log>\n");

	assert_int_equal(host_gpus_count(gpus), 1);
	assert_int_equal(host_gpus_facts(gpus, 0)->index, -1);
	assert_string_equal(host_gpus_facts(gpus, 0)->name, "A's \xc3\xa4");
}

static void test_names_of_newer_drivers(void **state)
{
	(void)state;
	auto_gpus struct host_gpus *gpus = read_fixture("newer_names.xml");

	assert_string_equal(host_gpus_driver(gpus), "610.2");
	assert_string_equal(host_gpus_cuda(gpus), "13.3");
	assert_int_equal(host_gpus_count(gpus), 3);
	const struct host_gpu_facts *facts = host_gpus_facts(gpus, 0);
	assert_string_equal(facts->name, "NVIDIA H200");
	assert_true(facts->compute_capability == 9.0);
	assert_true(facts->power_limit_w == 700);
	assert_false(facts->ecc);
	assert_true(facts->ecc_reported && facts->mig);
	assert_true(state_of(gpus, 0).power_w == 120.5);
	assert_int_equal(state_of(gpus, 0).throttle, HOST_GPU_THROTTLE_OTHER);
	/* an instance has a uuid of its own, but its GPU's name */
	assert_string_equal(host_gpus_facts(gpus, 1)->name, "NVIDIA H200");
	assert_int_equal(host_gpus_facts(gpus, 1)->mig_index, 0);
	assert_string_equal(host_gpus_facts(gpus, 1)->uuid,
			    "MIG-dddddddd-0000-0000-0000-000000000001");
	assert_true(host_gpus_facts(gpus, 1)->compute_capability == 9.0);
	/* not of the table, and "A10" is not the beginning of "A1000" */
	assert_string_equal(host_gpus_facts(gpus, 2)->name, "NVIDIA A1000");
	assert_true(isnan(host_gpus_facts(gpus, 2)->compute_capability));
	assert_int_equal(host_gpus_facts(gpus, 2)->index, 1);
}

/* What `nvidia-smi -q -x --dtd` prints: elements are declared, nothing is expanded. */
static void test_document_type_within(void **state)
{
	(void)state;
	auto_gpus struct host_gpus *gpus = read_fixture("dtd.xml");

	assert_int_equal(host_gpus_count(gpus), 1);
	assert_string_equal(host_gpus_facts(gpus, 0)->name, "Made Up");
}

static void test_no_devices(void **state)
{
	(void)state;
	auto_gpus struct host_gpus *gpus = read_fixture("none.txt");

	assert_int_equal(host_gpus_count(gpus), 0);
	assert_string_equal(host_gpus_why(gpus), "'none.txt' lists no GPU");
}

static void test_names_are_cleaned(void **state)
{
	(void)state;
	auto_gpus struct host_gpus *fine = read_text(
		"\n<nvidia_smi_log><gpu><product_name>fine \xc3\xa4&#10;!</product_name></gpu>"
		"</nvidia_smi_log>");
	assert_string_equal(host_gpus_facts(fine, 0)->name, "fine \xc3\xa4?!");
	/* as nvidia-smi wrote a process's name; the rest is read nevertheless */
	auto_gpus struct host_gpus *bad = read_fixture("bytes.xml");
	struct host_gpu_process *list;
	size_t count;
	assert_true(host_gpus_facts(bad, 0)->memory_bytes == 16 * GIB);
	assert_int_equal(host_gpus_processes(bad, 0, &list, &count), 0);
	assert_int_equal(count, 1);
	assert_string_equal(list[0].name, "bad ???[31m");
	assert_true(list[0].memory_bytes == 7 * MIB);
	host_gpu_processes_free(list, count);
}

static void check_fault(const char *text, size_t len, const char *error)
{
	struct pl_err err = PL_ERR_INIT;
	struct host_gpus *gpus = NULL;

	assert_int_equal(host_gpus_from_text(text, len, "x", &gpus, &err), -1);
	assert_string_equal(err.text, error);
	assert_int_equal(err.code, PL_ERR_INVALID);
	assert_null(gpus);
}

static void test_faults(void **state)
{
	static const struct {
		const char *text;
		const char *error;
	} cases[] = {
		{ "<html></html>", "'x': line 1: expected <nvidia_smi_log>" },
		{ "\n<html></html>", "'x': line 2: expected <nvidia_smi_log>" },
		{ "<nvidia_smi_log>\n<a>\n</b>", "'x': line 3: mismatched tag" },
		{ "<nvidia_smi_log>\n<a>", "'x': line 2: no element found" },
		{ "<nvidia_smi_log>&nbsp;</nvidia_smi_log>", "'x': line 1: undefined entity" },
		{ "<nvidia_smi_log>&#x;</nvidia_smi_log>",
		  "'x': line 1: not well-formed (invalid token)" },
		{ "<nvidia_smi_log a></nvidia_smi_log>",
		  "'x': line 1: not well-formed (invalid token)" },
		{ "<nvidia_smi_log/>x", "'x': line 1: junk after document element" },
		{ "<!-- x", "'x': line 1: unclosed token" },
		{ "<?xml version='1.0' encoding='none'?><nvidia_smi_log/>",
		  "'x': line 1: unknown encoding" },
		{ "<!DOCTYPE nvidia_smi_log [<!ENTITY a \"A\">]>\n<nvidia_smi_log/>",
		  "'x': line 1: found an entity, expected none to be declared" },
		{ "<!DOCTYPE nvidia_smi_log [\n<!ENTITY % a SYSTEM \"/etc/passwd\">%a;]>",
		  "'x': line 2: found an entity, expected none to be declared" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++)
		check_fault(cases[i].text, strlen(cases[i].text), cases[i].error);
	check_fault("<a\0b>", 5, "'x': found a NUL byte");
}

/* Other forms that users save in addition to XML. */
static void test_other_forms(void **state)
{
	static const struct {
		const char *text; /* or a fixture's name */
		const char *found;
	} cases[] = {
		{ "", "nothing" },
		{ " \n", "nothing" },
		{ "hello\nworld, again\n", "other text" },
		{ "index, name\n0, a\n", "CSV" },
		{ "looks.csv", "CSV" },
		{ "table.txt", "its table" },
		{ "capture.txt", "other text" },
		{ "wrapped.json", "JSON" },
		{ "[]", "JSON" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *path = pl_asprintf(FIXTURES "%s", cases[i].text);
		auto_free char *error = pl_asprintf(
			"'x': found %s, expected the XML of 'nvidia-smi -q -x'", cases[i].found);
		auto_free char *text = NULL;
		struct pl_err err = PL_ERR_INIT;
		size_t len = strlen(cases[i].text);
		if (strchr(cases[i].text, '.') == NULL)
			text = pl_strdup(cases[i].text);
		else if (pl_file_read(path, 1 << 20, &text, &len, &err) < 0)
			fail_msg("%s", err.text);
		check_fault(text, len, error);
	}
}

/* Each level ten times the one before: refused where it is declared, in no time. */
static void test_bombs(void **state)
{
	static const char *const names[] = { "bomb.xml", "outside.xml" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		auto_free char *path = pl_asprintf(FIXTURES "%s", names[i]);
		auto_free char *text = NULL;
		struct pl_err err = PL_ERR_INIT;
		size_t len;
		assert_int_equal(pl_file_read(path, 1 << 20, &text, &len, &err), 0);
		check_fault(text, len,
			    "'x': line 3: found an entity, expected none to be declared");
	}
}

/* Adds `part` `count` times after the start of the root. */
static void check_repeated(const char *part, size_t count, const char *error)
{
	auto_buf text = { 0 };

	pl_buf_init(&text, 1 << 20);
	pl_buf_add_text(&text, "<nvidia_smi_log>");
	for (size_t i = 0; i < count; i++)
		pl_buf_add_text(&text, part);
	assert_false(text.full);
	check_fault(text.data, text.len, error);
}

static void test_limits(void **state)
{
	auto_free char *name = pl_alloc(2000);

	(void)state;
	check_repeated("<a>", 100, "'x': line 1: elements are too deep");
	check_repeated("<gpu/>", 1025, "'x': line 1: too many GPUs");
	check_repeated("<gpu><mig_devices><mig_device/></mig_devices></gpu>", 513,
		       "'x': line 1: too many GPUs");
	check_repeated("text", 1025, "'x': line 1: a text is too long");
	memset(name, 'a', 1999);
	name[0] = '<';
	name[1998] = '>';
	check_repeated(name, 1, "'x': line 1: elements are too deep");
	/* within the limits as far as it goes */
	check_repeated("<gpu></gpu>", 1024, "'x': line 1: no element found");
	check_fault("<a", (size_t)HOST_GPU_TEXT_BYTES_MAX + 1, "'x': has more than 67108864 bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_xml),
		cmocka_unit_test(test_xml_instances_and_older_names),
		cmocka_unit_test(test_xml_processes),
		cmocka_unit_test(test_xml_of_some_gpus),
		cmocka_unit_test(test_names_of_newer_drivers),
		cmocka_unit_test(test_document_type_within),
		cmocka_unit_test(test_no_devices),
		cmocka_unit_test(test_names_are_cleaned),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_other_forms),
		cmocka_unit_test(test_bombs),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
