#include "checkpoint/hardware.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/text.h"

static void test_hardware__names_and_counts(void **state)
{
	static const struct {
		const char *text;
		const char *name;
		int64_t count;
	} rows[] = {
		{ "h100", "h100", 1 },           { "H100x8", "h100", 8 },
		{ "8xH100", "h100", 8 },         { "h100:2", "h100", 2 },
		{ "h100-pcie", "h100-pcie", 1 }, { "h100_pcie x4", "h100-pcie", 4 },
		{ "A100 80GB", "a100", 1 },      { "a100-40x2", "a100-40gb", 2 },
		{ "mi300x", "mi300x", 1 },       { "mi300x8", "mi300x", 8 },
		{ "mi300xx8", "mi300x", 8 },     { "8xmi355x", "mi355x", 8 },
		{ "4090", "rtx4090", 1 },        { "rtx-4090x2", "rtx4090", 2 },
		{ "l40sx4096", "l40s", 4096 },   { "2x4090", "rtx4090", 2 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct ckpt_hardware hardware;
		struct pl_err err = PL_ERR_INIT;
		if (ckpt_hardware_find(rows[i].text, &hardware, &err) < 0)
			fail_msg("%s", err.text);
		assert_string_equal(hardware.gpu.name, rows[i].name);
		assert_int_equal(hardware.count, rows[i].count);
	}
}

static void test_hardware__refusals_name_the_nearest(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} rows[] = {
		{ "h101", "did you mean 'h100'?" },
		{ "h1000x8", "did you mean 'h100'?" },
		{ "h100x0", "expected 1 to 4096" },
		{ "h100x4097", "expected 1 to 4096" },
		{ "", "unknown hardware" },
		{ "x8", "unknown hardware" },
		{ "abacus", "--hardware list" },
		{ "h100x99999999999999999999", "expected 1 to 4096" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct ckpt_hardware hardware = { .count = 77 };
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(ckpt_hardware_find(rows[i].text, &hardware, &err), -1);
		assert_int_equal(err.code, PL_ERR_INVALID);
		assert_int_equal(hardware.count, 77);
		if (strstr(err.text, rows[i].says) == NULL)
			fail_msg("'%s' does not say '%s'", err.text, rows[i].says);
	}
}

/* Each row is found by its name, its aliases and its titles, and by no other row's. */
static void test_hardware__rows_are_apart(void **state)
{
	(void)state;
	for (size_t i = 0; i < ckpt_gpu_count(); i++) {
		const struct ckpt_gpu *gpu = ckpt_gpu_at(i);
		struct ckpt_hardware hardware;
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(ckpt_hardware_find(gpu->name, &hardware, &err), 0);
		assert_string_equal(hardware.gpu.name, gpu->name);
		auto_free char *title = pl_strndup(gpu->titles, strcspn(gpu->titles, "|"));
		assert_ptr_equal(ckpt_gpu_find_title(title), gpu);
		auto_free char *aliases = pl_strdup(gpu->aliases);
		for (char *at = strtok(aliases, " "); at != NULL; at = strtok(NULL, " ")) {
			assert_int_equal(ckpt_hardware_find(at, &hardware, &err), 0);
			assert_string_equal(hardware.gpu.name, gpu->name);
		}
		assert_true(gpu->memory_bytes > (int64_t)10 << 30);
		assert_true(gpu->bandwidth_bytes_per_s > 2e11 && gpu->bandwidth_bytes_per_s < 1e13);
		assert_true(gpu->bf16_flops > 5e13 && gpu->bf16_flops < 1e16);
		assert_int_equal(strcmp(gpu->platform, "cuda") == 0, gpu->capability > 0);
		assert_false(gpu->large && gpu->memory_bytes < (int64_t)70 << 30);
		assert_false(gpu->large && pl_text_starts(gpu->name, "a100"));
		if (i > 0)
			assert_true(strcmp(ckpt_gpu_at(i - 1)->name, gpu->name) < 0);
	}
}

static void test_hardware__titles_of_drivers(void **state)
{
	(void)state;
	assert_string_equal(ckpt_gpu_find_title("NVIDIA H100 80GB HBM3")->name, "h100");
	assert_string_equal(ckpt_gpu_find_title("NVIDIA L40S")->name, "l40s");
	assert_string_equal(ckpt_gpu_find_title("NVIDIA A10G")->name, "a10g");
	assert_string_equal(ckpt_gpu_find_title("NVIDIA H200 NVL")->name, "h200-nvl");
	assert_string_equal(ckpt_gpu_find_title("AMD Instinct MI300X OAM")->name, "mi300x");
	assert_null(ckpt_gpu_find_title("NVIDIA A1"));
	assert_null(ckpt_gpu_find_title(""));
}

static void test_hardware__from_a_host(void **state)
{
	struct ckpt_hardware hardware;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(ckpt_hardware_from_host("NVIDIA L4", 24 << 20, "cuda", 3, &hardware, &err),
			 0);
	assert_int_equal(hardware.gpu.capability, 89);
	assert_int_equal(hardware.gpu.memory_bytes, 24 << 20);
	assert_int_equal(hardware.count, 3);
	assert_int_equal(
		ckpt_hardware_from_host("Some GPU", (int64_t)96 << 30, "cuda", 1, &hardware, &err),
		0);
	assert_true(hardware.gpu.large);
	assert_int_equal(ckpt_hardware_from_host("Some GPU", 0, "cuda", 1, &hardware, &err), -1);
	assert_int_equal(err.code, PL_ERR_NOT_FOUND);
}

static void test_hardware__lists(void **state)
{
	auto_json json_t *json = ckpt_hardware_to_json();
	auto_buf text = { 0 };

	(void)state;
	pl_buf_init(&text, 1 << 16);
	assert_int_equal(json_array_size(json), ckpt_gpu_count());
	ckpt_hardware_text(&text);
	for (size_t i = 0; i < ckpt_gpu_count(); i++) {
		const json_t *row = json_array_get(json, i);
		assert_string_equal(json_string_value(json_object_get(row, "name")),
				    ckpt_gpu_at(i)->name);
		assert_non_null(strstr(pl_buf_text(&text), ckpt_gpu_at(i)->name));
	}
}

/* The reference page has each row's figures. */
static void test_hardware__reference_page(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	auto_free char *page = NULL;
	size_t len;

	(void)state;
	assert_int_equal(pl_file_read(PROFLLM_SOURCE_DIR "/docs/reference/hardware.md", 1 << 20,
				      &page, &len, &err),
			 0);
	for (size_t i = 0; i < ckpt_gpu_count(); i++) {
		const struct ckpt_gpu *gpu = ckpt_gpu_at(i);
		char capability[16] = "-";
		if (gpu->capability > 0)
			snprintf(capability, sizeof(capability), "%d.%d", gpu->capability / 10,
				 gpu->capability % 10);
		auto_free char *row = pl_asprintf(
			"| %s | %s | %.1f | %s | %s | %.0f | %.1f | %s |\n", gpu->name,
			gpu->aliases, (double)gpu->memory_bytes / (1 << 30), gpu->platform,
			capability, gpu->bandwidth_bytes_per_s / 1e9, gpu->bf16_flops / 1e12,
			gpu->large ? "large" : "");
		if (strstr(page, row) == NULL)
			fail_msg("docs/reference/hardware.md lacks: %s", row);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hardware__names_and_counts),
		cmocka_unit_test(test_hardware__refusals_name_the_nearest),
		cmocka_unit_test(test_hardware__rows_are_apart),
		cmocka_unit_test(test_hardware__titles_of_drivers),
		cmocka_unit_test(test_hardware__from_a_host),
		cmocka_unit_test(test_hardware__lists),
		cmocka_unit_test(test_hardware__reference_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
