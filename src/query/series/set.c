#include "query/series/set_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "mirror/kernels/kernels.h"
#include "query/groups/compared_priv.h"
#include "query/order.h"
#include "vllm/version.h"

#define TIME            "run.timestamp"
#define VERSION_DEFAULT "environment.engine.version"
#define TIME_BITS       44 /* of milliseconds since 1970: until 2527 */
#define TIME_MAX_MS     (((int64_t)1 << TIME_BITS) - 1)
#define ARENA_BYTES     (64u << 10)
#define ORDER_DIGITS    20
#define ROWS_PASSED     4096 /* between two checks for cancellation */

void query_series_set_done(struct series_set *set)
{
	for (size_t i = 0; i < set->configuration_count; i++) {
		struct series_configuration *configuration = &set->configurations[i];
		free(configuration->key);
		free(configuration->label);
		json_decref(configuration->fields);
		json_decref(configuration->inputs);
		free(configuration->rows);
	}
	free(set->configurations);
	for (size_t i = 0; i < set->version_count; i++)
		free(set->versions[i].label);
	free(set->versions);
	free(set->rows);
	free(set->bitmap);
	pl_arena_free(set->arena);
	free(set->vary.items);
	free(set->keep.items);
	free(set->group_by.items);
	query_filter_free(set->filter);
	mirror_view_free(set->view);
	query_pointer_done(&set->pointer);
	free(set->ids.items);
}

/* ---- the request --------------------------------------------------------------------------------- */

/* `field` of a request about two releases, or of the order. */
static const json_t *version_json(const json_t *request)
{
	const json_t *field = query_request_member(request, "field");

	return field != NULL
		       ? field
		       : query_request_member(query_request_member(request, "order"), "field");
}

int query_series_set_open(const struct mirror_snapshot *snapshot, const json_t *request,
			  struct series_set *set, struct pl_err *err)
{
	static const char *const lists[] = { "vary", "keep", "group_by", "metrics", "axes" };
	const char *metric = json_string_value(query_request_member(request, "metric"));

	set->began_ns = pl_clock_now_ns();
	set->version_id = json_string_value(version_json(request));
	if (set->version_id == NULL)
		set->version_id = VERSION_DEFAULT;
	query_filter_fields(query_request_member(request, "filter"), &set->ids);
	for (size_t i = 0; i < PL_ARRAY_SIZE(lists); i++)
		query_request_ids(query_request_member(request, lists[i]), &set->ids);
	*PL_PUSH(set->ids.items, set->ids.count, set->ids.room) = set->version_id;
	if (metric != NULL)
		*PL_PUSH(set->ids.items, set->ids.count, set->ids.room) = metric;
	return mirror_view_new(snapshot, &set->ids, &set->view, err);
}

static bool read_list(struct series_set *set, const json_t *request, const char *key,
		      struct request_fields *ret)
{
	return query_request_member(request, key) == NULL ||
	       query_request_columns(&set->pointer, set->view, request, key, ret);
}

bool query_series_set_read(struct series_set *set, const json_t *request)
{
	const json_t *order = query_request_member(request, "order");
	bool fits = query_filter_new(set->view, query_request_member(request, "filter"), "/filter",
				     &set->filter, set->pointer.faults) == 0;

	set->is_by_version = pl_text_equal(pl_json_get_text(order, "by"), "version");
	set->budget_ms = query_request_number(request, "budget_ms", 0);
	set->is_grouped = query_request_member(request, "group_by") != NULL;
	fits = read_list(set, request, "vary", &set->vary) && fits;
	fits = read_list(set, request, "keep", &set->keep) && fits;
	fits = read_list(set, request, "group_by", &set->group_by) && fits;
	if (query_request_member(request, "field") != NULL)
		return query_request_field(&set->pointer, set->view, request, "field",
					   &set->version) &&
		       fits;
	size_t before = query_pointer_enter(&set->pointer, "order");
	if (version_json(request) != NULL)
		fits = query_request_field(&set->pointer, set->view, order, "field",
					   &set->version) &&
		       fits;
	else
		set->version = mirror_view_column(set->view, set->version_id);
	query_pointer_leave(&set->pointer, before);
	return fits;
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static bool is_wanted(const struct series_set *set, size_t place)
{
	struct mirror_value value = query_series_value(set->version, place);

	PL_JSON_EACH(wanted, set->wanted) {
		if (query_series_value_is(&value, wanted))
			return true;
	}
	return false;
}

static void keep_wanted(struct series_set *set)
{
	for (size_t word = 0; word < mirror_view_words(set->view); word++) {
		for (uint64_t bits = set->bitmap[word]; bits != 0; bits &= bits - 1) {
			size_t bit = (size_t)__builtin_ctzll(bits);
			if (!is_wanted(set, word * MIRROR_WORD_ROWS + bit))
				set->bitmap[word] &= ~(UINT64_C(1) << bit);
		}
	}
}

static void select_rows(struct series_set *set, bool with_simulated)
{
	const struct mirror_kernels *kernels = mirror_kernels();
	size_t words = mirror_view_words(set->view);
	auto_free uint64_t *simulated = pl_alloc_array(words, sizeof(*simulated));

	set->bitmap = pl_alloc_array(words, sizeof(*set->bitmap));
	if (words > 0)
		memcpy(set->bitmap, query_filter_rows(set->filter), words * sizeof(*set->bitmap));
	if (set->wanted != NULL)
		keep_wanted(set);
	query_compared_simulated(set->view, simulated);
	size_t count = kernels->count_and(set->bitmap, simulated, words);
	if (!with_simulated && count < kernels->count(set->bitmap, words)) {
		kernels->and_not(set->bitmap, set->bitmap, simulated, words);
		set->simulated = count;
	}
	set->bitmap_count = kernels->count(set->bitmap, words);
}

static void put_digits(char digits[ORDER_DIGITS], int64_t number)
{
	for (size_t i = ORDER_DIGITS; i-- > 0; number /= 10)
		digits[i] = (char)('0' + number % 10);
}

/*
 * Rows of the same time are in the order of their run_ids, which does not depend on the order of uploads: time, run_id and
 * id, with a space between them.
 */
static const char *order_of(struct series_set *set, const struct series_row *row)
{
	const char *run_id = mirror_view_run_id(set->view, row->place);
	size_t len = run_id != NULL ? strlen(run_id) : 0;
	char *text = pl_arena_alloc(set->arena, len + 2 * ORDER_DIGITS + 3), *at = text;

	put_digits(at, row->time_us + (INT64_C(1) << 60));
	at += ORDER_DIGITS;
	*at++ = ' ';
	if (len > 0)
		memcpy(at, run_id, len);
	at += len;
	*at++ = ' ';
	put_digits(at, row->id);
	at[ORDER_DIGITS] = '\0';
	return text;
}

static void read_row(struct series_set *set, const struct mirror_column *time, size_t place,
		     size_t index)
{
	struct mirror_value value = query_series_value(time, place);
	struct mirror_value version = query_series_value(set->version, place);

	if (value.class != MIRROR_TEXT || !value.is_time)
		set->no_time++;
	else if (set->is_by_version && version.class <= MIRROR_NULL)
		set->no_version++;
	else
		set->rows[set->row_count++] = (struct series_row){ .place = place,
								   .index = index,
								   .id = mirror_view_id(set->view,
											place),
								   .time_us = value.time_us,
								   .at = value.time_us };
}

static int read_rows(struct series_set *set, struct pl_err *err)
{
	const struct mirror_column *time = mirror_view_column(set->view, TIME);
	size_t index = 0;

	set->rows = pl_alloc_array(set->bitmap_count + 1, sizeof(*set->rows));
	for (size_t word = 0; word < mirror_view_words(set->view); word++) {
		if (word % MIRROR_SEGMENT_WORDS == 0 && mirror_view_goes_on(set->view, err) < 0)
			return -1;
		for (uint64_t bits = set->bitmap[word]; bits != 0; bits &= bits - 1)
			read_row(set, time, word * MIRROR_WORD_ROWS + (size_t)__builtin_ctzll(bits),
				 index++);
	}
	return 0;
}

static int set_orders(struct series_set *set, struct pl_err *err)
{
	for (size_t i = 0; i < set->row_count; i++) {
		if (i % ROWS_PASSED == 0 && mirror_view_goes_on(set->view, err) < 0)
			return -1;
		set->rows[i].order = order_of(set, &set->rows[i]);
	}
	return 0;
}

/* ---- versions ------------------------------------------------------------------------------------ */

struct found_version {
	uint64_t identity;
	size_t row;
};

static int compare_found(const void *a, const void *b)
{
	const struct found_version *one = a, *other = b;

	if (one->identity != other->identity)
		return one->identity < other->identity ? -1 : 1;
	return one->row < other->row ? -1 : one->row > other->row;
}

static int compare_releases(const struct series_version *a, const struct series_version *b)
{
	struct vllm_version one, other;
	struct pl_err ignored = PL_ERR_INIT;

	if (vllm_version_parse(a->label, &one, &ignored) < 0 ||
	    vllm_version_parse(b->label, &other, &ignored) < 0)
		return 0;
	return vllm_version_compare(&one, &other);
}

static int compare_versions(const void *a, const void *b, void *context)
{
	const struct series_set *set = context;
	const struct series_version *one = &set->versions[*(const uint32_t *)a];
	const struct series_version *other = &set->versions[*(const uint32_t *)b];
	int difference = one->is_release ? compare_releases(one, other) : 0;

	if (difference != 0)
		return difference;
	if (one->first_us != other->first_us)
		return one->first_us < other->first_us ? -1 : 1;
	return strcmp(one->label, other->label);
}

/* Sets the version of each row; versions are in the order of their identities. */
static void find_versions(struct series_set *set)
{
	auto_free struct found_version *found = pl_alloc_array(set->row_count + 1, sizeof(*found));
	auto_free uint64_t *identities = pl_alloc_array(set->bitmap_count + 1, sizeof(*identities));
	size_t room = 0;

	if (set->version == NULL)
		return;
	query_series_identities(set, set->version, identities);
	for (size_t i = 0; i < set->row_count; i++)
		found[i] = (struct found_version){ identities[set->rows[i].index], i };
	qsort(found, set->row_count, sizeof(*found), compare_found);
	for (size_t i = 0; i < set->row_count; i++) {
		struct series_row *row = &set->rows[found[i].row];
		if (found[i].identity == 0)
			continue;
		if (i == 0 || found[i].identity != found[i - 1].identity) {
			struct mirror_value value = query_series_value(set->version, row->place);
			*PL_PUSH(set->versions, set->version_count, room) =
				(struct series_version){ .value = value,
							 .label = query_series_value_text(&value),
							 .first_us = INT64_MAX };
		}
		struct series_version *version = &set->versions[set->version_count - 1];
		version->first_us = row->time_us < version->first_us ? row->time_us
								     : version->first_us;
		version->count++;
		row->version = (uint32_t)set->version_count;
	}
}

static bool are_releases(const struct series_set *set)
{
	for (size_t i = 0; i < set->version_count; i++) {
		struct vllm_version version;
		struct pl_err ignored = PL_ERR_INIT;
		if (vllm_version_parse(set->versions[i].label, &version, &ignored) < 0 ||
		    vllm_version_is_untagged(&version))
			return false;
	}
	return true;
}

/*
 * Results of one version have one rank. Their changes need a finer axis: without it a change among
 * them has no place between two positions, and no incident or cause.
 */
static int64_t position_of(const struct series_set *set, const struct series_row *row)
{
	int64_t ms = row->time_us / 1000;

	if (!set->is_by_version)
		return row->time_us;
	ms = ms < 0 ? 0 : ms;
	ms = ms > TIME_MAX_MS ? TIME_MAX_MS : ms;
	return (row->at << TIME_BITS) + ms;
}

int64_t query_series_at(const struct series_set *set, int64_t position)
{
	return set->is_by_version ? position >> TIME_BITS : position;
}

static void order_versions(struct series_set *set)
{
	bool is_release = are_releases(set);
	auto_free uint32_t *order = pl_alloc_array(set->version_count + 1, sizeof(*order));
	auto_free uint32_t *rank = pl_alloc_array(set->version_count + 1, sizeof(*rank));
	struct series_version *sorted = pl_alloc_array(set->version_count + 1, sizeof(*sorted));

	for (uint32_t i = 0; i < set->version_count; i++) {
		set->versions[i].is_release = is_release;
		order[i] = i;
	}
	qsort_r(order, set->version_count, sizeof(*order), compare_versions, set);
	for (uint32_t i = 0; i < set->version_count; i++) {
		sorted[i] = set->versions[order[i]];
		rank[order[i]] = i;
	}
	for (size_t i = 0; i < set->row_count; i++) {
		struct series_row *row = &set->rows[i];
		row->version = row->version > 0 ? rank[row->version - 1] + 1 : 0;
		if (set->is_by_version)
			row->at = row->version - 1;
		row->position = position_of(set, row);
	}
	free(set->versions);
	set->versions = sorted;
}

static int compare_rows(const void *a, const void *b)
{
	const struct series_row *one = a, *other = b;

	if (one->at != other->at)
		return one->at < other->at ? -1 : 1;
	if (one->time_us != other->time_us)
		return one->time_us < other->time_us ? -1 : 1;
	return strcmp(one->order, other->order);
}

static int read_versions(struct series_set *set, const json_t *request, struct pl_err *err)
{
	select_rows(set, json_is_true(json_object_get(request, "simulated")));
	if (read_rows(set, err) < 0)
		return -1;
	find_versions(set);
	order_versions(set);
	return mirror_view_goes_on(set->view, err);
}

static void forget_rows(struct series_set *set)
{
	for (size_t i = 0; i < set->version_count; i++)
		free(set->versions[i].label);
	free(set->versions);
	free(set->rows);
	free(set->bitmap);
	set->versions = NULL;
	set->rows = NULL;
	set->bitmap = NULL;
	set->version_count = set->row_count = set->bitmap_count = 0;
	set->simulated = set->no_time = set->no_version = 0;
}

int query_series_set_values(struct series_set *set, const json_t *request, json_t **ret,
			    struct pl_err *err)
{
	if (read_versions(set, request, err) < 0)
		return -1;
	*ret = json_array();
	for (size_t i = 0; i < set->version_count; i++) {
		const struct series_version *version = &set->versions[i];
		json_array_append_new(*ret, json_pack("{s:o, s:s, s:I}", "value",
						      query_series_value_json(&version->value),
						      "label", version->label, "count",
						      (json_int_t)version->count));
	}
	forget_rows(set);
	return 0;
}

int query_series_set_fill(struct series_set *set, const json_t *request, struct pl_err *err)
{
	if (read_versions(set, request, err) < 0)
		return -1;
	set->arena = pl_arena_new(ARENA_BYTES);
	if (set_orders(set, err) < 0)
		return -1;
	qsort(set->rows, set->row_count, sizeof(*set->rows), compare_rows);
	if (mirror_view_goes_on(set->view, err) < 0)
		return -1;
	return query_series_configure(set, err);
}
