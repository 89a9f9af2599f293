/*
 * Any bytes as a file of dataset hf: records of one class, or settings that choose files. The low two bits of the first
 * byte choose the form, the others the class and the order. Each entry has a prompt, or one error names the file.
 */
#include "bench/data/hf/hf_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../scratch.h"

#define ENTRIES_MAX 5000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static const char *const names[] = {
	"likaixin/InstructCoder", "philschmid/mt-bench",
	"openai/gsm8k",           "Aeala/ShareGPT_Vicuna_unfiltered",
	"AI-MO/NuminaMath-CoT",   "zed-industries/zeta",
	"vdaita/edit_5k_char",    "mgoin/mlperf-inference-llama2-data",
};

static void read_entries(const struct vllm_bench *bench, const struct hf_class *class,
			 const struct pl_strv *files)
{
	PL_AUTO(bench_hf_order_free)
	struct hf_order *order = bench_hf_order_new(files, class, bench);
	struct pl_err err = PL_ERR_INIT;
	struct bench_entry entry;

	for (int i = 0; i < ENTRIES_MAX; i++) {
		int status = bench_hf_order_next(order, &entry, &err);
		if (status < 0)
			must(strstr(err.text, scratch_path()) != NULL);
		if (status != 1)
			return;
		must(entry.prompt != NULL);
		must(!(class->traits & HF_MEASURED) || entry.completion != NULL);
		free(entry.prompt);
		free(entry.completion);
		free(entry.system);
	}
}

/* Puts the bytes where the form has them, and returns the path of the dataset. */
static const char *place(unsigned form, const uint8_t *data, size_t size)
{
	static const char record[] = "{\"question\": \"a\"}\n";
	static char folder[160];

	if (form == 0)
		return scratch_write("x.json", data, size);
	if (form == 1)
		return scratch_write("x.csv", data, size);
	snprintf(folder, sizeof(folder), "%s/set", scratch_path());
	(void)mkdir(folder, 0700);
	scratch_write("set/train.jsonl", record, sizeof(record) - 1);
	scratch_write("set/other.jsonl", record, sizeof(record) - 1);
	scratch_write(form == 2 ? "set/README.md" : "set/state.json", data, size);
	return folder;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct hf_class *class;
	auto_strv files = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (size == 0)
		return 0;
	unsigned form = data[0] & 3;
	struct vllm_bench bench = {
		.hf_name = (char *)names[data[0] >> 2 & 7],
		.hf_split = (char *)"train",
		.no_stream = (data[0] & 32) != 0,
		.disable_shuffle = (data[0] & 64) != 0,
		.blazedit_max_distance = 1,
	};
	bench.dataset_path = (char *)place(form, data + 1, size - 1);
	must(bench_hf_class_find(bench.hf_name, &class, &err) == 0);
	if (bench_hf_find(&bench, class->split, &files, &err) < 0)
		must(form >= 2);
	else
		read_entries(&bench, class, &files);
	if (form >= 2)
		scratch_remove_one(
			scratch_write(form == 2 ? "set/README.md" : "set/state.json", "", 0), NULL,
			0, NULL);
	return 0;
}
