/*
 * The table of `profllm gpus`, made only from the JSON of a refresh. One row per GPU, followed in dim text by rarely
 * changing data, the user of the GPU, and its processes.
 *
 *	 GPU  name          [##------]   memory    busy   power   temp  throttled
 */
#include "cli/cmd_gpus_priv.h"

#include <math.h>
#include <string.h>

#include "host/lock/lock.h"

#define BYTES_PER_GIB  (1024.0 * 1024.0 * 1024.0)
#define BYTES_PER_MIB  (1024.0 * 1024.0)
#define BAR_COLUMNS    16
#define BUSY_SHARE     0.9
#define CELL_BYTES     160
#define NAME_COLUMNS   16
#define DETAIL_COLUMNS 5
#define ROW_COLUMNS    86 /* of a row with a bar, without the name */
#define RED            "\033[31m"
#define YELLOW         "\033[33m"
#define BOLD           "\033[1m"
#define FAINT          "\033[2m"
#define PLAIN          "\033[0m"

struct widths {
	int name, memory, busy, power, warm;
};

struct table {
	const json_t *look;
	const struct cli_gpus_form *form;
	struct pl_buf *text;
	bool bars;
	struct widths widths;
};

/* A row's values as they are shown. */
struct cells {
	char memory[CELL_BYTES];
	char busy[CELL_BYTES];
	char power[CELL_BYTES];
	char warm[CELL_BYTES];
};

static double number_of(const json_t *gpu, const char *key)
{
	const json_t *value = json_object_get(gpu, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *color(const struct table *table, const char *code)
{
	return table->form->color ? code : "";
}

/* "0", for an instance "0.2"; "-" if unknown */
static void index_text(const json_t *gpu, char text[CELL_BYTES])
{
	double index = number_of(gpu, "index");
	double instance = number_of(gpu, "mig_index");

	if (isnan(index))
		strcpy(text, "-");
	else if (isnan(instance))
		snprintf(text, CELL_BYTES, "%.0f", index);
	else
		snprintf(text, CELL_BYTES, "%.0f.%.0f", index, instance);
}

/* "-" if unknown */
static void number_text(double value, double scale, const char *unit, char text[CELL_BYTES])
{
	if (isnan(value))
		strcpy(text, "-");
	else
		snprintf(text, CELL_BYTES, "%.0f %s", value * scale, unit);
}

static void memory_text(const json_t *gpu, char text[CELL_BYTES])
{
	double used = number_of(gpu, "memory_used_bytes") / BYTES_PER_GIB;
	double total = number_of(gpu, "memory_bytes") / BYTES_PER_GIB;

	if (isnan(used) && isnan(total))
		strcpy(text, "-");
	else if (isnan(used))
		snprintf(text, CELL_BYTES, "- / %.1f GiB", total);
	else if (isnan(total))
		snprintf(text, CELL_BYTES, "%.1f GiB", used);
	else
		snprintf(text, CELL_BYTES, "%.1f / %.1f GiB", used, total);
}

/* "[####----] " */
static void add_bar(const struct table *table, const json_t *gpu)
{
	double share = number_of(gpu, "memory_used_bytes") / number_of(gpu, "memory_bytes");

	if (!table->bars)
		return;
	if (!isfinite(share)) {
		pl_buf_addf(table->text, "%*s ", BAR_COLUMNS + 2, "");
		return;
	}
	int filled = (int)lround(fmin(fmax(share, 0), 1) * BAR_COLUMNS);
	pl_buf_addf(table->text, "[%s", share >= BUSY_SHARE ? color(table, YELLOW) : "");
	for (int i = 0; i < BAR_COLUMNS; i++)
		pl_buf_add_char(table->text, i < filled ? '#' : '-');
	pl_buf_addf(table->text, "%s] ", share >= BUSY_SHARE ? color(table, PLAIN) : "");
}

static void power_text(const json_t *gpu, char text[CELL_BYTES])
{
	double power = number_of(gpu, "power_w");
	double limit = number_of(gpu, "power_limit_w");

	if (isnan(power))
		strcpy(text, "-");
	else if (isnan(limit))
		snprintf(text, CELL_BYTES, "%.0f W", power);
	else
		snprintf(text, CELL_BYTES, "%.0f / %.0f W", power, limit);
}

/* Idle does not count as throttling; no reason is "ok". */
static void add_throttle(const struct table *table, const json_t *gpu)
{
	const json_t *words = json_object_get(gpu, "throttle");
	size_t shown = 0;

	if (!json_is_array(words)) {
		pl_buf_add_text(table->text, "-");
		return;
	}
	for (size_t i = 0; i < json_array_size(words); i++) {
		const char *word = json_string_value(json_array_get(words, i));
		if (strcmp(word, "idle") == 0)
			continue;
		pl_buf_addf(table->text, "%s%s%s%s", shown++ > 0 ? "," : "", color(table, RED),
			    word, color(table, PLAIN));
	}
	if (shown == 0)
		pl_buf_add_text(table->text, json_array_size(words) > 0 ? "idle" : "none");
}

static void cells_of(const json_t *gpu, struct cells *ret)
{
	memory_text(gpu, ret->memory);
	number_text(number_of(gpu, "utilization"), 100, "%", ret->busy);
	power_text(gpu, ret->power);
	number_text(number_of(gpu, "temperature_c"), 1, "C", ret->warm);
}

static void add_row(const struct table *table, const json_t *gpu)
{
	const struct widths *widths = &table->widths;
	const char *name = pl_json_get_text(gpu, "name");
	char index[CELL_BYTES];
	struct cells cells;

	index_text(gpu, index);
	cells_of(gpu, &cells);
	pl_buf_addf(table->text, "%4s  %-*s  ", index, widths->name, name ? name : "-");
	add_bar(table, gpu);
	pl_buf_addf(table->text, "%*s  %*s  %*s  %*s  ", widths->memory, cells.memory, widths->busy,
		    cells.busy, widths->power, cells.power, widths->warm, cells.warm);
	add_throttle(table, gpu);
	pl_buf_add_char(table->text, '\n');
}

/* "PCIe 5 x16 (1.2 GB/s in, 0.1 GB/s out), 18 NVLinks, NUMA node 0, ECC on, …" */
static void add_detail(const struct table *table, const json_t *gpu)
{
	const json_t *ecc = json_object_get(gpu, "ecc");
	double generation = number_of(gpu, "pcie_generation");
	double received = number_of(gpu, "pcie_rx_bytes_per_s");
	double sent = number_of(gpu, "pcie_tx_bytes_per_s");
	double links = number_of(gpu, "nvlinks");
	double node = number_of(gpu, "numa_node");
	double capability = number_of(gpu, "compute_capability");
	double errors = number_of(gpu, "ecc_uncorrected");
	auto_buf words = PL_BUF(4096);

	if (!isnan(generation))
		pl_buf_addf(&words, ", PCIe %.0f x%.0f", generation, number_of(gpu, "pcie_lanes"));
	if (!isnan(received) && !isnan(sent))
		pl_buf_addf(&words, " (%.1f GB/s in, %.1f GB/s out)", received / 1e9, sent / 1e9);
	if (links > 0)
		pl_buf_addf(&words, ", %.0f NVLinks", links);
	if (!isnan(node))
		pl_buf_addf(&words, ", NUMA node %.0f", node);
	if (!isnan(capability))
		pl_buf_addf(&words, ", compute capability %.1f", capability);
	if (json_is_boolean(ecc))
		pl_buf_addf(&words, ", ECC %s", json_is_true(ecc) ? "on" : "off");
	if (errors > 0)
		pl_buf_addf(&words, ", %.0f uncorrected memory errors", errors);
	if (pl_json_get_true(gpu, "mig"))
		pl_buf_add_text(&words, ", MIG: only its instances can be used");
	if (pl_json_get_text(gpu, "uuid") != NULL)
		pl_buf_addf(&words, ", %s", pl_json_get_text(gpu, "uuid"));
	if (words.len > 2)
		pl_buf_addf(table->text, "%*s %s%s%s\n", DETAIL_COLUMNS, "", color(table, FAINT),
			    words.data + 2, color(table, PLAIN));
}

static void add_process(const struct table *table, const json_t *process)
{
	const char *user = pl_json_get_text(process, "user");
	const char *command = pl_json_get_text(process, "command");
	double bytes = number_of(process, "memory_bytes");
	char memory[CELL_BYTES] = "-";

	if (command == NULL)
		command = pl_json_get_text(process, "name");
	if (bytes >= BYTES_PER_GIB)
		snprintf(memory, sizeof(memory), "%.1f GiB", bytes / BYTES_PER_GIB);
	else if (!isnan(bytes))
		snprintf(memory, sizeof(memory), "%.0f MiB", bytes / BYTES_PER_MIB);
	pl_buf_addf(table->text, "%*s pid %-8.0f %-10s %10s  %-8s  %s\n", DETAIL_COLUMNS, "",
		    number_of(process, "pid"), user != NULL ? user : "-", memory,
		    pl_json_get_text(process, "type"), command != NULL ? command : "-");
}

static void add_gpu(const struct table *table, const json_t *gpu)
{
	const json_t *processes = json_object_get(gpu, "processes");
	const json_t *held_by = json_object_get(gpu, "held_by");

	add_row(table, gpu);
	add_detail(table, gpu);
	if (json_is_object(held_by)) {
		auto_free char *who = host_lock_holder_text(held_by);
		pl_buf_addf(table->text, "%*s held by %s\n", DETAIL_COLUMNS, "", who);
	}
	for (size_t i = 0; i < json_array_size(processes); i++)
		add_process(table, json_array_get(processes, i));
}

static void add_driver(const struct table *table)
{
	const json_t *first = json_array_get(table->look, 0);
	const char *driver = pl_json_get_text(first, "driver");
	const char *cuda = pl_json_get_text(first, "cuda");

	pl_buf_addf(table->text, "Driver %s, CUDA %s", driver != NULL ? driver : "unknown",
		    cuda != NULL ? cuda : "unknown");
	if (pl_json_get_true(first, "simulated"))
		pl_buf_add_text(table->text, " (simulated)");
	pl_buf_add_text(table->text, "\n\n");
}

/*
 * Cuts each line; escape sequences have no width. A line that wraps would shift later ones, and the next refresh would
 * overwrite the wrong ones.
 */
static void cut_lines(struct pl_buf *text, size_t columns)
{
	size_t used = 0;
	size_t to = 0;
	bool escape = false;

	for (size_t from = 0; from < text->len; from++) {
		char c = text->data[from];
		escape = escape || c == '\033';
		if (c == '\n')
			used = 0;
		else if (!escape && ((unsigned char)c & 0xc0) != 0x80)
			used++;
		if (escape || c == '\n' || used <= columns)
			text->data[to++] = c;
		escape = escape && c != 'm';
	}
	if (text->len > 0) {
		text->len = to;
		text->data[to] = '\0';
	}
}

static void widen(int *width, const char *text)
{
	if (text != NULL && (int)strlen(text) > *width)
		*width = (int)strlen(text);
}

/* No wider than the content, and at least as wide as the headings. */
static struct widths narrow_widths(const struct table *table)
{
	struct widths widths = { table->widths.name, strlen("memory"), strlen("busy"),
				 strlen("power"), strlen("temp") };
	struct cells cells;

	for (size_t i = 0; i < json_array_size(table->look); i++) {
		cells_of(json_array_get(table->look, i), &cells);
		widen(&widths.memory, cells.memory);
		widen(&widths.busy, cells.busy);
		widen(&widths.power, cells.power);
		widen(&widths.warm, cells.warm);
	}
	return widths;
}

/* A terminal that is too narrow for everything shows what fits, without bars. */
static void lay_out(struct table *table)
{
	const struct cli_gpus_form *form = table->form;

	table->widths = (struct widths){ NAME_COLUMNS, 18, 6, 13, 5 };
	for (size_t i = 0; i < json_array_size(table->look); i++)
		widen(&table->widths.name,
		      pl_json_get_text(json_array_get(table->look, i), "name"));
	table->bars = form->terminal &&
		      (form->columns == 0 ||
		       form->columns >= (size_t)(ROW_COLUMNS + table->widths.name));
	if (form->terminal && !table->bars)
		table->widths = narrow_widths(table);
}

static void add_heading(const struct table *table)
{
	const struct widths *widths = &table->widths;

	pl_buf_addf(table->text, "%s%4s  %-*s  %*s%*s  %*s  %*s  %*s  %s%s\n", color(table, BOLD),
		    "GPU", widths->name, "name", table->bars ? BAR_COLUMNS + 3 : 0, "",
		    widths->memory, "memory", widths->busy, "busy", widths->power, "power",
		    widths->warm, "temp", "throttled", color(table, PLAIN));
}

void cli_gpus_lines(const json_t *look, const char *time, bool first, struct pl_buf *text)
{
	const struct cli_gpus_form form = { 0 };
	struct table table = { .look = look, .form = &form, .text = text };

	lay_out(&table);
	if (first) {
		pl_buf_addf(text, "%-*s  ", (int)strlen(time), "time");
		add_heading(&table);
	}
	for (size_t i = 0; i < json_array_size(look); i++) {
		pl_buf_addf(text, "%s  ", time);
		add_row(&table, json_array_get(look, i));
	}
}

void cli_gpus_table(const json_t *look, const struct cli_gpus_form *form, struct pl_buf *text)
{
	struct table table = { .look = look, .form = form, .text = text };

	lay_out(&table);
	add_driver(&table);
	add_heading(&table);
	for (size_t i = 0; i < json_array_size(look); i++)
		add_gpu(&table, json_array_get(look, i));
	if (form->cut && form->columns > 0)
		cut_lines(text, form->columns);
}
