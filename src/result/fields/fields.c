/*
 * The list of fields. The tables of src/tbl already list the content of a result for other purposes
 * (server arguments, families of statistics, keys of sections), so each table yields its rows here
 * by one rule, and none is written twice. The rule also decides which fields are columns: values
 * that repeat another field, texts for display, addresses and lists are read from the document
 * instead.
 */
#include "result/fields/fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "experiment/config.h"
#include "experiment/values.h"
#include "result/fields/fields_priv.h"
#include "result/fields/former.h"
#include "result/fields/labels.h"
#include "result/fields/tree.h"
#include "result/metrics/metrics.h"
#include "vllm/bench_options.h"

#define ARENA_BLOCK_BYTES (64 * 1024)
#define INTERVAL          "_ci95"
#define CLIENT_ERROR      "_client_error"

struct res_fields {
	struct pl_arena *arena; /* texts that no table has */
	struct res_field *items;
	size_t count;
	size_t room;
	uint32_t *slots;   /* by id: item + 1; 0: free */
	size_t slot_count; /* a power of two */
	const char **ids;  /* in order */
	const struct res_field **columns;
	size_t column_count;
	struct res_tree *tree;
	struct res_value *defaults; /* of each; those of whom nothing is known are not recorded */
};

/* ---- the rows of a document ---------------------------------------------------------------- */

/* A row without a value: a section, or a list of sections. */
enum { ROW_SECTION = RES_FIELD_JSON + 1, ROW_DETAIL };

#define TYPE_NUMBER       RES_FIELD_NUMBER
#define TYPE_COUNT        RES_FIELD_COUNT
#define TYPE_YES          RES_FIELD_YES
#define TYPE_REQUIRED_YES RES_FIELD_YES
#define TYPE_TEXT         RES_FIELD_TEXT
#define TYPE_TIME         RES_FIELD_TIME
#define TYPE_TEXTS        RES_FIELD_JSON
#define TYPE_MAP          RES_FIELD_JSON
#define TYPE_ANY          RES_FIELD_JSON
#define TYPE_DETAIL       ROW_DETAIL
#define TYPE_LATER_COUNT  RES_FIELD_COUNT
#define TYPE_LATER_TEXT   RES_FIELD_TEXT
#define TYPE_NOTE         RES_FIELD_JSON
#define TYPE_OBJECT       ROW_SECTION
#define TYPE_MAYBE        ROW_SECTION
#define TYPE_LIST         ROW_SECTION
#define TYPE_MAYBE_LIST   ROW_SECTION

static const struct row {
	const char *section;
	const char *key;
	int type;
	const char *of;
	const char *unit;
	enum res_field_direction direction;
	enum res_field_role role;
	enum res_field_one one;
	const char *text;
} rows[] = {
#define FIELD(section, key, type, of, unit, role, one, text)                                 \
	{ #section,        #key, TYPE_##type, of, unit, RES_FIELD_NEITHER, RES_FIELD_##role, \
	  RES_FIELD_##one, text },
#define TOP(section, key, type, unit, role, text)                                     \
	{ #section,         #key,           TYPE_##type, "", unit, RES_FIELD_NEITHER, \
	  RES_FIELD_##role, RES_FIELD_NONE, text },
#define DERIVED(key, type, unit, direction, role, text)                                   \
	{ "derived",        #key,           TYPE_##type, "", unit, RES_FIELD_##direction, \
	  RES_FIELD_##role, RES_FIELD_NONE, text },
#define PRICED(key, unit, text)                                                     \
	{ "derived",        #key,           TYPE_DETAIL, "", unit, RES_FIELD_LOWER, \
	  RES_FIELD_OUTPUT, RES_FIELD_NONE, text },
#include "tbl/result_fields.h"
};

static const struct {
	const char *section, *title;
} groups[] = {
#define GROUP(section, title) { #section, title },
#include "tbl/result_fields.h"
};

static const struct family {
	const char *key, *title, *label, *text;
	enum res_field_direction direction;
	bool is_minor; /* ours, and no part of the verdict */
} families[] = {
#define VLLM false
#define OURS true
#define KIND true
#define FAMILY(id, key, title, label, direction, origin, headline, formula, text) \
	{ key, title, label, text, RES_FIELD_##direction, (origin) && !(headline) },
#include "tbl/metrics.h"
};

#undef VLLM
#undef OURS
#undef KIND

static const double percentiles[] = { RES_PERCENTILES };

static const char *const type_names[] = { "number", "count", "yes", "text", "time", "json" };
static const char *const direction_names[] = { "neither", "lower", "higher" };
static const char *const role_names[] = { "input", "output", "engine", "host", "provenance" };
static const char *const one_names[] = { "none", "sum", "mean", "max", "min", "same", "each" };

/* ---- one field ----------------------------------------------------------------------------- */

static const char *keep(struct res_fields *fields, char *text)
{
	const char *retained = pl_arena_strndup(fields->arena, text, strlen(text));

	free(text);
	return retained;
}

static void add(struct res_fields *fields, struct res_field field)
{
	const char *listed = res_label_listed(field.id);

	if (field.unit == NULL)
		field.unit = "";
	if (field.help == NULL)
		field.help = "";
	if (listed != NULL)
		field.label = listed;
	if (field.label == NULL)
		field.label = keep(fields, res_label_of_id(field.id, field.unit));
	field.short_label = res_label_short(field.id);
	*PL_PUSH(fields->items, fields->count, fields->room) = field;
}

/* ---- arguments and options ----------------------------------------------------------------- */

static enum res_field_type option_type(const struct option_row *row)
{
	switch (row->type) {
	case OPTION_BOOL:
	case OPTION_TRI:
		return RES_FIELD_YES;
	case OPTION_INT:
	case OPTION_HUMAN_INT:
		return RES_FIELD_COUNT;
	case OPTION_FLOAT:
	case OPTION_DURATION:
		return RES_FIELD_NUMBER;
	case OPTION_STRING:
	case OPTION_ENUM:
		return RES_FIELD_TEXT;
	default:
		return RES_FIELD_JSON;
	}
}

/* Derives the unit from the name: options have no other unit. */
static const char *option_unit(const struct option_row *row)
{
	static const struct {
		const char *end, *unit;
	} ends[] = {
		/* not as their names say: a share, and characters */
		{ "video_pruning_rate", "share" },
		{ "max_log_len", "" },
		{ "_gb", "GB" },
		{ "_bytes", "B" },
		{ "_mb", "MB" },
		{ "_ms", "ms" },
		{ "_s", "s" },
		{ "_seconds", "s" },
		{ "_sec", "s" },
		{ "_timeout", "s" },
		{ "_rps", "1/s" },
		{ "_rate", "1/s" },
		{ "_len", "tok" },
		{ "_tokens", "tok" },
	};

	if (row->type == OPTION_DURATION)
		return "s";
	for (size_t i = 0; i < PL_ARRAY_SIZE(ends); i++) {
		if (option_type(row) <= RES_FIELD_COUNT && pl_text_ends(row->name, ends[i].end))
			return ends[i].unit;
	}
	return "";
}

static struct res_field option_field(const struct option_row *row, const char *id)
{
	enum res_field_type type = option_type(row);

	return (struct res_field){
		.id = id,
		.label = row->name,
		.help = row->help,
		.group = row->group != NULL ? row->group : "Load",
		.unit = option_unit(row),
		.type = type,
		.role = row->aside ? RES_FIELD_PROVENANCE : RES_FIELD_INPUT,
		.column = !row->aside && !row->secret && !row->columnless,
		.words = type <= RES_FIELD_COUNT &&
			 (row->special_values != NULL || row->also_accepts != NULL),
		.open = row->type == OPTION_JSON,
		.option = row,
	};
}

static void add_arguments(struct res_fields *fields, const struct vllm_catalog *catalog)
{
	for (size_t i = 0; i < vllm_arg_count(catalog); i++) {
		const struct option_row *row = vllm_arg_at(catalog, i);
		const char *id = keep(fields, pl_asprintf("server.%s", row->name));
		struct res_field argument = option_field(row, id);
		if (row->group == NULL)
			argument.group = "Other arguments";
		add(fields, argument);
		if (row->type != OPTION_JSON)
			continue;
		for (const struct option_row *key = option_field_next(row, NULL); key != NULL;
		     key = option_field_next(row, key)) {
			struct res_field field = option_field(
				key, keep(fields, pl_asprintf("%s.%s", id, key->name)));
			field.group = argument.group;
			field.role = argument.role;
			field.of = id;
			field.label = keep(fields, pl_asprintf("%s.%s", row->name, key->name));
			if (field.help == NULL || field.help[0] == '\0')
				field.help = keep(
					fields, pl_asprintf("key %s of %s", key->name, row->name));
			field.column = false;
			add(fields, field);
		}
	}
}

/* ---- sections ------------------------------------------------------------------------------ */

static const char *group_of(const char *section)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(groups); i++) {
		if (pl_text_equal(groups[i].section, section))
			return groups[i].title;
	}
	return "";
}

/* The fields of a section and of those inside of it. */
static void add_section(struct res_fields *fields, const char *section, const char *id)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		if (!pl_text_equal(row->section, section))
			continue;
		const char *below = keep(fields, pl_asprintf("%s.%s", id, row->key));
		bool is_detail = row->type == ROW_DETAIL;
		if (row->type == ROW_SECTION) {
			add_section(fields, row->of, below);
			continue;
		}
		add(fields, (struct res_field){
				    .id = below,
				    .help = row->text,
				    .group = group_of(section),
				    .unit = row->unit,
				    .type = row->one == RES_FIELD_EACH ? RES_FIELD_JSON
					    : is_detail                ? RES_FIELD_NUMBER
							: (enum res_field_type)row->type,
				    .direction = row->direction,
				    .role = row->role,
				    .one = row->one,
				    .column = row->type != RES_FIELD_JSON && !is_detail &&
					      row->one != RES_FIELD_EACH,
				    .open = row->type == RES_FIELD_JSON,
			    });
	}
}

/* ---- figures ------------------------------------------------------------------------------- */

/*
 * A table has room for a thousand columns. Families that are neither vLLM's nor part of the verdict
 * have columns only for the statistics that users filter by; the document has the others.
 */
static bool is_column(const struct family *family, const char *word)
{
	static const char *const usual[] = { "mean", "median", "p90", "p95", "p99" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(usual) && family->is_minor; i++) {
		if (pl_text_equal(usual[i], word))
			return true;
	}
	return !family->is_minor;
}

static struct res_field statistic_field(struct res_fields *fields, const struct family *family,
					const char *word, const char *id)
{
	return (struct res_field){
		.id = id,
		.label = keep(fields, res_label_of_statistic(word, family->label[0] != '\0'
									   ? family->label
									   : family->title)),
		.help = family->text,
		.group = family->title,
		.unit = "ms",
		.direction = family->direction,
		.role = RES_FIELD_OUTPUT,
		.column = is_column(family, word),
	};
}

static void add_statistic(struct res_fields *fields, const struct family *family, const char *path,
			  const char *word)
{
	const char *id = keep(fields, pl_asprintf("%s%s_%s", path, word, family->key));
	struct res_field field = statistic_field(fields, family, word, id);

	bool is_steady = pl_text_starts(path, "results.steady");

	/* the fastest tenth, which Compare draws, for as many families as there is room */
	static const char *const fastest[] = { "p1", "p5", "p10" };
	static const char *const drawn[] = { "ttft_ms", "itl_ms", "e2el_ms" };
	bool is_left_out = (is_steady && family->is_minor) ||
			   (PL_TEXT_IS_ONE_OF(word, fastest) &&
			    (is_steady || !PL_TEXT_IS_ONE_OF(family->key, drawn)));
	field.column = field.column && !is_left_out;
	if (is_steady)
		field.label = keep(fields, pl_asprintf("%s, steady", field.label));
	add(fields, field);
}

static void add_statistics(struct res_fields *fields, const char *path, bool all)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(families); i++) {
		add_statistic(fields, &families[i], path, "mean");
		add_statistic(fields, &families[i], path, "median");
		if (all)
			add_statistic(fields, &families[i], path, "std");
		for (size_t k = 0; k < PL_ARRAY_SIZE(percentiles); k++) {
			char text[PL_F64_TEXT_BYTES];
			exp_percentile_text(percentiles[k], text);
			auto_free char *word = pl_asprintf("p%s", text);
			if (all || pl_text_equal(word, "p99"))
				add_statistic(fields, &families[i], path, word);
		}
	}
}

static void add_figures(struct res_fields *fields)
{
	enum { TYPE_INT = RES_FIELD_COUNT, TYPE_NUM = RES_FIELD_NUMBER };
	enum {
		HAS_VLLM = true,
		HAS_OFFLINE = true,
		HAS_OURS = true,
		HAS_POOLING = false,
		HAS_LATE = false
	};
	static const struct res_field figures[] = {
#define FIGURE(key, figure_unit, figure_type, figure_direction, origin, formula, text) \
	{ .id = "results." #key,                                                       \
	  .help = (text),                                                              \
	  .group = "",                                                                 \
	  .unit = (figure_unit),                                                       \
	  .type = (enum res_field_type)TYPE_##figure_type,                             \
	  .direction = RES_FIELD_##figure_direction,                                   \
	  .role = RES_FIELD_OUTPUT,                                                    \
	  .column = HAS_##origin },
#include "tbl/metrics.h"
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(figures); i++) {
		struct res_field figure = figures[i];
		figure.group = group_of("results");
		add(fields, figure);
	}
	add_section(fields, "results", "results");
	add_statistics(fields, "results.", true);
	add_section(fields, "steady", "results.steady");
	add_statistics(fields, "results.steady.", false);
	add_section(fields, "latency_breakdown", "results.latency_breakdown");
	add_section(fields, "sessions", "results.sessions");
}

static void add_failures(struct res_fields *fields)
{
	static const struct {
		const char *name, *text;
	} failures[] = {
#define FAILURE(name, text) { #name, text },
#include "tbl/states.h"
	};
	static const char *const counts[] = { "count", "retried" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(failures); i++) {
		for (size_t k = 0; k < PL_ARRAY_SIZE(counts); k++) {
			bool retried = k == 1;
			add(fields,
			    (struct res_field){
				    .id = keep(fields, pl_asprintf("results.errors.%s.%s",
								   failures[i].name, counts[k])),
				    .label = keep(fields,
						  res_label_of_failure(failures[i].name, retried)),
				    .help = keep(fields, pl_asprintf("%s requests; reason: %s",
								     retried ? "retried" : "failed",
								     failures[i].text)),
				    .group = "Failed requests",
				    .unit = "req",
				    .type = RES_FIELD_COUNT,
				    .direction = RES_FIELD_LOWER,
				    .role = RES_FIELD_OUTPUT,
				    .column = !retried,
			    });
		}
	}
}

/* ---- quality ------------------------------------------------------------------------------- */

static void add_check(struct res_fields *fields, const char *check, const char *unit,
		      const char *text)
{
	static const struct {
		const char *key, *text;
		bool is_number;
	} keys[] = {
		{ "value", NULL, true },
		{ "status", "passed, over_limit or unknown", false },
		{ "limit", "limit that applied to the value in this run", true },
		{ "effect", "verdict of the run if this check is over its limit; info: any verdict",
		  false },
		{ "text", "definition of the check, and its findings in this run", false },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		bool is_value = i == 0;
		add(fields,
		    (struct res_field){
			    .id = keep(fields, pl_asprintf("quality.%s.%s", check, keys[i].key)),
			    .label = keep(fields,
					  res_label_of_check(check, is_value ? NULL : keys[i].key)),
			    .help = is_value ? text : keys[i].text,
			    .group = "Quality",
			    .unit = keys[i].is_number ? unit : "",
			    .type = keys[i].is_number ? RES_FIELD_NUMBER : RES_FIELD_TEXT,
			    .role = RES_FIELD_OUTPUT,
			    .column = is_value || pl_text_equal(keys[i].key, "status"),
		    });
	}
}

static void add_quality(struct res_fields *fields)
{
	static const struct {
		const char *id, *unit, *text;
	} checks[] = {
#define QUALITY(id, group, unit, sense, limit, effect, worse, worse_effect, text, finding, action) \
	{ #id, unit, text },
#include "tbl/quality.h"
#undef QUALITY
	};

	add(fields,
	    (struct res_field){
		    .id = "quality.verdict",
		    .help = "whether to rely on the metrics: trusted, degraded or client_limited",
		    .group = "Quality",
		    .type = RES_FIELD_TEXT,
		    .role = RES_FIELD_OUTPUT,
		    .column = true,
	    });
	add_section(fields, "measurement", "quality.measurement");
	add_section(fields, "offered_load", "quality.load");
	for (size_t i = 0; i < PL_ARRAY_SIZE(checks); i++)
		add_check(fields, checks[i].id, checks[i].unit, checks[i].text);
}

/* ---- the list ------------------------------------------------------------------------------ */

static int compare_ids(const void *a, const void *b)
{
	const char *const *one = a, *const *other = b;

	return strcmp(*one, *other);
}

/* Returns its slot, or the free one for it. */
static uint32_t *slot_of(const struct res_fields *fields, const char *id)
{
	uint64_t hash = pl_hash_text(PL_HASH_NONE, id);
	size_t at = hash ^ hash >> 32;

	for (;; at++) {
		uint32_t *slot = &fields->slots[at & (fields->slot_count - 1)];
		if (*slot == 0 || strcmp(fields->items[*slot - 1].id, id) == 0)
			return slot;
	}
}

static void make_defaults(struct res_fields *fields)
{
	fields->defaults = pl_alloc_array(fields->count, sizeof(*fields->defaults));
	for (size_t i = 0; i < fields->count; i++) {
		const struct option_row *row = fields->items[i].option;
		if (row != NULL && row->default_json != NULL)
			res_field_value_of(&fields->items[i], pl_json_of_text(row->default_json),
					   &fields->defaults[i]);
	}
}

struct res_fields *res_fields_new(const struct vllm_catalog *catalog)
{
	static const char *const after[] = { "system", "launch", "environment", "profiling",
					     "series" };
	struct res_fields *fields = pl_alloc(sizeof(*fields));

	fields->arena = pl_arena_new(ARENA_BLOCK_BYTES);
	add_section(fields, "run", "run");
	add(fields, (struct res_field){ .id = "tags",
					.help = "labels set by the user",
					.group = group_of("run"),
					.type = RES_FIELD_JSON,
					.role = RES_FIELD_PROVENANCE,
					.open = true });
	add_section(fields, "stored", "stored");
	/* long, and of few results: no column */
	add(fields, (struct res_field){ .id = "stored.notes",
					.help = "notes of users",
					.group = group_of("stored"),
					.type = RES_FIELD_TEXT,
					.role = RES_FIELD_PROVENANCE });
	add_section(fields, "error", "error");
	add_section(fields, "derived", "derived");
	add_arguments(fields, vllm_catalog_or_reference(catalog));
	for (int i = 0; i < VLLM_BENCH_COUNT; i++) {
		const struct option_row *row = vllm_bench_row((enum vllm_bench_id)i);
		add(fields,
		    option_field(row, keep(fields, pl_asprintf("benchmark.%s", row->name))));
	}
	add_section(fields, "benchmark", "benchmark");
	/* The other keys of an experiment file are in the document only if they were set. */
	for (size_t i = 0; i < exp_key_count(); i++) {
		const struct option_row *row = exp_key_at(i);
		if (strchr(row->name, '.') == NULL)
			continue;
		struct res_field field = option_field(
			row, keep(fields, pl_asprintf("experiment.%s", row->name)));
		field.group = "Experiment file";
		field.column = false;
		add(fields, field);
	}
	add_figures(fields);
	add_failures(fields);
	add_quality(fields);
	for (size_t i = 0; i < PL_ARRAY_SIZE(after); i++)
		add_section(fields, after[i], after[i]);
	/* half of the slots or more stay free */
	for (fields->slot_count = 1; fields->slot_count < 2 * fields->count;)
		fields->slot_count *= 2;
	fields->slots = pl_alloc_array(fields->slot_count, sizeof(*fields->slots));
	fields->ids = pl_alloc_array(fields->count, sizeof(*fields->ids));
	for (size_t i = 0; i < fields->count; i++) {
		*slot_of(fields, fields->items[i].id) = (uint32_t)i + 1;
		fields->ids[i] = fields->items[i].id;
	}
	qsort((void *)fields->ids, fields->count, sizeof(*fields->ids), compare_ids);
	fields->columns = pl_alloc_array(fields->count, sizeof(*fields->columns));
	for (size_t i = 0; i < fields->count; i++) {
		if (fields->items[i].column)
			fields->columns[fields->column_count++] = &fields->items[i];
	}
	make_defaults(fields);
	fields->tree = res_tree_new(fields->items, fields->count);
	return fields;
}

void res_fields_free(struct res_fields *fields)
{
	if (fields == NULL)
		return;
	for (size_t i = 0; i < fields->count; i++)
		res_value_done(&fields->defaults[i]);
	free(fields->defaults);
	res_tree_free(fields->tree);
	pl_arena_free(fields->arena);
	free(fields->items);
	free(fields->slots);
	free((void *)fields->ids);
	free((void *)fields->columns);
	free(fields);
}

size_t res_fields_count(const struct res_fields *fields)
{
	return fields->count;
}

const struct res_field *res_fields_at(const struct res_fields *fields, size_t i)
{
	return &fields->items[i];
}

const struct res_field *const *res_fields_columns(const struct res_fields *fields,
						  size_t *ret_count)
{
	*ret_count = fields->column_count;
	return fields->columns;
}

const struct res_tree *res_fields_tree(const struct res_fields *fields)
{
	return fields->tree;
}

const struct res_value *res_fields_default(const struct res_fields *fields,
					   const struct res_field *field)
{
	const struct res_value *value = &fields->defaults[field - fields->items];

	return value->state != RES_VALUE_NOT_RECORDED ? value : NULL;
}

const struct res_field *res_fields_find(const struct res_fields *fields, const char *id)
{
	uint32_t slot = *slot_of(fields, id);
	auto_free char *present = slot == 0 ? res_field_former_id(id) : NULL;

	if (present != NULL)
		slot = *slot_of(fields, present);
	return slot != 0 ? &fields->items[slot - 1] : NULL;
}

/* A whole name without its prefix is as good a match as a misspelled id. */
const char *res_fields_nearest(const struct res_fields *fields, const char *id)
{
	auto_free char *end = pl_asprintf(".%s", id);

	for (size_t i = 0; i < fields->count; i++) {
		if (pl_text_ends(fields->items[i].id, end))
			return fields->items[i].id;
	}
	return pl_text_nearest(id, fields->ids, fields->count);
}

/* ---- ids without a row ------------------------------------------------------------------- */

/* Returns the rest of a key after a statistic such as "mean_" or "p97.5_"; NULL: it has none. */
static const char *after_statistic(const char *key)
{
	static const char *const words[] = { "mean_", "median_", "std_" };
	const char *end = key[0] == 'p' ? strchr(key, '_') : NULL;
	auto_free char *number = end != NULL ? pl_strndup(key + 1, (size_t)(end - key - 1)) : NULL;
	double percentile;

	for (size_t i = 0; i < PL_ARRAY_SIZE(words); i++) {
		if (pl_text_starts(key, words[i]))
			return key + strlen(words[i]);
	}
	return number != NULL && exp_percentile_parse(number, &percentile) ? end + 1 : NULL;
}

/* Returns whether `end` may follow a metric: nothing, an interval, or one of its ends. */
static bool is_figure_end(const char *end)
{
	const char *below = res_field_below(end, INTERVAL);

	if (below == NULL)
		below = res_field_below(end, CLIENT_ERROR);
	if (below == NULL)
		below = end;
	return below[0] == '\0' || pl_text_equal(below, ".0") || pl_text_equal(below, ".1");
}

/* Makes the field for a part of a row: a list, or the number that `end` of the id names. */
static void as_statistic(const char *id, const char *end, struct res_field *ret)
{
	ret->id = ret->label = id;
	ret->column = false;
	if (end[0] != '\0' && strchr(end, '.') == NULL)
		ret->type = RES_FIELD_JSON;
}

/* Derives the field from the family's mean, which is a row. */
static bool resolve_statistic(const struct res_fields *fields, const char *id,
			      struct res_field *ret)
{
	const char *key = res_field_below(id, "results.");
	const char *steady = key != NULL ? res_field_below(key, "steady.") : NULL;
	const char *rest = key != NULL ? after_statistic(steady != NULL ? steady : key) : NULL;
	const char *end = rest != NULL ? strstr(rest, "_ms") : NULL;

	if (end == NULL || !is_figure_end(end += strlen("_ms")))
		return false;
	auto_free char *mean = pl_asprintf("results.mean_%.*s", (int)(end - rest), rest);
	const struct res_field *row = res_fields_find(fields, mean);
	if (row == NULL)
		return false;
	*ret = *row;
	as_statistic(id, end, ret);
	return true;
}

/* "results.request_throughput_ci95": the interval of a rate, or one of its ends. */
static bool resolve_rate(const struct res_fields *fields, const char *id, struct res_field *ret)
{
	static const char *const rates[] = {
#define RATE(id, key) "results." #key,
#include "tbl/metrics.h"
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(rates); i++) {
		const char *end = res_field_below(id, rates[i]);
		if (end == NULL || res_field_below(end, INTERVAL) == NULL || !is_figure_end(end))
			continue;
		*ret = *res_fields_find(fields, rates[i]);
		as_statistic(id, end, ret);
		return true;
	}
	return false;
}

/* A key inside of an object whose keys are anybody's; the innermost such object counts. */
static bool resolve_below(const struct res_fields *fields, const char *id, struct res_field *ret)
{
	auto_free char *object = pl_strdup(id);

	for (char *dot; (dot = strrchr(object, '.')) != NULL;) {
		*dot = '\0';
		const struct res_field *field = res_fields_find(fields, object);
		if (field == NULL || !field->open)
			continue;
		res_field_unlisted(id, ret);
		ret->group = field->group;
		ret->role = field->role;
		ret->of = field->id;
		return true;
	}
	return false;
}

int res_fields_resolve(const struct res_fields *fields, const char *id, struct res_field *ret,
		       struct pl_err *err)
{
	const struct res_field *field = res_fields_find(fields, id);
	const char *nearest;

	if (field != NULL) {
		*ret = *field;
		return 0;
	}
	if (resolve_statistic(fields, id, ret) || resolve_rate(fields, id, ret) ||
	    resolve_below(fields, id, ret))
		return 0;
	/* finding the most similar of a thousand ids costs more than everything else here */
	if (err == NULL)
		return -1;
	nearest = res_fields_nearest(fields, id);
	return pl_err_set(err, PL_ERR_INVALID, "unknown field '%s'%s%s%s", id,
			  nearest != NULL ? " (did you mean '" : "", nearest != NULL ? nearest : "",
			  nearest != NULL ? "'?)" : "");
}

void res_field_unlisted(const char *id, struct res_field *ret)
{
	*ret = (struct res_field){
		.id = id,
		.label = id,
		.help = "",
		.group = "",
		.unit = "",
		.type = RES_FIELD_JSON,
		.role = pl_text_starts(id, "server.") || pl_text_starts(id, "benchmark.")
				? RES_FIELD_INPUT
				: RES_FIELD_PROVENANCE,
		.words = true,
	};
}

json_t *res_field_to_json(const struct res_field *field)
{
	return json_pack("{s:s, s:s, s:s*, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:b}", "id",
			 field->id, "label", field->label, "short_label", field->short_label,
			 "help", field->help, "group", field->group, "unit", field->unit, "type",
			 type_names[field->type], "direction", direction_names[field->direction],
			 "role", role_names[field->role], "aggregation", one_names[field->one],
			 "column", field->column, "words", field->words);
}
