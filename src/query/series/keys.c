/*
 * A configuration is identified by the values of its comparability key. Unless the request names inputs to leave out, these
 * are derived.input_key, the engine's name and the fields of `keep`. Otherwise each input that was set is a part: an
 * argument only if the user set it, because the defaults of releases differ. If a result does not record which arguments
 * the user set, all of its arguments are.
 */
#include "query/series/set_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "query/groups/keys_priv.h"

#define INPUT_KEY             "derived.input_key"
#define ENGINE                "environment.engine.name"
#define ARGUMENT              "server."
#define KEY_DIGITS            16
#define FIELDS_MAX            12 /* in a label */
#define CONFIGURATIONS_PASSED 64 /* between two checks for cancellation */

/* The columns of a key. */
struct parts {
	const struct mirror_column **items;
	size_t count, room;
};

struct keys_work {
	struct series_set *set;
	struct parts parts;  /* of the key */
	struct parts labels; /* that may name a configuration */
	bool *has_explicit;  /* by row: the result records some argument that was set */
	uint64_t *hashes;    /* by row in the bitmap */
};

/* The functions below stop then, and query_series_configure() reports the reason. */
static bool has_ended(const struct keys_work *work)
{
	return mirror_view_goes_on(work->set->view, PL_ERR_IGNORED) < 0;
}

static bool names(const struct request_fields *fields, const struct mirror_column *column)
{
	for (size_t i = 0; i < fields->count; i++) {
		if (fields->items[i] == column)
			return true;
	}
	return false;
}

static void add_part(struct parts *parts, const struct mirror_column *column)
{
	for (size_t i = 0; i < parts->count; i++) {
		if (parts->items[i] == column)
			return;
	}
	if (column != NULL)
		*PL_PUSH(parts->items, parts->count, parts->room) = column;
}

static bool is_input(const struct mirror_column *column)
{
	return column->field->role == RES_FIELD_INPUT && column->field->of == NULL &&
	       mirror_column_is_recorded(column);
}

static bool is_argument(const struct mirror_column *column)
{
	return pl_text_starts(column->field->id, ARGUMENT);
}

/* Returns whether the key has to be made of single inputs. */
static bool leaves_out_inputs(const struct series_set *set)
{
	if (set->is_each)
		return true;
	for (size_t i = 0; i < set->vary.count; i++) {
		if (set->vary.items[i]->field->role == RES_FIELD_INPUT)
			return true;
	}
	return set->version != NULL && set->version->field->role == RES_FIELD_INPUT;
}

static void choose_parts(struct keys_work *work)
{
	struct series_set *set = work->set;

	if (set->is_grouped) {
		for (size_t i = 0; i < set->group_by.count; i++) {
			add_part(&work->parts, set->group_by.items[i]);
			add_part(&work->labels, set->group_by.items[i]);
		}
		return;
	}
	bool is_each = leaves_out_inputs(set);
	const struct mirror_column *engine = mirror_view_column(set->view, ENGINE);
	if (!is_each)
		add_part(&work->parts, mirror_view_column(set->view, INPUT_KEY));
	for (size_t i = 0; i < mirror_view_column_count(set->view); i++) {
		const struct mirror_column *column = mirror_view_at(set->view, i);
		if (!is_input(column) || column == set->version || names(&set->vary, column))
			continue;
		add_part(&work->labels, column);
		if (is_each)
			add_part(&work->parts, column);
	}
	if (engine != NULL && engine != set->version && !names(&set->vary, engine)) {
		add_part(&work->parts, engine);
		add_part(&work->labels, engine);
	}
	for (size_t i = 0; i < set->keep.count; i++) {
		add_part(&work->parts, set->keep.items[i]);
		add_part(&work->labels, set->keep.items[i]);
	}
}

static bool is_chosen(const struct keys_work *work, const struct mirror_column *column,
		      const struct series_row *row, const struct mirror_value *value)
{
	return work->set->is_grouped ||
	       (value->class > MIRROR_NULL &&
		(!is_argument(column) || value->is_explicit || !work->has_explicit[row->index]));
}

static void find_explicit(struct keys_work *work)
{
	struct series_set *set = work->set;

	for (size_t i = 0; i < mirror_view_column_count(set->view); i++) {
		const struct mirror_column *column = mirror_view_at(set->view, i);
		bool has_explicit = false;
		if (!is_argument(column) || !mirror_column_is_recorded(column))
			continue;
		if (has_ended(work))
			return;
		for (uint32_t code = 0; code < column->distinct && !has_explicit; code++)
			has_explicit = mirror_column_value(column, code)->is_explicit;
		for (size_t k = 0; has_explicit && k < set->row_count; k++) {
			const struct series_row *row = &set->rows[k];
			if (!work->has_explicit[row->index])
				work->has_explicit[row->index] =
					mirror_column_at(column, row->place).is_explicit;
		}
	}
}

static void hash_part(struct keys_work *work, const struct mirror_column *column, size_t part)
{
	for (size_t i = 0; i < work->set->row_count; i++) {
		const struct series_row *row = &work->set->rows[i];
		struct mirror_value value = mirror_column_at(column, row->place);
		if (!is_chosen(work, column, row, &value))
			continue;
		uint64_t identity = query_series_identity(
			&value, value.class == MIRROR_NUMBER ? value.number : 0);
		work->hashes[row->index] = query_keys_mix(work->hashes[row->index],
							  query_keys_mix(part + 1, identity));
	}
}

/* ---- configurations ------------------------------------------------------------------------------ */

struct hashed {
	uint64_t hash;
	size_t row;
};

static int compare_hashed(const void *a, const void *b)
{
	const struct hashed *one = a, *other = b;

	if (one->hash != other->hash)
		return one->hash < other->hash ? -1 : 1;
	return one->row < other->row ? -1 : one->row > other->row;
}

static const struct series_row *newest(const struct series_configuration *configuration)
{
	return configuration->rows[configuration->count - 1];
}

/* The hash of the names and values of the key, which other databases compute, too. */
static char *key_of(const struct keys_work *work, struct series_configuration *configuration)
{
	const struct series_row *row = newest(configuration);
	json_t *values = configuration->inputs = json_object();
	char hex[PL_SHA256_HEX_BYTES];

	for (size_t i = 0; i < work->parts.count; i++) {
		const struct mirror_column *column = work->parts.items[i];
		struct mirror_value value = mirror_column_at(column, row->place);
		if (value.class > MIRROR_NULL && is_chosen(work, column, row, &value))
			json_object_set_new(values, column->field->id,
					    query_series_value_json(&value));
	}
	auto_free char *text = res_field_canonical(values);
	pl_sha256(text, strlen(text), hex);
	return pl_strndup(hex, KEY_DIGITS);
}

static int compare_configurations(const void *a, const void *b)
{
	const struct series_configuration *one = a, *other = b;

	return strcmp(one->key, other->key);
}

static void make_configurations(struct keys_work *work)
{
	struct series_set *set = work->set;
	auto_free struct hashed *hashed = pl_alloc_array(set->row_count + 1, sizeof(*hashed));
	size_t room = 0, end;

	for (size_t i = 0; i < set->row_count; i++)
		hashed[i] = (struct hashed){ work->hashes[set->rows[i].index], i };
	qsort(hashed, set->row_count, sizeof(*hashed), compare_hashed);
	for (size_t i = 0; i < set->row_count; i = end) {
		if (set->configuration_count % CONFIGURATIONS_PASSED == 0 && has_ended(work))
			break;
		struct series_configuration *configuration = PL_PUSH(
			set->configurations, set->configuration_count, room);
		size_t from = i;
		for (end = i; end < set->row_count && hashed[end].hash == hashed[i].hash; end++)
			continue;
		if (end - i > set->points_max)
			from = end - set->points_max;
		*configuration = (struct series_configuration){ .older = from - i };
		set->older += from - i;
		configuration->rows = pl_alloc_array(end - from, sizeof(*configuration->rows));
		for (size_t k = from; k < end; k++)
			configuration->rows[configuration->count++] = &set->rows[hashed[k].row];
		configuration->key = key_of(work, configuration);
	}
	if (set->configuration_count > 0)
		qsort(set->configurations, set->configuration_count, sizeof(*set->configurations),
		      compare_configurations);
}

/* ---- labels -------------------------------------------------------------------------------------- */

static uint64_t shown_identity(const struct keys_work *work, const struct mirror_column *column,
			       const struct series_configuration *configuration)
{
	const struct series_row *row = newest(configuration);
	struct mirror_value value = mirror_column_at(column, row->place);

	if (!is_chosen(work, column, row, &value))
		return 0;
	return query_series_identity(&value, value.class == MIRROR_NUMBER ? value.number : 0);
}

/* Arguments and fields of `keep` also differ if only some configurations have a value. */
static bool differs(const struct keys_work *work, const struct mirror_column *column)
{
	const struct series_set *set = work->set;
	uint64_t first = 0;
	bool has_first = false,
	     is_strict = is_argument(column) || set->is_grouped || names(&set->keep, column);

	for (size_t i = 0; i < set->configuration_count; i++) {
		uint64_t identity = shown_identity(work, column, &set->configurations[i]);
		if (identity == 0 && !is_strict)
			continue;
		if (has_first && identity != first)
			return true;
		first = identity;
		has_first = true;
	}
	return false;
}

static json_t *shown_value(const struct mirror_column *column,
			   const struct series_configuration *configuration)
{
	struct mirror_value value = mirror_column_at(column, newest(configuration)->place);

	return query_series_value_json(&value);
}

/* server.model and benchmark.model usually say the same. */
static bool repeats(const struct series_set *set, const struct mirror_column *column, size_t fields)
{
	for (size_t k = 0; k < fields; k++) {
		bool is_same = true;
		for (size_t i = 0; i < set->configuration_count && is_same; i++) {
			const struct series_configuration *configuration = &set->configurations[i];
			auto_json json_t *value = shown_value(column, configuration);
			is_same = json_equal(
				value,
				json_object_get(json_array_get(configuration->fields, k), "value"));
		}
		if (is_same)
			return true;
	}
	return false;
}

static char *label_of(const struct series_configuration *configuration)
{
	auto_buf text = PL_BUF(1u << 20);

	PL_JSON_EACH(field, configuration->fields) {
		auto_free char *value = pl_json_to_plain(json_object_get(field, "value"));
		pl_buf_addf(&text, "%s%s %s", text.len > 0 ? ", " : "",
			    pl_json_get_text(field, "label"), value);
	}
	if (text.len == 0)
		pl_buf_add_text(&text, "all results");
	return pl_buf_take(&text);
}

static void label_configurations(struct keys_work *work)
{
	struct series_set *set = work->set;
	size_t fields = 0;

	for (size_t i = 0; i < set->configuration_count; i++)
		set->configurations[i].fields = json_array();
	for (size_t i = 0; i < work->labels.count && fields < FIELDS_MAX; i++) {
		const struct mirror_column *column = work->labels.items[i];
		const struct res_field *field = column->field;
		if (has_ended(work))
			return;
		if (!differs(work, column) || repeats(set, column, fields))
			continue;
		fields++;
		for (size_t k = 0; k < set->configuration_count; k++)
			json_array_append_new(
				set->configurations[k].fields,
				json_pack("{s:s, s:s, s:o}", "field", field->id, "label",
					  field->short_label != NULL ? field->short_label
								     : field->label,
					  "value", shown_value(column, &set->configurations[k])));
	}
	for (size_t i = 0; i < set->configuration_count; i++)
		set->configurations[i].label = label_of(&set->configurations[i]);
}

int query_series_configure(struct series_set *set, struct pl_err *err)
{
	struct keys_work work = { .set = set };
	int result = 0;

	work.has_explicit = pl_alloc_array(set->bitmap_count + 1, sizeof(*work.has_explicit));
	work.hashes = pl_alloc_array(set->bitmap_count + 1, sizeof(*work.hashes));
	choose_parts(&work);
	if (!set->is_grouped)
		find_explicit(&work);
	for (size_t i = 0; i < work.parts.count && result == 0; i++) {
		result = mirror_view_goes_on(set->view, err);
		if (result == 0)
			hash_part(&work, work.parts.items[i], i);
	}
	if (result == 0) {
		make_configurations(&work);
		label_configurations(&work);
		result = mirror_view_goes_on(set->view, err);
	}
	free(work.has_explicit);
	free(work.hashes);
	free(work.parts.items);
	free(work.labels.items);
	return result;
}
