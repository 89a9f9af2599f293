/*
 * The weight files, read only by their headers: a checkpoint has hundreds of GB, a header some KB.
 * safetensors:
 *
 *   8 bytes   length of the header, little endian
 *   header    {"NAME": {"dtype": "BF16", "shape": […], "data_offsets": [begin, end]}, …}
 *   data      the offsets count from here
 *
 * All input is untrusted: sizes are limited, names stay in their directory, links within the cache.
 */
#include "checkpoint/weights.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "vllm/python_literal.h"

#define LENGTH_BYTES   8
#define FOLDER_ENTRIES 65536

struct reading {
	const char *folder;
	const char *root;
	int64_t layers;
	struct ckpt_weights *sum;
	double dtype_numbers[CKPT_DTYPE_BOOL + 1];
};

/*
 * Resolves links first: the files of a snapshot in the Hugging Face cache are links to its blobs,
 * and only their targets show whether they leave the repository.
 */
static int open_plain(const char *path, const char *root, struct pl_err *err)
{
	auto_free char *real = realpath(path, NULL);
	auto_fd int fd = -1;
	struct stat st;

	if (real == NULL)
		return pl_err_errno(err, "could not open '%s'", path);
	size_t len = root != NULL ? strlen(root) : 0;
	if (root != NULL && (strncmp(real, root, len) != 0 || real[len] != '/'))
		return pl_err_invalid(err, "'%s' is outside of '%s'", path, root);
	/* a FIFO would wait for its writer */
	fd = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0)
		return pl_err_errno(err, "could not open '%s'", path);
	if (!S_ISREG(st.st_mode))
		return pl_err_invalid(err, "'%s' is not a regular file", path);
	int taken = fd;
	fd = -1;
	return taken;
}

static int read_all(int fd, char *to, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t got = read(fd, to + done, len - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		done += (size_t)got;
	}
	return 0;
}

int ckpt_read_plain(const char *path, const char *root, size_t max_bytes, char **ret_text,
		    size_t *ret_len, struct pl_err *err)
{
	auto_fd int fd = open_plain(path, root, err);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0)
		return pl_err_errno(err, "could not read '%s'", path);
	if ((uint64_t)st.st_size > max_bytes)
		return pl_err_invalid(err, "'%s' is larger than %zu bytes", path, max_bytes);
	auto_free char *text = pl_alloc((size_t)st.st_size + 1);
	if (read_all(fd, text, (size_t)st.st_size) < 0)
		return pl_err_set(err, PL_ERR_IO, "could not read '%s'", path);
	*ret_len = (size_t)st.st_size;
	*ret_text = pl_take(text);
	return 0;
}

/* "model.layers.61.x": 61; -1 where the tensor is of no layer of the language model. */
static int64_t layer_of(const char *name)
{
	const char *at = strstr(name, "layers.");
	int64_t layer = 0;

	if (at == NULL || strstr(name, "vision") != NULL || strstr(name, "visual") != NULL ||
	    strstr(name, "audio") != NULL)
		return -1;
	at += strlen("layers.");
	if (*at < '0' || *at > '9')
		return -1;
	for (; *at >= '0' && *at <= '9' && layer < 1000000; at++)
		layer = layer * 10 + (*at - '0');
	return layer;
}

/* The number of bytes counts, not the shape: it is the size in memory, also for packed numbers. */
static int tensor_bytes(const char *name, const json_t *tensor, int64_t data_bytes, double *ret,
			struct pl_err *err)
{
	const json_t *offsets = json_object_get(tensor, "data_offsets");
	json_int_t begin = json_integer_value(json_array_get(offsets, 0));
	json_int_t end = json_integer_value(json_array_get(offsets, 1));

	if (json_array_size(offsets) != 2 || !json_is_integer(json_array_get(offsets, 0)) ||
	    !json_is_integer(json_array_get(offsets, 1)) || begin < 0 || end < begin)
		return pl_err_invalid(err, "tensor '%s' has no valid data_offsets", name);
	if (data_bytes >= 0 && end > data_bytes)
		return pl_err_invalid(
			err, "tensor '%s' ends at byte %lld of %lld: the file is incomplete", name,
			(long long)end, (long long)data_bytes);
	*ret = (double)(end - begin);
	return 0;
}

/* Layers after the last one predict further tokens, and are not loaded with the model. */
static void add_tensor(const char *name, enum ckpt_dtype dtype, double bytes, int64_t layers,
		       struct ckpt_weights *add, double *dtype_numbers)
{
	double numbers = ckpt_dtype_bits(dtype) > 0 ? bytes * 8 / ckpt_dtype_bits(dtype) : 0;

	if (layers > 0 && layer_of(name) >= layers) {
		add->skipped_bytes += bytes;
		return;
	}
	if (!ckpt_dtype_is_plain_float(dtype)) {
		add->other_bytes += bytes;
		return;
	}
	dtype_numbers[dtype] += numbers;
	if (pl_text_ends(name, "lm_head.weight"))
		add->head_numbers += numbers;
	add->float_numbers += numbers;
}

/* Sums go to a copy, so that a head with a fault in it adds nothing. */
static int parse_head(const char *data, size_t len, int64_t file_bytes, int64_t layers,
		      struct ckpt_weights *add, double *dtype_numbers, struct pl_err *err)
{
	uint64_t head = 0;
	auto_json json_t *json = NULL;
	struct ckpt_weights sum = *add;

	if (len >= 7 && memcmp(data, "version", 7) == 0)
		return pl_err_invalid(
			err, "found a Git LFS pointer instead of weights; run 'git lfs pull'");
	if (len < LENGTH_BYTES)
		return pl_err_invalid(err, "shorter than the length of its header");
	for (int i = LENGTH_BYTES - 1; i >= 0; i--)
		head = head << 8 | (unsigned char)data[i];
	if (head > CKPT_WEIGHTS_HEAD_BYTES_MAX)
		return pl_err_invalid(err, "header: found %llu bytes, expected at most %u",
				      (unsigned long long)head, CKPT_WEIGHTS_HEAD_BYTES_MAX);
	if (head > len - LENGTH_BYTES)
		return pl_err_invalid(err, "header: found %llu bytes in a file of %zu bytes",
				      (unsigned long long)head, len);
	if (pl_json_parse(data + LENGTH_BYTES, head, "head", &json, err) < 0)
		return -1;
	if (!json_is_object(json))
		return pl_err_invalid(err, "the header is not a JSON object");
	int64_t data_bytes = file_bytes >= 0 ? file_bytes - LENGTH_BYTES - (int64_t)head : -1;
	PL_JSON_EACH_MEMBER(name, tensor, json) {
		double bytes = 0;
		if (strcmp(name, "__metadata__") == 0)
			continue;
		if (tensor_bytes(name, tensor, data_bytes, &bytes, err) < 0)
			return -1;
		add_tensor(name, ckpt_dtype_find(pl_json_get_text(tensor, "dtype")), bytes, layers,
			   &sum, dtype_numbers);
	}
	*add = sum;
	return 0;
}

static enum ckpt_dtype most_of(const double *dtype_numbers)
{
	enum ckpt_dtype best = CKPT_DTYPE_UNKNOWN;

	for (int i = 0; i <= CKPT_DTYPE_BOOL; i++) {
		if (dtype_numbers[i] > (best == CKPT_DTYPE_UNKNOWN ? 0 : dtype_numbers[best]))
			best = (enum ckpt_dtype)i;
	}
	return best;
}

int ckpt_weights_head_parse(const char *data, size_t len, int64_t file_bytes, int64_t layers,
			    struct ckpt_weights *add, struct pl_err *err)
{
	double dtype_numbers[CKPT_DTYPE_BOOL + 1] = { 0 };

	if (parse_head(data, len, file_bytes, layers, add, dtype_numbers, err) < 0)
		return -1;
	add->dtype = most_of(dtype_numbers);
	return 0;
}

static int read_head(struct reading *reading, const char *name, struct pl_err *err)
{
	auto_free char *path = pl_asprintf("%s/%s", reading->folder, name);
	auto_fd int fd = open_plain(path, reading->root, err);
	unsigned char length[LENGTH_BYTES] = { 0 };
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0)
		return pl_err_errno(err, "could not read '%s'", path);
	uint64_t head = 0;
	if (st.st_size >= LENGTH_BYTES && read_all(fd, (char *)length, LENGTH_BYTES) < 0)
		return pl_err_set(err, PL_ERR_IO, "could not read '%s'", path);
	for (int i = LENGTH_BYTES - 1; i >= 0; i--)
		head = head << 8 | length[i];
	/* the parser rejects a header that is too long; read no more than a header here */
	uint64_t want = head <= CKPT_WEIGHTS_HEAD_BYTES_MAX ? head + LENGTH_BYTES : LENGTH_BYTES;
	if (want > (uint64_t)st.st_size)
		want = (uint64_t)st.st_size;
	auto_free char *data = pl_alloc(want + 1);
	if (lseek(fd, 0, SEEK_SET) < 0 || read_all(fd, data, want) < 0)
		return pl_err_set(err, PL_ERR_IO, "could not read '%s'", path);
	if (parse_head(data, want, st.st_size, reading->layers, reading->sum,
		       reading->dtype_numbers, err) < 0)
		return pl_err_wrap(err, "'%s'", path);
	reading->sum->file_bytes += (double)st.st_size;
	reading->sum->files++;
	return 0;
}

/* A name in an index stays in the folder. */
static bool name_is_inside(const char *name)
{
	return name != NULL && name[0] != '\0' && name[0] != '/' && strcmp(name, "..") != 0 &&
	       !pl_text_starts(name, "../") && strstr(name, "/../") == NULL &&
	       !pl_text_ends(name, "/..");
}

/*
 * If files are missing, the index's total is used only if all are: the size of a part would be
 * meaningless.
 */
static int read_indexed(struct reading *reading, const json_t *names, double total,
			struct pl_err *err)
{
	PL_JSON_EACH_MEMBER(name, unused, names) {
		auto_free char *path = pl_asprintf("%s/%s", reading->folder, name);
		if (access(path, F_OK) != 0)
			reading->sum->missing++;
		else if (read_head(reading, name, err) < 0)
			return -1;
	}
	if (reading->sum->files == 0)
		reading->sum->file_bytes = total;
	reading->sum->known = reading->sum->file_bytes > 0;
	reading->sum->heads_read = reading->sum->files > 0 && reading->sum->missing == 0;
	return 0;
}

static int read_index(struct reading *reading, const char *path, struct pl_err *err)
{
	auto_free char *text = NULL;
	auto_json json_t *json = NULL;
	auto_json json_t *names = json_object();
	size_t len;

	if (ckpt_read_plain(path, reading->root, CKPT_WEIGHTS_INDEX_BYTES_MAX, &text, &len, err) <
		    0 ||
	    vllm_python_json(text, len, path, &json, err) < 0)
		return -1;
	PL_JSON_EACH_MEMBER(tensor, file, json_object_get(json, "weight_map")) {
		if (!name_is_inside(json_string_value(file)))
			return pl_err_invalid(
				err, "'%s': the file of tensor '%s' is not in the directory", path,
				tensor);
		json_object_set_new(names, json_string_value(file), json_true());
	}
	if (json_object_size(names) > CKPT_WEIGHTS_FILES_MAX)
		return pl_err_invalid(err, "'%s' names more than %d files", path,
				      CKPT_WEIGHTS_FILES_MAX);
	double total = json_number_value(pl_json_get_path(json, "metadata.total_size"));
	return read_indexed(reading, names, isfinite(total) && total > 0 ? total : 0, err);
}

/* "consolidated" is Mistral's own copy of the same weights: with it all would count twice. */
static bool is_weight_name(const char *name, const char *ending)
{
	return pl_text_ends(name, ending) && !pl_text_starts(name, "consolidated") &&
	       !pl_text_starts(name, "adapter_model") && !pl_text_starts(name, "training_args") &&
	       !pl_text_starts(name, "optimizer");
}

/* Names of the folder's weight files as the keys of an object. */
static json_t *list_folder(const char *folder, const char *ending)
{
	json_t *names = json_object();
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int left = FOLDER_ENTRIES;

	while (dir != NULL && left-- > 0 && (entry = readdir(dir)) != NULL) {
		if (is_weight_name(entry->d_name, ending) &&
		    json_object_size(names) < CKPT_WEIGHTS_FILES_MAX)
			json_object_set_new(names, entry->d_name, json_true());
	}
	if (dir != NULL)
		closedir(dir);
	return names;
}

/* PyTorch files have no usable header: only their size counts. */
static void add_sizes(struct reading *reading, const json_t *names)
{
	PL_JSON_EACH_MEMBER(name, unused, names) {
		auto_free char *path = pl_asprintf("%s/%s", reading->folder, name);
		int64_t size = pl_file_size(path);
		if (size > 0) {
			reading->sum->file_bytes += (double)size;
			reading->sum->files++;
		}
	}
	reading->sum->known = reading->sum->file_bytes > 0;
}

/* The index first: a folder may hold files that it does not name. PyTorch's files count only
 * without safetensors, as vLLM prefers those. */
int ckpt_weights_read(const char *folder, const char *root, int64_t layers,
		      struct ckpt_weights *ret, struct pl_err *err)
{
	auto_free char *index = pl_asprintf("%s/model.safetensors.index.json", folder);
	struct ckpt_weights sum = { 0 };
	struct reading reading = { .folder = folder, .root = root, .layers = layers, .sum = &sum };

	if (access(index, F_OK) == 0) {
		if (read_index(&reading, index, err) < 0)
			return -1;
	} else {
		auto_json json_t *names = list_folder(folder, ".safetensors");
		auto_json json_t *older = list_folder(folder, ".bin");
		if (json_object_size(names) > 0 && read_indexed(&reading, names, 0, err) < 0)
			return -1;
		if (json_object_size(names) == 0)
			add_sizes(&reading, older);
	}
	sum.dtype = most_of(reading.dtype_numbers);
	*ret = sum;
	return 0;
}
