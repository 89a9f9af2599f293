/*
 * Finds the files of a split, in the forms in which a dataset is on a disk:
 *
 *	FILE                              that file
 *	state.json, *.arrow               Dataset.save_to_disk()
 *	dataset_dict.json, SPLIT/         DatasetDict.save_to_disk()
 *	datasets--ORG--NAME/snapshots/…   the cache of the hub, also found by the dataset's name
 *	README.md with `configs`, files   a snapshot of the hub
 *	files with a split in their names any directory: data/SPLIT-00000-of-00001.*, then directories, then file names
 *
 * The order of the files is that of their paths, as for Python's `datasets`.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/hub.h"
#include "base/json.h"
#include "base/text.h"
#include "base/yaml.h"
#include "bench/data/hf/hf_priv.h"

#define FILES_MAX     100000
#define DEPTH_MAX     8
#define REF_BYTES_MAX 256
#define README_MAX    ((size_t)4 << 20)
#define SEPARATORS    "-._ 0123456789"

/* A file below the directory of the dataset, and its split. */
struct found {
	char *path; /* relative */
	char *split;
};

struct listing {
	const char *root;
	struct found *items;
	size_t count;
	size_t room;
};

static void listing_done(struct listing *listing)
{
	for (size_t i = 0; i < listing->count; i++) {
		free(listing->items[i].path);
		free(listing->items[i].split);
	}
	free(listing->items);
}
#define auto_listing __attribute__((cleanup(listing_done), unused)) struct listing

static const char *env_text(const void *user, const char *name)
{
	const char *value = getenv(name);

	(void)user;
	return value != NULL && value[0] != '\0' ? value : NULL;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool has_file(const char *folder, const char *name)
{
	auto_free char *path = pl_asprintf("%s/%s", folder, name);

	return pl_file_exists(path);
}

/* ---- the directory --------------------------------------------------------------------------- */

/* Returns "org/name" of ".../datasets--org--name/..."; NULL: there is none. */
static char *name_in_path(const char *path)
{
	const char *at = strstr(path, "datasets--");
	auto_free char *name = at != NULL ? pl_strndup(at + 10, strcspn(at + 10, "/")) : NULL;
	char *middle = name != NULL ? strstr(name, "--") : NULL;

	if (middle == NULL)
		return NULL;
	*middle = '\0';
	return pl_asprintf("%s/%s", name, middle + 2);
}

char *bench_hf_name(const struct vllm_bench *bench)
{
	if (bench->hf_name != NULL)
		return pl_strdup(bench->hf_name);
	char *name = name_in_path(bench->dataset_path);
	return name != NULL ? name : pl_strdup(bench->dataset_path);
}

/* Returns the snapshot of the main branch, or the only one; NULL: there is none. */
static char *snapshot_of(const char *repository)
{
	auto_free char *ref = pl_asprintf("%s/refs/main", repository);
	auto_free char *text = pl_file_text(ref, REF_BYTES_MAX, NULL);
	auto_free char *snapshots = pl_asprintf("%s/snapshots", repository);
	auto_free char *only = NULL;
	size_t count = 0;

	if (text != NULL) {
		const char *commit = pl_text_trim(text);
		auto_free char *path = pl_asprintf("%s/%s", snapshots, commit);
		if (commit[0] != '\0' && strchr(commit, '/') == NULL && is_folder(path))
			return pl_take(path);
	}
	auto_dir dir = opendir(snapshots);
	for (const char *name; (name = pl_dir_next(dir)) != NULL; count++) {
		free(only);
		only = pl_asprintf("%s/%s", snapshots, name);
	}
	return count == 1 && is_folder(only) ? pl_take(only) : NULL;
}

int bench_hf_root(const struct vllm_bench *bench, char **ret, struct pl_err *err)
{
	const char *name = bench->dataset_path;
	auto_free char *path = pl_hub_expand(name, env_text, NULL);

	if (pl_file_exists(path)) {
		char *snapshot = is_folder(path) ? snapshot_of(path) : NULL;
		*ret = snapshot != NULL ? snapshot : pl_take(path);
		return 0;
	}
	if (!pl_hub_is_name(name) || strchr(name, '/') == NULL)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "'%s' does not exist", name);
	auto_free char *folder = pl_hub_folder(env_text, NULL);
	auto_free char *repository = pl_hub_repository(folder, "datasets", name);
	*ret = snapshot_of(repository);
	if (*ret != NULL)
		return 0;
	return pl_err_set(err, PL_ERR_NOT_FOUND,
			  "'%s' is not on this host: found neither that path nor '%s'; fetch it "
			  "with: hf download --repo-type dataset %s",
			  name, repository, name);
}

/* ---- listing --------------------------------------------------------------------------------- */

/* Returns the index of the format of a file that may hold records; -1: none. */
static int format_of(const char *path)
{
	static const char *const ends[] = { ".parquet", ".jsonl", ".json", ".csv", ".arrow" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(ends); i++) {
		if (pl_text_ends(path, ends[i]))
			return i == 2 ? 1 : (int)i;
	}
	return -1;
}

static bool is_metadata(const char *name)
{
	return strcmp(name, "dataset_info.json") == 0 || strcmp(name, "dataset_infos.json") == 0 ||
	       strcmp(name, "dataset_dict.json") == 0 || strcmp(name, "state.json") == 0;
}

/* A directory that is open while its files are listed, and the one that contains it. */
struct open_folder {
	const struct open_folder *above;
	dev_t device;
	ino_t inode;
};

/* Returns whether a link leads back to one of the open directories. */
static bool is_open(const struct open_folder *folder, const struct stat *st)
{
	for (; folder != NULL; folder = folder->above) {
		if (folder->device == st->st_dev && folder->inode == st->st_ino)
			return true;
	}
	return false;
}

static int list_folder(struct listing *listing, const char *below, unsigned depth,
		       const struct open_folder *above, struct pl_err *err)
{
	auto_free char *folder = pl_asprintf("%s%s%s", listing->root, below[0] != '\0' ? "/" : "",
					     below);
	auto_dir dir = opendir(folder);

	struct stat st;

	if (dir == NULL || fstat(dirfd(dir), &st) < 0)
		return pl_err_errno(err, "could not open '%s'", folder);
	if (is_open(above, &st))
		return 0;
	const struct open_folder open = { above, st.st_dev, st.st_ino };
	for (const char *name; (name = pl_dir_next(dir)) != NULL;) {
		auto_free char *path = pl_asprintf("%s%s%s", below, below[0] != '\0' ? "/" : "",
						   name);
		auto_free char *whole = pl_asprintf("%s/%s", listing->root, path);
		if (name[0] == '.' || is_metadata(name) || pl_text_starts(name, "__"))
			continue;
		if (is_folder(whole)) {
			if (depth > 0 && list_folder(listing, path, depth - 1, &open, err) < 0)
				return -1;
		} else if (format_of(name) >= 0) {
			if (listing->count == FILES_MAX)
				return pl_err_invalid(err, "'%s' has more than %d files",
						      listing->root, FILES_MAX);
			*PL_PUSH(listing->items, listing->count,
				 listing->room) = (struct found){ .path = pl_take(path) };
		}
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct found *)a)->path, ((const struct found *)b)->path);
}

/* Keeps the files of the format that most have. */
static void keep_one_format(struct listing *listing)
{
	size_t counts[8] = { 0 }, kept = 0;
	int most = 0;

	for (size_t i = 0; i < listing->count; i++)
		counts[format_of(listing->items[i].path)]++;
	for (int i = 1; i < (int)PL_ARRAY_SIZE(counts); i++)
		most = counts[i] > counts[most] ? i : most;
	for (size_t i = 0; i < listing->count; i++) {
		if (format_of(listing->items[i].path) == most)
			listing->items[kept++] = listing->items[i];
		else
			free(listing->items[i].path);
	}
	listing->count = kept;
}

/* ---- splits by names ------------------------------------------------------------------------- */

static const struct {
	const char *split;
	const char *words[4];
} keywords[] = {
	{ "train", { "train", "training" } },
	{ "validation", { "validation", "valid", "dev", "val" } },
	{ "test", { "test", "testing", "eval", "evaluation" } },
};

static bool is_separator(char c)
{
	return c == '\0' || c == '/' || strchr(SEPARATORS, c) != NULL;
}

/* Returns whether a part of the text, between separators, is the word. */
static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = text; (at = strstr(at, word)) != NULL; at++) {
		if ((at == text || is_separator(at[-1])) && is_separator(at[len]))
			return true;
	}
	return false;
}

static const char *split_in(const char *text)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(keywords); i++) {
		for (size_t k = 0; k < PL_ARRAY_SIZE(keywords[i].words); k++) {
			if (keywords[i].words[k] != NULL && has_word(text, keywords[i].words[k]))
				return keywords[i].split;
		}
	}
	return NULL;
}

/* "data/SPLIT-00000-of-00001.parquet" */
static char *split_of_shard(const char *path)
{
	const char *name = pl_text_starts(path, "data/") ? path + 5 : NULL;
	const char *dash = name != NULL ? strstr(name, "-of-") : NULL;

	if (dash == NULL || dash - name < 7 || dash[-6] != '-' ||
	    strspn(dash - 5, "0123456789") != 5 || strspn(dash + 4, "0123456789") != 5)
		return NULL;
	return pl_strndup(name, (size_t)(dash - 6 - name));
}

static char *split_of_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	auto_free char *folder = slash != NULL ? pl_strndup(path, (size_t)(slash - path)) : NULL;
	const char *split = folder != NULL ? split_in(folder) : NULL;

	return split != NULL ? pl_strdup(split) : NULL;
}

static char *split_of_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *split = split_in(slash != NULL ? slash + 1 : path);

	return split != NULL ? pl_strdup(split) : NULL;
}

static char *split_of_all(const char *path)
{
	(void)path;
	return pl_strdup("train");
}

/* The first rule that gives any file a split decides about all files. */
static void set_splits(struct listing *listing)
{
	static char *(*const rules[])(const char *path) = { split_of_shard, split_of_folder,
							    split_of_name, split_of_all };
	bool any = false;

	for (size_t rule = 0; !any && rule < PL_ARRAY_SIZE(rules); rule++) {
		for (size_t i = 0; i < listing->count; i++) {
			listing->items[i].split = rules[rule](listing->items[i].path);
			any = any || listing->items[i].split != NULL;
		}
	}
}

/* ---- splits of a README ---------------------------------------------------------------------- */

/* Makes every line end with a line feed alone. */
static void drop_returns(char *text)
{
	char *to = text;

	for (const char *at = text; *at != '\0'; at++) {
		if (at[0] != '\r' || at[1] != '\n')
			*to++ = *at;
	}
	*to = '\0';
}

/* Returns the settings at the start of README.md; NULL: there are none. */
static json_t *read_front(const char *root)
{
	auto_free char *path = pl_asprintf("%s/README.md", root);
	auto_free char *text = pl_file_text(path, README_MAX, NULL);
	PL_AUTO(pl_yaml_free) struct pl_yaml_doc *doc = NULL;
	if (text != NULL)
		drop_returns(text);
	char *end = text != NULL && pl_text_starts(text, "---\n") ? strstr(text + 4, "\n---")
								  : NULL;

	if (end == NULL ||
	    pl_yaml_parse(text + 4, (size_t)(end + 1 - text - 4), path, &doc, PL_ERR_IGNORED) < 0)
		return NULL;
	return pl_yaml_to_json(pl_yaml_root(doc));
}

static bool matches(const char *pattern, const char *path)
{
	bool crosses = strstr(pattern, "**") != NULL;

	if (fnmatch(pattern, path, crosses ? 0 : FNM_PATHNAME) == 0)
		return true;
	return pl_text_starts(pattern, "**/") && fnmatch(pattern + 3, path, FNM_PATHNAME) == 0;
}

/* Adds the files that match the patterns, in the order of these. A file may be in several splits. */
static void match_paths(const struct listing *listing, const json_t *paths, const char *folder,
			const char *split, struct listing *ret)
{
	auto_strv patterns = { 0 };

	if (json_is_string(paths))
		pl_strv_add(&patterns, json_string_value(paths));
	pl_strv_add_json(&patterns, json_is_array(paths) ? paths : NULL);
	for (size_t k = 0; k < patterns.count; k++) {
		auto_free char *pattern = pl_asprintf("%s%s%s", folder != NULL ? folder : "",
						      folder != NULL ? "/" : "", patterns.items[k]);
		for (size_t i = 0; i < listing->count && ret->count < FILES_MAX; i++) {
			if (matches(pattern, listing->items[i].path))
				*PL_PUSH(ret->items, ret->count, ret->room) =
					(struct found){ .path = pl_strdup(listing->items[i].path),
							.split = pl_strdup(split) };
		}
	}
}

/* The forms of data_files: a path, a list of paths, or a list of objects with `split` and `path`. */
static void match_config(const struct listing *listing, const json_t *config, struct listing *ret)
{
	const json_t *files = json_object_get(config, "data_files");
	const char *folder = pl_json_get_text(config, "data_dir");

	if (json_is_object(json_array_get(files, 0))) {
		PL_JSON_EACH(item, files) {
			const char *split = pl_json_get_text(item, "split");
			match_paths(listing, json_object_get(item, "path"), folder,
				    split != NULL ? split : "train", ret);
		}
	} else {
		match_paths(listing, files, folder, "train", ret);
	}
}

static int refuse_subset(const struct vllm_bench *bench, const json_t *configs, struct pl_err *err)
{
	auto_buf names = PL_BUF(4096);

	PL_JSON_EACH(config, configs)
		pl_buf_addf(&names, "%s%s", names.len > 0 ? ", " : "",
			    pl_json_get_text(config, "config_name"));
	return pl_err_invalid(err, "found %s%s%s, expected --hf-subset (hf_subset) with one of %s",
			      bench->hf_subset != NULL ? "subset '" : "no subset",
			      bench->hf_subset != NULL ? bench->hf_subset : "",
			      bench->hf_subset != NULL ? "'" : "", pl_buf_text(&names));
}

/*
 * Adds the files of the requested configuration of the README. Returns 0: it names none. Then *ret_folder is its
 * directory, which the caller owns, or NULL: there is no configuration.
 */
static int set_configured(const struct vllm_bench *bench, const struct listing *listing,
			  struct listing *ret, char **ret_folder, struct pl_err *err)
{
	auto_json json_t *front = read_front(listing->root);
	const json_t *configs = json_object_get(front, "configs"), *chosen = NULL;

	if (json_array_size(configs) == 0)
		return 0;
	PL_JSON_EACH(config, configs) {
		const char *name = pl_json_get_text(config, "config_name");
		bool is_it = bench->hf_subset != NULL ? pl_text_equal(name, bench->hf_subset)
						      : pl_text_equal(name, "default") ||
								pl_json_get_true(config, "default");
		chosen = is_it && chosen == NULL ? config : chosen;
	}
	if (chosen == NULL && bench->hf_subset == NULL) {
		/* the questions of gsm8k are in the first of its two subsets */
		if (json_array_size(configs) == 1 ||
		    pl_text_equal(pl_json_get_text(json_array_get(configs, 0), "config_name"),
				  "main"))
			chosen = json_array_get(configs, 0);
	}
	if (chosen == NULL)
		return refuse_subset(bench, configs, err);
	match_config(listing, chosen, ret);
	if (ret->count == FILES_MAX)
		return pl_err_invalid(err, "'%s': README.md names %d files or more", listing->root,
				      FILES_MAX);
	if (json_object_get(chosen, "data_files") != NULL)
		return 1;
	const char *folder = pl_json_get_text(chosen, "data_dir");
	*ret_folder = pl_asprintf("%s%s%s", listing->root, folder != NULL ? "/" : "",
				  folder != NULL ? folder : "");
	return 0;
}

/* ---- the requested split --------------------------------------------------------------------- */

/* Adds the files of the split, or refuses: `split` NULL is the only one. */
static int take_split(const struct listing *listing, const char *split, struct pl_strv *ret,
		      struct pl_err *err)
{
	auto_buf names = PL_BUF(4096);
	size_t splits = 0;
	const char *only = NULL;

	for (size_t i = 0; i < listing->count; i++) {
		const char *name = listing->items[i].split;
		bool is_new = name != NULL;
		for (size_t k = 0; k < i && is_new; k++)
			is_new = !pl_text_equal(listing->items[k].split, name);
		if (!is_new)
			continue;
		pl_buf_addf(&names, "%s%s", splits++ > 0 ? ", " : "", name);
		only = name;
	}
	if (split == NULL && splits == 1)
		split = only;
	for (size_t i = 0; split != NULL && i < listing->count; i++) {
		if (pl_text_equal(listing->items[i].split, split))
			pl_strv_addf(ret, "%s/%s", listing->root, listing->items[i].path);
	}
	if (ret->count > 0)
		return 0;
	if (splits == 0)
		return pl_err_invalid(err,
				      "'%s' has no file of records (.parquet, .jsonl, .json, .csv, "
				      ".arrow)",
				      listing->root);
	return pl_err_invalid(
		err, "'%s': found %s%s%s, expected --hf-split (hf_split) with one of %s",
		listing->root, split != NULL ? "split '" : "no split", split != NULL ? split : "",
		split != NULL ? "'" : "", pl_buf_text(&names));
}

/* Dataset.save_to_disk(): state.json lists the files. */
static int take_saved(const char *root, struct pl_strv *ret, struct pl_err *err)
{
	auto_free char *path = pl_asprintf("%s/state.json", root);
	auto_json json_t *state = NULL;

	if (pl_json_read_file(path, &state, err) < 0)
		return -1;
	if (json_array_size(json_object_get(state, "_indices_data_files")) > 0)
		return pl_err_invalid(err,
				      "'%s': the records were selected by indices; save the "
				      "dataset after flatten_indices()",
				      root);
	PL_JSON_EACH(item, json_object_get(state, "_data_files")) {
		const char *name = pl_json_get_text(item, "filename");
		if (name == NULL || strchr(name, '/') != NULL)
			return pl_err_invalid(err, "%s: expected '_data_files' with file names",
					      path);
		pl_strv_addf(ret, "%s/%s", root, name);
	}
	return ret->count > 0 ? 0
			      : pl_err_invalid(err, "%s: '_data_files' is missing or empty", path);
}

/* DatasetDict.save_to_disk(): dataset_dict.json lists the splits. */
static int take_saved_split(const char *root, const char *split, struct pl_strv *ret,
			    struct pl_err *err)
{
	auto_free char *path = pl_asprintf("%s/dataset_dict.json", root);
	auto_json json_t *dict = NULL;

	if (pl_json_read_file(path, &dict, err) < 0)
		return -1;
	const json_t *splits = json_object_get(dict, "splits");
	if (split == NULL && json_array_size(splits) == 1)
		split = json_string_value(json_array_get(splits, 0));
	if (split == NULL || !pl_json_has_text(splits, split)) {
		auto_free char *names = pl_json_to_text(splits, PL_JSON_COMPACT);
		return pl_err_invalid(err,
				      "'%s': found %s%s%s, expected --hf-split (hf_split) with one "
				      "of %s",
				      root, split != NULL ? "split '" : "no split",
				      split != NULL ? split : "", split != NULL ? "'" : "",
				      names != NULL ? names : "[]");
	}
	auto_free char *folder = pl_asprintf("%s/%s", root, split);
	return take_saved(folder, ret, err);
}

/* A directory of the subset's name is the dataset, where no README says otherwise. */
static int enter_subset(const struct vllm_bench *bench, const char *root, char **ret,
			struct pl_err *err)
{
	if (bench->hf_subset == NULL || strcmp(bench->hf_subset, "default") == 0) {
		*ret = pl_strdup(root);
		return 0;
	}
	auto_free char *path = pl_asprintf("%s/%s", root, bench->hf_subset);
	if (strstr(bench->hf_subset, "..") != NULL || !is_folder(path))
		return pl_err_invalid(err,
				      "'%s' has no subset '%s': neither its README.md nor a "
				      "directory names it",
				      root, bench->hf_subset);
	*ret = pl_take(path);
	return 0;
}

static int find_in_folder(const struct vllm_bench *bench, const char *root, const char *split,
			  struct pl_strv *ret, struct pl_err *err)
{
	auto_listing all = { .root = root };
	auto_listing configured = { .root = root };

	if (list_folder(&all, "", DEPTH_MAX, NULL, err) < 0)
		return -1;
	if (all.count > 0)
		qsort(all.items, all.count, sizeof(*all.items), compare);
	auto_free char *folder = NULL;
	int status = set_configured(bench, &all, &configured, &folder, err);
	if (status != 0)
		return status < 0 ? -1 : take_split(&configured, split, ret, err);
	if (folder == NULL && enter_subset(bench, root, &folder, err) < 0)
		return -1;
	auto_listing listing = { .root = folder };
	if (list_folder(&listing, "", DEPTH_MAX, NULL, err) < 0)
		return -1;
	if (listing.count > 0)
		qsort(listing.items, listing.count, sizeof(*listing.items), compare);
	keep_one_format(&listing);
	set_splits(&listing);
	return take_split(&listing, split, ret, err);
}

static int find(const struct vllm_bench *bench, const char *split, struct pl_strv *ret,
		struct pl_err *err)
{
	auto_free char *root = NULL;

	if (bench->hf_split != NULL)
		split = bench->hf_split;
	if (bench_hf_root(bench, &root, err) < 0)
		return -1;
	if (!is_folder(root)) {
		pl_strv_add(ret, root);
		return 0;
	}
	if (has_file(root, "dataset_dict.json"))
		return take_saved_split(root, split, ret, err);
	if (has_file(root, "state.json"))
		return take_saved(root, ret, err);
	return find_in_folder(bench, root, split, ret, err);
}

int bench_hf_find(const struct vllm_bench *bench, const char *split, struct pl_strv *ret,
		  struct pl_err *err)
{
	if (find(bench, split, ret, err) < 0)
		return -1;
	/* the files are read more than once, and a pipe would be waited for */
	for (size_t i = 0; i < ret->count; i++) {
		if (pl_file_check_regular(ret->items[i], err) < 0)
			return -1;
	}
	return 0;
}
