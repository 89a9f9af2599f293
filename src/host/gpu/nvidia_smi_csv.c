#include "host/gpu/nvidia_smi_priv.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

#define CELLS_MAX 512
/* GPUs of one look have stamps this close; looks are further apart. */
#define LOOK_S 0.1

/* A line cut in place; the last of `max` cells holds the rest. */
struct cells {
	char *at[CELLS_MAX];
	size_t count;
};

struct csv {
	struct cells columns;
	struct host_gpus *gpus;
	struct host_smi_lines *lines;
	struct pl_err *err;
	double last_stamp_s; /* of the row before */
	size_t position;     /* in the look, where no column names the GPU */
};

static void cut(char *line, size_t max, struct cells *ret)
{
	ret->count = 0;
	for (char *rest = line; rest != NULL && ret->count < max;) {
		char *cell = rest;
		rest = ret->count + 1 < max ? strchr(rest, ',') : NULL;
		if (rest != NULL)
			*rest++ = '\0';
		ret->at[ret->count++] = pl_text_trim(cell);
	}
}

/* "memory.used [MiB]" is memory.used */
static void cut_units(struct cells *columns)
{
	for (size_t i = 0; i < columns->count; i++) {
		char *unit = strstr(columns->at[i], " [");
		if (unit != NULL)
			*unit = '\0';
	}
}

static const char *find_cell(const struct csv *csv, const struct cells *row, const char *column)
{
	for (size_t i = 0; i < row->count && i < csv->columns.count; i++) {
		if (strcmp(csv->columns.at[i], column) == 0)
			return row->at[i];
	}
	return NULL;
}

/* A column's name and perhaps a unit: no blanks but before "[". */
static bool is_column_name(const char *text)
{
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_.-");

	return len > 0 && (text[len] == '\0' || pl_text_starts(text + len, " ["));
}

static bool has_column(const struct cells *columns, const char *name)
{
	for (size_t i = 0; i < columns->count; i++) {
		if (strcmp(columns->at[i], name) == 0)
			return true;
	}
	return false;
}

static bool is_process_list(const struct cells *columns)
{
	return has_column(columns, "pid") &&
	       (has_column(columns, "used_gpu_memory") || has_column(columns, "used_memory"));
}

bool host_smi_is_csv(const char *line, bool is_first)
{
	auto_free char *copy = pl_strdup(line);
	struct cells columns;
	bool known = false;

	cut(copy, CELLS_MAX, &columns);
	for (size_t i = 0; i < columns.count; i++) {
		if (!is_column_name(columns.at[i]))
			return false;
	}
	cut_units(&columns);
	if (columns.count == 1 && !is_first)
		return false;
	for (size_t i = 0; i < columns.count; i++)
		known = known || (host_smi_is_column(columns.at[i]) &&
				  !pl_text_starts(columns.at[i], "gpu_"));
	return known || is_process_list(&columns);
}

bool host_smi_is_process_csv(const char *header)
{
	auto_free char *copy = pl_strdup(header);
	struct cells columns;

	cut(copy, CELLS_MAX, &columns);
	cut_units(&columns);
	return is_process_list(&columns);
}

/* ---- GPUs ---------------------------------------------------------------- */

static struct host_gpu_look *find_text(struct host_gpus *gpus, size_t offset, const char *text)
{
	for (size_t i = 0; i < gpus->count; i++) {
		const char *own = *(char *const *)((const char *)&gpus->looks[i] + offset);
		if (own != NULL && strcasecmp(own, text) == 0)
			return &gpus->looks[i];
	}
	return NULL;
}

/* "2026/04/29 19:35:24.804": seconds of the day; NaN: no stamp. */
static double stamp_s(const char *text)
{
	const char *clock = text != NULL ? strchr(text, ' ') : NULL;

	if (clock == NULL || strlen(clock) < 9)
		return NAN;
	return host_smi_number(clock + 1) * 3600 + host_smi_number(clock + 4) * 60 +
	       host_smi_number(clock + 7);
}

/* Where nothing names the GPU: the next of the same look, or the first of a new one. */
static struct host_gpu_look *find_by_order(struct csv *csv, const struct cells *row)
{
	double stamp = stamp_s(find_cell(csv, row, "timestamp"));
	bool new_look = fabs(stamp - csv->last_stamp_s) >= LOOK_S;

	/* without stamps it is one look, and NaN is not >= anything */
	csv->position = new_look ? 0 : csv->position + 1;
	if (isnan(csv->last_stamp_s) && csv->gpus->count == 0)
		csv->position = 0;
	csv->last_stamp_s = stamp;
	if (csv->position < csv->gpus->count)
		return &csv->gpus->looks[csv->position];
	return host_gpus_add(csv->gpus);
}

static struct host_gpu_look *find_look(struct csv *csv, const struct cells *row)
{
	static const struct {
		const char *column;
		size_t offset;
	} names[] = {
		{ "pci.bus_id", offsetof(struct host_gpu_look, facts.pci_bus_id) },
		{ "uuid", offsetof(struct host_gpu_look, facts.uuid) },
	};
	const char *index = find_cell(csv, row, "index");
	int number = -1;

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		const char *cell = find_cell(csv, row, names[i].column);
		if (cell == NULL)
			continue;
		struct host_gpu_look *look = find_text(csv->gpus, names[i].offset, cell);
		return look != NULL ? look : host_gpus_add(csv->gpus);
	}
	if (index == NULL)
		return find_by_order(csv, row);
	host_smi_set_int(&number, index);
	for (size_t i = 0; i < csv->gpus->count; i++) {
		if (csv->gpus->looks[i].facts.index == number)
			return &csv->gpus->looks[i];
	}
	return host_gpus_add(csv->gpus);
}

static void read_gpu(struct csv *csv, const struct cells *row)
{
	struct host_smi_values values = { .look = find_look(csv, row) };

	host_gpu_state_init(&values.look->state);
	for (size_t i = 0; i < row->count; i++) {
		host_smi_set_csv(&values, csv->columns.at[i], row->at[i]);
		if (strcmp(csv->columns.at[i], "driver_version") == 0 ||
		    strcmp(csv->columns.at[i], "kmd_version") == 0)
			host_smi_set_text(&csv->gpus->driver, row->at[i]);
	}
	host_smi_end_values(&values);
}

/* ---- processes ----------------------------------------------------------- */

/* The GPU of the row, made where the list names one that is not there yet. */
static struct host_gpu_look *look_of_process(struct csv *csv, const struct cells *row)
{
	const char *bus_id = find_cell(csv, row, "gpu_bus_id");
	const char *uuid = find_cell(csv, row, "gpu_uuid");
	struct host_gpu_look *look = NULL;

	if (bus_id != NULL)
		look = find_text(csv->gpus, offsetof(struct host_gpu_look, facts.pci_bus_id),
				 bus_id);
	else if (uuid != NULL)
		look = find_text(csv->gpus, offsetof(struct host_gpu_look, facts.uuid), uuid);
	else if (csv->gpus->count > 0)
		look = &csv->gpus->looks[0];
	if (look != NULL)
		return look;
	struct host_smi_values values = { .look = host_gpus_add(csv->gpus) };
	for (size_t i = 0; i < row->count; i++) {
		if (pl_text_starts(csv->columns.at[i], "gpu_"))
			host_smi_set_csv(&values, csv->columns.at[i], row->at[i]);
	}
	values.look->processes_told = true;
	return values.look;
}

static void read_process(struct csv *csv, const struct cells *row)
{
	const char *memory = find_cell(csv, row, "used_gpu_memory");
	const char *name = find_cell(csv, row, "process_name");
	const char *pid_text = find_cell(csv, row, "pid");
	double pid = pid_text != NULL ? host_smi_number(pid_text) : NAN;

	if (memory == NULL)
		memory = find_cell(csv, row, "used_memory");
	if (name == NULL)
		name = find_cell(csv, row, "name");
	struct host_gpu_look *look = look_of_process(csv, row);
	if (!(pid >= 0 && pid < 1e15))
		return;
	for (size_t i = 0; i < look->process_count; i++) {
		if (look->processes[i].pid == (int64_t)pid)
			return;
	}
	host_gpu_add_process(look, (int64_t)pid, memory != NULL ? host_smi_bytes(memory) : NAN,
			     name != NULL ? host_smi_text(name) : NULL, true);
}

/* ---- rows ---------------------------------------------------------------- */

static int read_rows(struct csv *csv)
{
	bool processes = is_process_list(&csv->columns);
	struct cells row;

	for (;;) {
		auto_free char *line = host_smi_next_line(csv->lines);
		if (line == NULL || line[0] == '\0' || line[0] == '#')
			return 0;
		cut(line, CELLS_MAX, &row);
		if (row.count != csv->columns.count)
			return pl_err_set(csv->err, PL_ERR_INVALID,
					  "'%s': line %zu: found %zu values, expected %zu",
					  csv->lines->source, csv->lines->number, row.count,
					  csv->columns.count);
		if (processes)
			read_process(csv, &row);
		else
			read_gpu(csv, &row);
	}
}

int host_smi_parse_csv(const char *header, struct host_smi_lines *lines, struct host_gpus *gpus,
		       struct pl_err *err)
{
	auto_free char *copy = pl_strdup(header);
	auto_free struct csv *csv = pl_alloc(sizeof(*csv));

	csv->gpus = gpus;
	csv->lines = lines;
	csv->err = err;
	csv->last_stamp_s = NAN;
	cut(copy, CELLS_MAX, &csv->columns);
	cut_units(&csv->columns);
	return read_rows(csv);
}
