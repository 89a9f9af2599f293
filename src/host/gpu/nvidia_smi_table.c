#include "host/gpu/nvidia_smi_priv.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/*
 * The table for people:
 *
 *   | NVIDIA-SMI 580.159.03    Driver Version: 580.159.03     CUDA Version: 13.0 |
 *   |   0  NVIDIA GB10                 On  |   0000000F:01:00.0 Off |        N/A |   line 1 of a
 *   GPU
 *   | N/A   46C    P0          10W /  N/A  | Not Supported          |  0% Default |   line 2
 *   |                                      |                        |         N/A |   line 3: MIG
 *   | MIG devices: |  …  |  0  9  0  0  |  6MiB /  9728MiB | …
 *   | Processes:  |  …  |  0  N/A N/A  329657  G  /usr/lib/xorg/Xorg  43MiB |
 *
 * Drivers up to 440 have no line 3 and no GI and CI among the processes.
 */

#define WORDS_MAX 64

enum part { PART_GPUS, PART_MIG, PART_PROCESSES };

struct words {
	char *at[WORDS_MAX];
	size_t count;
};

struct table {
	struct host_gpus *gpus;
	enum part part;
	size_t gpu_line;        /* of the GPU that is read: 0 none, 1 its first was read, … */
	size_t gpu;             /* its place */
	bool process_instances; /* GI and CI stand before the PID */
};

static void split(char *text, const char *ends, struct words *ret)
{
	char *state = NULL;

	ret->count = 0;
	for (char *word = strtok_r(text, ends, &state); word != NULL && ret->count < WORDS_MAX;
	     word = strtok_r(NULL, ends, &state))
		ret->at[ret->count++] = word;
}

static bool is_number(const char *text)
{
	return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* What stands behind `label` up to the next blank. */
static char *value_behind(const char *line, const char *label)
{
	const char *at = strstr(line, label);

	if (at == NULL)
		return NULL;
	at += strlen(label);
	at += strspn(at, " ");
	return pl_strndup(at, strcspn(at, " |"));
}

bool host_smi_is_table(const char *line)
{
	return line[0] == '|' && strstr(line, "NVIDIA-SMI ") != NULL;
}

/* ---- GPUs ---------------------------------------------------------------- */

/* The number, the name's words, then "On", "Off" or a driver model. */
static bool read_first(struct table *table, struct words *left, struct words *middle,
		       const char *right)
{
	if (left->count < 3 || !is_number(left->at[0]) || middle->count < 1 ||
	    strchr(middle->at[0], ':') == NULL)
		return false;
	struct host_gpu_look *look = host_gpus_add(table->gpus);
	auto_buf name = { 0 };
	pl_buf_init(&name, 4096);
	for (size_t i = 1; i + 1 < left->count; i++)
		pl_buf_addf(&name, "%s%s", i > 1 ? " " : "", left->at[i]);
	host_smi_set_text(&look->facts.name, pl_buf_text(&name));
	host_smi_set_text(&look->facts.pci_bus_id, middle->at[0]);
	host_smi_set_int(&look->facts.index, left->at[0]);
	look->state.ecc_uncorrected = host_smi_number(right);
	if (is_number(right) || strcmp(right, "Off") == 0) {
		look->facts.ecc = is_number(right);
		look->facts.ecc_told = true;
	}
	table->gpu = table->gpus->count - 1;
	table->gpu_line = 1;
	return true;
}

/* "35W / 250W": the words on both sides of the slash. */
static void read_pair(const struct words *words, const char *unit, double *ret_used,
		      double *ret_total)
{
	double (*read)(const char *) = strcmp(unit, "W") == 0 ? host_smi_number : host_smi_bytes;

	for (size_t i = 1; i + 1 < words->count; i++) {
		if (strcmp(words->at[i], "/") != 0)
			continue;
		*ret_used = read(words->at[i - 1]);
		*ret_total = read(words->at[i + 1]);
	}
}

static void read_second(struct table *table, const struct words *left, const struct words *middle,
			const struct words *right)
{
	struct host_gpu_look *look = &table->gpus->looks[table->gpu];

	for (size_t i = 0; i < left->count; i++) {
		if (pl_text_ends(left->at[i], "C") && isdigit((unsigned char)left->at[i][0]))
			look->state.temperature_c = host_smi_number(left->at[i]);
	}
	read_pair(left, "W", &look->state.power_w, &look->facts.power_limit_w);
	read_pair(middle, "MiB", &look->state.memory_used_bytes, &look->facts.memory_bytes);
	if (right->count > 0 && pl_text_ends(right->at[0], "%"))
		look->state.utilization = host_smi_number(right->at[0]) / 100;
	table->gpu_line = 2;
}

static void read_third(struct table *table, const struct words *right)
{
	struct host_gpu_facts *facts = &table->gpus->looks[table->gpu].facts;

	if (right->count == 1 &&
	    (strcmp(right->at[0], "Enabled") == 0 || strcmp(right->at[0], "Disabled") == 0)) {
		facts->mig = strcmp(right->at[0], "Enabled") == 0;
		facts->mig_told = true;
	}
	table->gpu_line = 0;
}

static void read_gpu_line(struct table *table, struct words *cells)
{
	struct words words[3];
	auto_free char *right = NULL;

	if (cells->count != 3)
		return;
	right = pl_strdup(pl_text_trim(cells->at[2]));
	for (size_t i = 0; i < 3; i++)
		split(cells->at[i], " ", &words[i]);
	if (read_first(table, &words[0], &words[1], right))
		return;
	if (table->gpu_line == 1)
		read_second(table, &words[0], &words[1], &words[2]);
	else if (table->gpu_line == 2)
		read_third(table, &words[2]);
}

/* ---- instances and processes --------------------------------------------- */

static struct host_gpu_look *find_gpu(struct table *table, const char *index)
{
	struct host_gpus *gpus = table->gpus;
	int number = -1;

	host_smi_set_int(&number, index);
	for (size_t i = 0; i < gpus->count; i++) {
		if (gpus->looks[i].facts.index == number && gpus->looks[i].facts.mig_index < 0)
			return &gpus->looks[i];
	}
	return NULL;
}

/* "0 9 0 2 | 6MiB / 9728MiB | …": GPU, GI, CI, number on the GPU */
static void read_instance(struct table *table, struct words *cells)
{
	struct words ids;
	struct words memory;
	const struct host_gpu_look *gpu;

	if (cells->count < 2)
		return;
	split(cells->at[0], " ", &ids);
	split(cells->at[1], " ", &memory);
	if (ids.count != 4 || !is_number(ids.at[0]) || !is_number(ids.at[3]))
		return;
	gpu = find_gpu(table, ids.at[0]);
	if (gpu == NULL)
		return;
	size_t parent = (size_t)(gpu - table->gpus->looks);
	struct host_gpu_look *look = host_gpus_add(table->gpus);
	const struct host_gpu_facts *whole = &table->gpus->looks[parent].facts;
	look->facts.index = whole->index;
	look->facts.mig_told = true;
	look->facts.name = pl_strdup(whole->name);
	look->facts.pci_bus_id = pl_strdup(whole->pci_bus_id);
	host_smi_set_int(&look->facts.mig_index, ids.at[3]);
	read_pair(&memory, "MiB", &look->state.memory_used_bytes, &look->facts.memory_bytes);
}

/* "0 N/A N/A 329657 G /usr/lib/xorg/Xorg 43MiB": the name may have blanks. */
static void read_process(struct table *table, char *text)
{
	struct words words;
	auto_buf name = { 0 };

	split(text, " |", &words);
	size_t pid = table->process_instances ? 3 : 1;
	if (words.count < pid + 3 || !is_number(words.at[0]) || !is_number(words.at[pid]))
		return;
	struct host_gpu_look *look = find_gpu(table, words.at[0]);
	if (look == NULL || strlen(words.at[pid]) > 15)
		return;
	pl_buf_init(&name, 4096);
	for (size_t i = pid + 2; i + 1 < words.count; i++)
		pl_buf_addf(&name, "%s%s", i > pid + 2 ? " " : "", words.at[i]);
	host_gpu_add_process(
		look, strtoll(words.at[pid], NULL, 10), host_smi_bytes(words.at[words.count - 1]),
		host_smi_text(pl_buf_text(&name)), host_smi_is_compute(words.at[pid + 1]));
}

/* ---- lines --------------------------------------------------------------- */

static void begin_processes(struct table *table)
{
	table->part = PART_PROCESSES;
	for (size_t i = 0; i < table->gpus->count; i++)
		table->gpus->looks[i].processes_told = table->gpus->looks[i].facts.mig_index < 0;
}

static void read_line(struct table *table, char *line)
{
	struct words cells;

	if (strstr(line, "Processes:") != NULL) {
		begin_processes(table);
	} else if (strstr(line, "MIG devices:") != NULL) {
		table->part = PART_MIG;
	} else if (table->part == PART_PROCESSES) {
		if (strstr(line, " GI ") != NULL)
			table->process_instances = true;
		read_process(table, line);
	} else {
		split(line, "|", &cells);
		if (table->part == PART_GPUS)
			read_gpu_line(table, &cells);
		else
			read_instance(table, &cells);
	}
}

static int compare_places(const void *a, const void *b)
{
	const struct host_gpu_facts *one = &((const struct host_gpu_look *)a)->facts;
	const struct host_gpu_facts *other = &((const struct host_gpu_look *)b)->facts;

	if (one->index != other->index)
		return one->index < other->index ? -1 : 1;
	return (one->mig_index > other->mig_index) - (one->mig_index < other->mig_index);
}

int host_smi_parse_table(const char *first, struct host_smi_lines *lines, struct host_gpus *gpus,
			 struct pl_err *err)
{
	struct table table = { .gpus = gpus };
	auto_free char *driver = value_behind(first, "Driver Version:");
	auto_free char *cuda = value_behind(first, "CUDA Version:");
	bool ended = false;

	/* what drivers from 610 on call them */
	if (driver == NULL)
		driver = value_behind(first, "KMD Version:");
	if (cuda == NULL)
		cuda = value_behind(first, "CUDA UMD Version:");
	if (driver != NULL)
		host_smi_set_text(&gpus->driver, driver);
	if (cuda != NULL)
		host_smi_set_text(&gpus->cuda, cuda);
	for (;;) {
		auto_free char *line = host_smi_next_line(lines);
		if (line == NULL)
			break;
		/* blank lines part GPUs, instances and processes; the list of processes is the
		 * last */
		ended = line[0] == '+' && table.part == PART_PROCESSES;
		if (ended || (line[0] != '|' && line[0] != '+' && line[0] != '\0'))
			break;
		if (line[0] == '|')
			read_line(&table, line);
	}
	if (gpus->count == 0)
		return pl_err_set(err, PL_ERR_INVALID, "'%s': line %zu: a table without a GPU",
				  lines->source, lines->number);
	/* instances behind their GPU: the table has them in a part of their own */
	qsort(gpus->looks, gpus->count, sizeof(*gpus->looks), compare_places);
	return 0;
}
