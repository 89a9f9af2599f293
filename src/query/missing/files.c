/* Experiment files for combinations: what their nearest results ran, with the values of the combinations as points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "experiment/sweep/sweep.h"
#include "option/secret.h"
#include "query/missing/missing_priv.h"
#include "result/fields/fields.h"
#include "vllm/rules.h"
#include "vllm/yaml_out.h"

#define FILE_BYTES_MAX    (4u << 20)
#define MESSAGE_BYTES_MAX 4096
#define PROBLEMS_MAX      10 /* per combination */

void query_files_done(struct grid_files *files)
{
	json_decref(files->items);
}

/* ---- adding ----------------------------------------------------------------------------------- */

static const struct grid_field *leader_of(const struct grid *grid, const struct grid_field *field)
{
	return field->leader == SIZE_MAX ? field : &grid->fields[field->leader];
}

/* Returns the value that the field has in a cell. A follower has that of any row with the same value of its leader. */
static json_t *value_in(const struct grid *grid, const struct grid_field *field, size_t cell)
{
	const struct grid_field *leader = leader_of(grid, field);
	size_t axis = 0, row = 0;

	while (&grid->fields[grid->axes[axis]] != leader)
		axis++;
	size_t code = grid_code(grid, cell, axis);
	while (leader->codes[row] != code)
		row++;
	return query_grid_value(&field->values[field->codes[row]]);
}

/* Removes "server.x" from {"server": {"x": …}}. */
static void remove_key(json_t *experiment, const char *id)
{
	const char *dot = strchr(id, '.');
	auto_free char *section = pl_strndup(id, (size_t)(dot - id));

	json_object_del(json_object_get(experiment, section), dot + 1);
}

/* Sets *ret to the experiment of a row without the fields of the grid, or to NULL if its result contains none. */
static int read_base(const struct grid_files *files, size_t row, json_t **ret, struct pl_err *err)
{
	const struct grid *grid = files->grid;
	auto_json json_t *document = NULL;

	*ret = NULL;
	if (mirror_view_document(grid->view, grid->places[row], &document, err) < 0)
		return -1;
	const json_t *experiment = pl_json_get_path(document, "config.experiment");
	if (!json_is_object(experiment))
		return 0;
	json_t *base = json_deep_copy(experiment);
	json_object_del(base, "name");
	json_object_del(base, "sweep");
	for (size_t i = 0; i < grid->field_count; i++) {
		const struct res_field *field = grid->fields[i].column->field;
		if (query_grid_is_settable(field))
			remove_key(base, field->id);
	}
	remove_key(base, "benchmark.request_id_prefix");
	if (files->varies_seed)
		remove_key(base, "benchmark.seed");
	*ret = base;
	return 0;
}

static json_t *text_of_row(const struct grid *grid, size_t row, const char *id)
{
	const struct mirror_column *column = mirror_view_column(grid->view, id);

	if (column == NULL)
		return json_null();
	struct mirror_value value = mirror_column_at(column, grid->places[row]);
	return query_grid_value(&value);
}

int query_files_add(struct grid_files *files, size_t cell, size_t row, bool is_repeat, int64_t runs,
		    double seconds, int64_t *ret_file, struct pl_err *err)
{
	const char *kind = is_repeat ? "repeat" : "missing";
	const struct grid *grid = files->grid;
	auto_json json_t *base = NULL;
	auto_json json_t *point = json_object();
	auto_json json_t *on = json_object();

	*ret_file = -1;
	if (read_base(files, row, &base, err) < 0)
		return -1;
	if (base == NULL)
		return 0;
	for (size_t i = 0; i < grid->field_count; i++) {
		const struct grid_field *field = &grid->fields[i];
		const char *id = field->column->field->id;
		json_object_set_new(query_grid_is_settable(field->column->field) ? point : on, id,
				    value_in(grid, field, cell));
	}
	auto_json json_t *identity = json_pack("[O, O, s, I]", base, on, kind, (json_int_t)runs);
	auto_free char *key = res_field_canonical(identity);
	if (files->items == NULL)
		files->items = json_array();
	json_t *item = NULL;
	PL_JSON_EACH(other, files->items) {
		if (item == NULL && pl_text_equal(pl_json_get_text(other, "key"), key)) {
			item = json_array_get(files->items, other_at);
			*ret_file = (int64_t)other_at;
		}
	}
	if (item == NULL) {
		*ret_file = (int64_t)json_array_size(files->items);
		item = json_pack("{s:s, s:O, s:O, s:s, s:I, s:[], s:[], s:f, s:o}", "key", key,
				 "experiment", base, "on", on, "kind", kind, "repeats",
				 (json_int_t)runs, "points", "cells", "seconds", 0.0, "version",
				 text_of_row(grid, row, "environment.engine.version"));
		json_array_append_new(files->items, item);
	}
	json_t *cells = json_object_get(item, "cells");
	auto_json json_t *number = json_integer((json_int_t)cell);
	if (pl_json_has(cells, number))
		return 0;
	json_array_append(json_object_get(item, "points"), point);
	json_array_append(cells, number);
	const json_t *sum = json_object_get(item, "seconds");
	json_object_set_new(item, "seconds",
			    pl_json_number(json_is_real(sum)
						   ? json_real_value(sum) + seconds * (double)runs
						   : NAN));
	return 0;
}

/* ---- checking --------------------------------------------------------------------------------- */

static void list_problems(const struct option_problems *problems, json_t *list)
{
	for (size_t i = 0; i < problems->count; i++) {
		struct option_problem problem = problems->items[i];
		auto_buf text = PL_BUF(MESSAGE_BYTES_MAX);
		if (problem.severity != OPTION_ERROR || json_array_size(list) == PROBLEMS_MAX)
			continue;
		problem.source = NULL;
		problem.line = problem.column = 0;
		option_problem_text(&problem, OPTION_AS_FILE, &text);
		size_t len = text.len;
		while (len > 0 && text.data[len - 1] == '\n')
			len--;
		auto_free char *line = pl_strndup(pl_buf_text(&text), len);
		json_array_append_new(list,
				      json_pack("{s:o, s:o}", "key", pl_json_text(problem.key),
						"message", pl_json_text(line)));
	}
}

/*
 * Returns the problems of a combination: those of its reader, and those of vLLM's rules between arguments. Nothing of this
 * host is read. New reference.
 */
static json_t *check(const struct exp_sweep *sweep, const struct exp_sweep_cell *cell,
		     const json_t *item)
{
	const char *version = pl_json_get_text(item, "version");
	auto_problems problems = { 0 };
	auto_experiment struct exp_config *experiment = exp_sweep_config(
		sweep, cell, vllm_catalog_reference(), &problems);
	const struct vllm_rule_env env = VLLM_RULE_ENV_UNKNOWN;
	struct vllm_target target = {
		.version = experiment->launch.vllm_version != NULL ? experiment->launch.vllm_version
								   : version,
		.catalog = experiment->catalog,
	};
	json_t *list = json_array();

	if (problems.errors == 0)
		vllm_rules_check(experiment->server, &target, &env, NULL, NULL, &problems);
	list_problems(&problems, list);
	return list;
}

/* ---- writing ---------------------------------------------------------------------------------- */

/* Adds a text of a result to a comment, in one line. */
static void add_comment_text(struct pl_buf *buf, const char *text)
{
	for (const char *at = text; *at != '\0'; at++) {
		unsigned char byte = (unsigned char)*at;
		/* U+0085, U+2028 and U+2029 end a line of YAML, too: only ASCII remains */
		pl_buf_add_char(buf, byte < 0x20 || byte >= 0x7f ? '?' : *at);
	}
}

static void write_text(const json_t *item, const json_t *points, const char *command,
		       bool has_secrets, struct pl_buf *text)
{
	size_t count = json_array_size(points);

	pl_buf_addf(text, "# %zu combination%s of a grid, as the nearest results ran.\n", count,
		    count == 1 ? "" : "s");
	PL_JSON_EACH_MEMBER(id, value, json_object_get(item, "on")) {
		auto_free char *plain = pl_json_to_text(value, PL_JSON_COMPACT);
		pl_buf_addf(text, "# Run where %s is ", id);
		add_comment_text(text, plain);
		pl_buf_add_text(text, ".\n");
	}
	if (has_secrets)
		pl_buf_add_text(text,
				"# " OPTION_SECRET_SHOWN " replaces a secret; insert the secret, "
				"or ${NAME} in launch.env.\n");
	pl_buf_addf(text, "#\n#   %s\n", command);
	vllm_yaml_add_members(text, json_object_get(item, "experiment"), 0);
	pl_buf_add_text(text, "sweep:\n  points:\n");
	PL_JSON_EACH(point, points) {
		pl_buf_add_text(text, "    - ");
		vllm_yaml_add_inline(text, point);
		pl_buf_add_char(text, '\n');
	}
}

/* Sets *ret_problem to a text (free()) if the file is not valid as a whole. Returns the points to write. */
static json_t *valid_points(const json_t *item, const struct pl_buf *text, json_t *invalid,
			    char **ret_problem)
{
	const json_t *cells = json_object_get(item, "cells"),
		     *all = json_object_get(item, "points");
	auto_problems problems = { 0 };
	auto_sweep struct exp_sweep *sweep = NULL;
	struct pl_err err = PL_ERR_INIT;
	json_t *points = json_array();

	if (exp_sweep_read(vllm_catalog_reference(), pl_buf_text(text), text->len, "file", NULL, 0,
			   &sweep, &problems, &err) < 0) {
		*ret_problem = pl_strdup(err.text);
		return points;
	}
	if (sweep == NULL || sweep->count != json_array_size(all)) {
		auto_json json_t *list = json_array();
		list_problems(&problems, list);
		const char *first = pl_json_get_text(json_array_get(list, 0), "message");
		*ret_problem = pl_strdup(first != NULL ? first : "two combinations are equal");
		return points;
	}
	for (size_t i = 0; i < sweep->count; i++) {
		auto_json json_t *list = check(sweep, &sweep->cells[i], item);
		char key[32];
		snprintf(key, sizeof(key), "%lld",
			 (long long)json_integer_value(json_array_get(cells, i)));
		if (json_array_size(list) > 0)
			json_object_set(invalid, key, list);
		else
			json_array_append(points, json_array_get(all, i));
	}
	return points;
}

static json_t *write_file(const json_t *item, size_t at, json_t *invalid)
{
	json_int_t repeats = json_integer_value(json_object_get(item, "repeats"));
	auto_free char *experiment = pl_json_to_text(json_object_get(item, "experiment"),
						     PL_JSON_COMPACT);
	bool has_secrets = strstr(experiment, OPTION_SECRET_SHOWN) != NULL;
	auto_free char *folder = pl_asprintf("%s-%zu", pl_json_get_text(item, "kind"), at + 1);
	auto_free char *name = pl_asprintf("%s.yaml", folder);
	auto_free char *command =
		repeats > 1 ? pl_asprintf("profllm sweep run --repeats %lld --order interleaved "
					  "--output-dir %s %s",
					  (long long)repeats, folder, name)
			    : pl_asprintf("profllm sweep run --output-dir %s %s", folder, name);
	auto_free char *problem = NULL;
	auto_buf draft = PL_BUF(FILE_BYTES_MAX);
	auto_buf text = PL_BUF(FILE_BYTES_MAX);

	write_text(item, json_object_get(item, "points"), command, has_secrets, &draft);
	if (draft.full)
		problem = pl_strdup("the experiment is larger than 4 MiB");
	auto_json json_t *points = draft.full ? json_array()
					      : valid_points(item, &draft, invalid, &problem);
	if (json_array_size(points) > 0)
		write_text(item, points, command, has_secrets, &text);
	return json_pack("{s:s, s:O, s:I, s:I, s:O, s:s, s:o, s:o, s:b}", "name", name, "on",
			 json_object_get(item, "on"), "repeats", repeats, "combination_count",
			 (json_int_t)json_array_size(points), "seconds",
			 json_object_get(item, "seconds"), "command", command, "text",
			 json_array_size(points) > 0 ? pl_json_text(pl_buf_text(&text))
						     : json_null(),
			 "problem", pl_json_text(problem), "secrets", (int)has_secrets);
}

json_t *query_files_write(const struct grid_files *files, json_t **ret_invalid)
{
	json_t *list = json_array();

	*ret_invalid = json_object();
	PL_JSON_EACH(item, files->items)
		json_array_append_new(list, write_file(item, item_at, *ret_invalid));
	return list;
}
