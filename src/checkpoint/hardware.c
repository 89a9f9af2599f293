/* GPUs by the names that people type and by the titles that drivers print. "h100x8", "h100:8"
 * and "8xh100" are eight. */
#include "checkpoint/hardware.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"

#define NAME_BYTES_MAX 64

static const struct ckpt_gpu gpus[] = {
#define GPU(name_, aliases_, titles_, memory_mib_, platform_, capability_, gb_per_s_, tflops_, \
	    large_)                                                                            \
	{ .name = name_,                                                                       \
	  .aliases = aliases_,                                                                 \
	  .titles = titles_,                                                                   \
	  .memory_bytes = (int64_t)(memory_mib_) << 20,                                        \
	  .platform = platform_,                                                               \
	  .capability = capability_,                                                           \
	  .bandwidth_bytes_per_s = (gb_per_s_)*1e9,                                            \
	  .bf16_flops = (tflops_)*1e12,                                                        \
	  .large = large_ },
#include "tbl/hardware.h"
#undef GPU
};

size_t ckpt_gpu_count(void)
{
	return PL_ARRAY_SIZE(gpus);
}

const struct ckpt_gpu *ckpt_gpu_at(size_t i)
{
	return &gpus[i];
}

/* Converts to lower case without separators: "RTX-4090", "rtx 4090" and "rtx4090" are one name. */
static void plain_name(const char *text, size_t len, char plain[NAME_BYTES_MAX])
{
	size_t used = 0;

	for (size_t i = 0; i < len && used + 1 < NAME_BYTES_MAX; i++) {
		if (strchr("-_ ", text[i]) == NULL)
			plain[used++] = (char)tolower((unsigned char)text[i]);
	}
	plain[used] = '\0';
}

static bool same_name(const char *plain, const char *name, size_t len)
{
	char other[NAME_BYTES_MAX];

	plain_name(name, len, other);
	return strcmp(plain, other) == 0;
}

static bool has_alias(const struct ckpt_gpu *gpu, const char *plain)
{
	for (const char *at = gpu->aliases; *at != '\0';) {
		size_t len = strcspn(at, " ");
		if (same_name(plain, at, len))
			return true;
		at += len + (at[len] == ' ');
	}
	return false;
}

static const struct ckpt_gpu *find_name(const char *text, size_t len)
{
	char plain[NAME_BYTES_MAX];

	if (len == 0 || len >= NAME_BYTES_MAX)
		return NULL;
	plain_name(text, len, plain);
	for (size_t i = 0; i < ckpt_gpu_count(); i++) {
		if (same_name(plain, gpus[i].name, strlen(gpus[i].name)) ||
		    has_alias(&gpus[i], plain))
			return &gpus[i];
	}
	return NULL;
}

/* The longest title that the text begins with: "NVIDIA H100" begins "NVIDIA H100 NVL" too. */
const struct ckpt_gpu *ckpt_gpu_find_title(const char *title)
{
	const struct ckpt_gpu *best = NULL;
	size_t best_len = 0;

	for (size_t i = 0; i < ckpt_gpu_count(); i++) {
		for (const char *at = gpus[i].titles; *at != '\0';) {
			size_t len = strcspn(at, "|");
			if (len > best_len && strncasecmp(title, at, len) == 0 &&
			    !isalnum((unsigned char)title[len])) {
				best = &gpus[i];
				best_len = len;
			}
			at += len + (at[len] == '|');
		}
	}
	return best;
}

/* "h100x8" and "h100:8": where the name ends; the length of the text where no count follows.
 * Something must stay for the name. */
static size_t name_end(const char *text)
{
	size_t len = strlen(text);
	size_t digits = len;

	while (digits > 0 && isdigit((unsigned char)text[digits - 1]))
		digits--;
	if (digits == len || digits < 2 || strchr("xX:", text[digits - 1]) == NULL)
		return len;
	return digits - 1;
}

static int refuse(const char *text, struct pl_err *err)
{
	const char *names[PL_ARRAY_SIZE(gpus)];
	auto_free char *name = pl_strndup(text, name_end(text));

	for (size_t i = 0; i < ckpt_gpu_count(); i++)
		names[i] = gpus[i].name;
	const char *nearest = pl_text_nearest(name, names, ckpt_gpu_count());
	if (nearest == NULL)
		nearest = pl_text_nearest(text, names, ckpt_gpu_count());
	if (nearest == NULL)
		return pl_err_invalid(
			err,
			"unknown hardware '%s'; 'profllm validate --hardware list' shows the known "
			"profiles",
			text);
	return pl_err_invalid(err, "unknown hardware '%s' (did you mean '%s'?)", text, nearest);
}

static int read_count(const char *text, const char *whole, int64_t *ret, struct pl_err *err)
{
	int64_t count;

	if (!pl_text_to_i64(text, &count) || count < 1 || count > CKPT_HARDWARE_COUNT_MAX)
		return pl_err_invalid(err, "hardware '%s': found %s GPUs, expected 1 to %d", whole,
				      text, CKPT_HARDWARE_COUNT_MAX);
	*ret = count;
	return 0;
}

/* The whole text first: a name may itself end as a count does ("…x2"). */
int ckpt_hardware_find(const char *text, struct ckpt_hardware *ret, struct pl_err *err)
{
	const struct ckpt_gpu *gpu = find_name(text, strlen(text));
	size_t end = name_end(text);
	size_t front = strspn(text, "0123456789");
	int64_t count = 1;

	if (gpu == NULL && end < strlen(text)) {
		gpu = find_name(text, end);
		if (gpu != NULL && read_count(text + end + 1, text, &count, err) < 0)
			return -1;
	}
	if (gpu == NULL && front > 0 && (text[front] == 'x' || text[front] == 'X')) {
		auto_free char *number = pl_strndup(text, front);
		gpu = find_name(text + front + 1, strlen(text + front + 1));
		if (gpu != NULL && read_count(number, text, &count, err) < 0)
			return -1;
	}
	if (gpu == NULL)
		return refuse(text, err);
	*ret = (struct ckpt_hardware){ .gpu = *gpu, .count = count };
	return 0;
}

/* The host's values override the row: a card may have another memory size than its title says. */
int ckpt_hardware_from_host(const char *title, int64_t memory_bytes, const char *platform,
			    int64_t count, struct ckpt_hardware *ret, struct pl_err *err)
{
	const struct ckpt_gpu *known = ckpt_gpu_find_title(title);
	struct ckpt_gpu gpu = { .name = title, .aliases = "", .titles = "" };

	if (known == NULL && (memory_bytes <= 0 || platform == NULL))
		return pl_err_set(err, PL_ERR_NOT_FOUND, "GPU '%s' is not in the hardware table",
				  title);
	if (known != NULL)
		gpu = *known;
	else
		gpu.large = memory_bytes >= (int64_t)70 << 30;
	if (memory_bytes > 0)
		gpu.memory_bytes = memory_bytes;
	if (platform != NULL)
		gpu.platform = platform;
	*ret = (struct ckpt_hardware){ .gpu = gpu, .count = count };
	return 0;
}

json_t *ckpt_hardware_to_json(void)
{
	json_t *array = json_array();

	for (size_t i = 0; i < ckpt_gpu_count(); i++) {
		const struct ckpt_gpu *gpu = &gpus[i];
		json_t *capability = gpu->capability > 0 ? json_real(gpu->capability / 10.0)
							 : json_null();
		json_array_append_new(
			array,
			json_pack("{s:s, s:o, s:I, s:s, s:o, s:f, s:f}", "name", gpu->name,
				  "aliases", pl_json_words(gpu->aliases), "memory_bytes",
				  (json_int_t)gpu->memory_bytes, "platform", gpu->platform,
				  "compute_capability", capability, "memory_bandwidth_bytes_per_s",
				  gpu->bandwidth_bytes_per_s, "bf16_flops", gpu->bf16_flops));
	}
	return array;
}

void ckpt_hardware_text(struct pl_buf *buf)
{
	pl_buf_addf(buf, "%-13s %10s  %-8s %10s %12s %12s\n", "name", "memory GiB", "platform",
		    "capability", "memory GB/s", "bf16 TFLOPS");
	for (size_t i = 0; i < ckpt_gpu_count(); i++) {
		const struct ckpt_gpu *gpu = &gpus[i];
		char capability[16] = "-";
		if (gpu->capability > 0)
			snprintf(capability, sizeof(capability), "%d.%d", gpu->capability / 10,
				 gpu->capability % 10);
		pl_buf_addf(buf, "%-13s %10.1f  %-8s %10s %12.0f %12.1f\n", gpu->name,
			    (double)gpu->memory_bytes / (double)(1 << 30), gpu->platform,
			    capability, gpu->bandwidth_bytes_per_s / 1e9, gpu->bf16_flops / 1e12);
	}
}
