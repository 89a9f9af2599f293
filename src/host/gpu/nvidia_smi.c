#include "host/gpu/nvidia_smi.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "host/gpu/nvidia_smi_priv.h"

#define NESTED_MAX    4
#define COLUMNS_BYTES 65536

char *host_smi_next_line(struct host_smi_lines *lines)
{
	if (lines->at >= lines->end)
		return NULL;
	const char *end = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
	size_t len = (size_t)((end != NULL ? end : lines->end) - lines->at);
	const char *at = lines->at;
	lines->at = end != NULL ? end + 1 : lines->end;
	lines->number++;
	while (len > 0 && isspace((unsigned char)at[len - 1]))
		len--;
	return pl_strndup(at, len);
}

/* ---- parts of one text --------------------------------------------------- */

static struct host_gpu_look *find_same(struct host_gpus *gpus, const struct host_gpu_look *look,
				       size_t place, bool by_place)
{
	const struct host_gpu_facts *facts = &look->facts;

	for (size_t i = 0; i < gpus->count; i++) {
		const struct host_gpu_facts *own = &gpus->looks[i].facts;
		bool both_bus = own->pci_bus_id != NULL && facts->pci_bus_id != NULL;
		bool both_uuid = own->uuid != NULL && facts->uuid != NULL;
		if (own->mig_index != facts->mig_index)
			continue;
		if (both_bus    ? strcasecmp(own->pci_bus_id, facts->pci_bus_id) == 0
		    : both_uuid ? strcmp(own->uuid, facts->uuid) == 0
		    : own->index >= 0 && facts->index >= 0 ? own->index == facts->index
							   : by_place && i == place)
			return &gpus->looks[i];
	}
	return NULL;
}

static void merge_text(char **into, char **from)
{
	if (*from == NULL)
		return;
	free(*into);
	*into = pl_take(*from);
}

static void merge_numbers(double *into, const double *from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		into[i] = isnan(from[i]) ? into[i] : from[i];
}

static void merge_facts(struct host_gpu_facts *into, struct host_gpu_facts *from)
{
	merge_text(&into->uuid, &from->uuid);
	merge_text(&into->name, &from->name);
	merge_text(&into->pci_bus_id, &from->pci_bus_id);
	merge_text(&into->mig_parent, &from->mig_parent);
	merge_numbers(&into->memory_bytes, &from->memory_bytes, 1);
	merge_numbers(&into->power_limit_w, &from->power_limit_w, 1);
	merge_numbers(&into->compute_capability, &from->compute_capability, 1);
	into->index = from->index >= 0 ? from->index : into->index;
	into->pcie_generation = from->pcie_generation >= 0 ? from->pcie_generation
							   : into->pcie_generation;
	into->pcie_lanes = from->pcie_lanes >= 0 ? from->pcie_lanes : into->pcie_lanes;
	if (from->ecc_told) {
		into->ecc = from->ecc;
		into->ecc_told = true;
	}
	if (from->mig_told) {
		into->mig = from->mig;
		into->mig_told = true;
	}
}

static void merge_state(struct host_gpu_state *into, const struct host_gpu_state *from)
{
	/* all of it doubles, and the throttle bits behind them */
	_Static_assert(offsetof(struct host_gpu_state, memory_used_bytes) == 0, "first");
	_Static_assert(offsetof(struct host_gpu_state, throttle) % sizeof(double) == 0, "last");
	merge_numbers((double *)into, (const double *)from,
		      offsetof(struct host_gpu_state, throttle) / sizeof(double));
	into->throttle = from->throttle >= 0 ? from->throttle : into->throttle;
}

static void merge_look(struct host_gpu_look *into, struct host_gpu_look *from)
{
	merge_facts(&into->facts, &from->facts);
	merge_state(&into->state, &from->state);
	if (!from->processes_told)
		return;
	host_gpu_clear_processes(into);
	into->processes = pl_take(from->processes);
	into->process_count = from->process_count;
	into->process_room = from->process_room;
	into->processes_told = true;
	from->process_count = 0;
	from->process_room = 0;
}

void host_smi_merge(struct host_gpus *into, struct host_gpus *from)
{
	bool by_place = into->count == from->count;

	merge_text(&into->driver, &from->driver);
	merge_text(&into->cuda, &from->cuda);
	for (size_t i = 0; i < from->count; i++) {
		struct host_gpu_look *same = find_same(into, &from->looks[i], i, by_place);
		if (same == NULL)
			same = host_gpus_add(into);
		same->facts.mig_index = from->looks[i].facts.mig_index;
		merge_look(same, &from->looks[i]);
	}
}

void host_smi_drop_unknown(const struct host_gpus *known, struct host_gpus *now)
{
	bool by_place = known->count == now->count;
	size_t kept = 0;

	for (size_t i = 0; i < now->count; i++) {
		struct host_gpu_look look = now->looks[i];
		if (find_same((struct host_gpus *)known, &look, i, by_place) == NULL)
			host_gpu_look_done(&look);
		else
			now->looks[kept++] = look;
	}
	now->count = kept;
}

/* ---- text in lines: tables, CSV, captures of both ------------------------ */

enum form { FORM_NONE, FORM_TABLE, FORM_GPUS, FORM_PROCESSES, FORM_EMPTY };

static enum form form_of(const char *line, bool is_first)
{
	if (line[0] == '\0' || line[0] == '#')
		return FORM_NONE;
	if (strcmp(line, "No devices were found") == 0)
		return FORM_EMPTY;
	if (host_smi_is_table(line))
		return FORM_TABLE;
	if (!host_smi_is_csv(line, is_first))
		return FORM_NONE;
	return host_smi_is_process_csv(line) ? FORM_PROCESSES : FORM_GPUS;
}

/* A form that comes again is of a later look: what changes is told anew or not at all. */
static void begin_part(struct host_gpus *gpus, enum form form, unsigned *seen)
{
	if (*seen & (1u << form)) {
		for (size_t i = 0; i < gpus->count; i++) {
			host_gpu_state_init(&gpus->looks[i].state);
			host_gpu_clear_processes(&gpus->looks[i]);
			gpus->looks[i].processes_told = false;
		}
		*seen = 0;
	}
	*seen |= 1u << form;
}

static int parse_part(const char *line, enum form form, struct host_smi_lines *lines,
		      struct host_gpus *gpus, struct pl_err *err)
{
	auto_gpus struct host_gpus *part = pl_alloc(sizeof(*part));
	int result = form == FORM_TABLE ? host_smi_parse_table(line, lines, part, err)
					: host_smi_parse_csv(line, lines, part, err);

	if (result == 0)
		host_smi_merge(gpus, part);
	return result;
}

static int parse_lines(const char *text, size_t len, const char *source, struct host_gpus *gpus,
		       struct pl_err *err)
{
	struct host_smi_lines lines = { .source = source, .at = text, .end = text + len };
	bool is_first = true;
	bool found = false;
	unsigned seen = 0;

	for (;;) {
		auto_free char *line = host_smi_next_line(&lines);
		if (line == NULL)
			break;
		enum form form = form_of(line, is_first);
		is_first = is_first && line[0] == '\0';
		found = found || form != FORM_NONE;
		if (form == FORM_NONE || form == FORM_EMPTY)
			continue;
		begin_part(gpus, form, &seen);
		if (parse_part(line, form, &lines, gpus, err) < 0)
			return -1;
	}
	if (!found)
		return pl_err_set(err, PL_ERR_INVALID, "'%s': found nothing that nvidia-smi prints",
				  source);
	return 0;
}

/* ---- JSON: strings under "stdout" ---------------------------------------- */

static const char *find_text(const char *at, const char *end, const char *text)
{
	return at < end ? memmem(at, (size_t)(end - at), text, strlen(text)) : NULL;
}

/* Behind the opening quote, to the closing one; NULL: it does not end. */
static const char *string_end(const char *at, const char *end)
{
	for (; at < end && *at != '"'; at++) {
		if (*at == '\\')
			at++;
	}
	return at < end ? at : NULL;
}

/* The value of the string from its opening quote to its closing one; NULL: not valid. */
static char *decode_string(const char *open, const char *close)
{
	auto_json json_t *list = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_buf text = { 0 };

	pl_buf_init(&text, HOST_NVIDIA_SMI_BYTES_MAX);
	pl_buf_add_char(&text, '[');
	pl_buf_add(&text, open, (size_t)(close + 1 - open));
	pl_buf_add_char(&text, ']');
	if (text.full || pl_json_parse(text.data, text.len, "string", &list, &err) < 0)
		return NULL;
	return pl_strdup(json_string_value(json_array_get(list, 0)));
}

/* The columns of the last --query-gpu= before `end`: what a CSV without a header needs. */
static char *columns_before(const char *at, const char *end)
{
	static const char option[] = "--query-gpu=";
	const char *found = NULL;

	for (const char *next = at; (next = find_text(next, end, option)) != NULL;) {
		next += strlen(option);
		found = next;
	}
	if (found == NULL)
		return NULL;
	const char *close = found;
	while (close < end && *close != '"' && *close != '\\' && *close != ' ' &&
	       close - found < COLUMNS_BYTES)
		close++;
	return pl_strndup(found, (size_t)(close - found));
}

static int parse_json(const char *text, size_t len, const char *source, unsigned depth,
		      struct host_gpus *gpus);

/* What a command printed: as it is, under the header that it was asked for, or JSON itself.
 * 1: GPUs, 0: none of ours. */
static int parse_output(const char *output, const char *columns, const char *source, unsigned depth,
			struct host_gpus *gpus)
{
	auto_gpus struct host_gpus *part = pl_alloc(sizeof(*part));
	struct pl_err err = PL_ERR_INIT;
	auto_free char *table = NULL;

	if (strstr(output, "\"stdout") != NULL)
		return parse_json(output, strlen(output), source, depth + 1, gpus);
	if (columns != NULL)
		table = pl_asprintf("%s\n%s", columns, output);
	const char *shown = table != NULL && !host_smi_is_csv(output, true) ? table : output;
	if (parse_lines(shown, strlen(shown), source, part, &err) < 0)
		return 0;
	host_smi_merge(gpus, part);
	return 1;
}

/* Not as a whole document: what is kept may be the end of one. */
static int parse_json(const char *text, size_t len, const char *source, unsigned depth,
		      struct host_gpus *gpus)
{
	const char *end = text + len;
	const char *behind = text;
	int parts = 0;

	if (depth > NESTED_MAX)
		return 0;
	for (const char *key; (key = find_text(behind, end, "\"stdout")) != NULL;) {
		const char *at = string_end(key + 1, end);
		if (at == NULL)
			break;
		at++;
		while (at < end && (isspace((unsigned char)*at) || *at == ':'))
			at++;
		const char *close = at < end && *at == '"' ? string_end(at + 1, end) : NULL;
		auto_free char *output = close != NULL ? decode_string(at, close) : NULL;
		auto_free char *columns = columns_before(behind, key);
		behind = close != NULL ? close + 1 : at;
		if (output != NULL)
			parts += parse_output(output, columns, source, depth, gpus);
	}
	return parts;
}

/* ---- any form ------------------------------------------------------------ */

int host_nvidia_smi_parse(const char *text, size_t len, const char *source, struct host_gpus *gpus,
			  struct pl_err *err)
{
	const char *end = text + len;
	const char *at = text;

	while (at < end && isspace((unsigned char)*at))
		at++;
	if (memchr(text, '\0', len) != NULL)
		return pl_err_set(err, PL_ERR_INVALID, "'%s': found a NUL byte", source);
	if (at < end && *at == '<')
		return host_smi_parse_xml(text, len, source, gpus, err);
	if (at == end || *at != '{')
		return parse_lines(text, len, source, gpus, err);
	if (parse_json(text, len, source, 0, gpus) == 0)
		return pl_err_set(err, PL_ERR_INVALID,
				  "'%s': found no \"stdout\" with what nvidia-smi prints", source);
	return 0;
}
