/*
 * Location and format of vLLM's flat result: file and directory names equal those of vLLM's client,
 * because scripts expect them. The check before the run uses the functions that name the file.
 */
#include "result/flat/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/redact.h"
#include "base/text.h"

#define FLAT_BYTES_MAX ((size_t)8 << 30)

static const char *after_last_slash(const char *model)
{
	const char *slash = strrchr(model, '/');

	return slash != NULL ? slash + 1 : model;
}

/* An empty text counts as unset, as in Python. */
static bool is_given(const char *text)
{
	return text != NULL && text[0] != '\0';
}

/* "openai-10.0qps-concurrency4-Model-20260101-120000.json" */
static char *name_of(const struct res_flat_input *input)
{
	const struct vllm_bench *bench = input->bench;
	const char *label = is_given(bench->label) ? bench->label : bench->backend;
	auto_free char *cap = pl_strdup("");
	char date[32], rate[PL_F64_TEXT_BYTES] = "inf";

	if (is_given(bench->result_filename))
		return pl_strdup(bench->result_filename);
	pl_clock_format(input->ended_real_ns, "%Y%m%d-%H%M%S", 0, date, sizeof(date));
	if (isfinite(bench->request_rate))
		pl_text_from_f64(bench->request_rate, rate);
	if (bench->max_concurrency != OPTION_NO_I64) {
		free(cap);
		cap = pl_asprintf("-concurrency%lld", (long long)bench->max_concurrency);
	}
	if (bench->ramp_up_strategy != NULL)
		return pl_asprintf("%s-ramp-up-%s-%lldqps-%lldqps%s-%s-%s.json", label,
				   bench->ramp_up_strategy, (long long)bench->ramp_up_start_rps,
				   (long long)bench->ramp_up_end_rps, cap,
				   after_last_slash(input->model_id), date);
	return pl_asprintf("%s-%sqps%s-%s-%s.json", label, rate, cap,
			   after_last_slash(input->model_id), date);
}

char *res_flat_path(const struct res_flat_input *input)
{
	auto_free char *name = name_of(input);
	const char *dir = input->bench->result_dir;

	/* an absolute name replaces the directory, as in Python */
	if (!is_given(dir) || name[0] == '/')
		return pl_take(name);
	return pl_asprintf("%s%s%s", dir, pl_text_ends(dir, "/") ? "" : "/", name);
}

/*
 * Appends to the file; if it cannot be written completely, the file is restored. One object per
 * line, with the newline before each appended object, as in vLLM.
 */
static int append(const char *path, const struct pl_buf *text, struct pl_err *err)
{
	auto_fd int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, pl_file_mode(0666));
	struct stat before;

	if (fd < 0 || fstat(fd, &before) < 0)
		return pl_err_errno(err, "could not append to '%s'", path);
	if ((before.st_size > 0 && pl_fd_write(fd, "\n", 1) < 0) ||
	    pl_fd_write(fd, text->data, text->len) < 0 || fsync(fd) < 0) {
		int saved = errno;
		if (ftruncate(fd, before.st_size) < 0)
			saved = errno;
		errno = saved;
		return pl_err_errno(err, "could not append to '%s'", path);
	}
	return before.st_size > 0 ? 0 : pl_file_sync_dir_of(path, err);
}

int res_flat_folder(const struct vllm_bench *bench, struct pl_err *err)
{
	const char *dir = bench->result_dir;

	return is_given(dir) ? pl_file_make_folders(dir, err) : 0;
}

char *res_flat_artifact_path(const char *path, const char *suffix)
{
	const char *name = after_last_slash(path);
	const char *dot = strrchr(name, '.');

	/* leading dots of a name do not begin an extension */
	if (dot == NULL || strspn(name, ".") > (size_t)(dot - name))
		dot = path + strlen(path);
	return pl_asprintf("%.*s%s", (int)(dot - path), path, suffix);
}

int res_flat_write(const struct res_flat_input *input, char **ret_path, struct pl_err *err)
{
	auto_json json_t *built = res_flat_build(input);
	auto_json json_t *flat = pl_redact_json(built, PL_REDACT_OURS);
	auto_free char *path = res_flat_path(input);
	auto_buf text = PL_BUF(FLAT_BYTES_MAX);

	if (!pl_json_write(flat, PL_JSON_PYTHON, &text))
		return pl_err_set(err, PL_ERR_INTERNAL, "the flat result is too large");
	if (res_flat_folder(input->bench, err) < 0)
		return -1;
	int done = input->bench->append_result ? append(path, &text, err)
					       : pl_file_write(path, text.data, text.len, err);
	if (done < 0)
		return -1;
	*ret_path = pl_take(path);
	return 0;
}

/* Checks whether the directory could be made, without making it: a dry run leaves no trace. */
static int check_folder(const char *path, struct pl_err *err)
{
	auto_free char *above = pl_strdup(path);
	struct stat st;

	while (stat(above, &st) < 0 && errno == ENOENT && strcmp(above, ".") != 0) {
		char *parent = pl_file_dir(above);
		free(above);
		above = parent;
	}
	if (stat(above, &st) < 0)
		return pl_err_errno(err, "could not create directory '%s'", path);
	if (!S_ISDIR(st.st_mode))
		return pl_err_set(err, PL_ERR_IO,
				  "could not create directory '%s': '%s' is not a directory", path,
				  above);
	/* permissions do not show it: root has all of them, even where nothing can be created */
	auto_free char *probe = pl_asprintf("%s/profllm", above);
	if (pl_file_check_writable(probe, err) < 0)
		return pl_err_set(err, PL_ERR_IO,
				  "could not create directory '%s': '%s' is not writable", path,
				  above);
	return 0;
}

/* suffix NULL: the file itself. */
int res_flat_check_artifact(const struct vllm_bench *bench, const char *suffix, struct pl_err *err)
{
	struct res_flat_input input = {
		.bench = bench,
		.model_id = "model",
		.ended_real_ns = pl_clock_real_ns(),
	};
	const char *dir = bench->result_dir;
	auto_free char *name = name_of(&input);

	/* a folder that is to be made has nothing in it that could be in the way */
	if (is_given(dir) && !pl_file_exists(dir)) {
		if (check_folder(dir, err) < 0)
			return -1;
		if (strchr(name, '/') == NULL)
			return 0;
	}
	auto_free char *path = res_flat_path(&input);
	auto_free char *artifact = suffix != NULL ? res_flat_artifact_path(path, suffix) : NULL;
	const char *written = artifact != NULL ? artifact : path;
	if (bench->dataset_path != NULL && pl_file_same(written, bench->dataset_path))
		return pl_err_invalid(
			err, "this run would overwrite '%s', which it reads; use another --output",
			written);
	return pl_file_check_writable(written, err);
}

int res_flat_check(const struct vllm_bench *bench, struct pl_err *err)
{
	return bench->save_result || bench->append_result
		       ? res_flat_check_artifact(bench, NULL, err)
		       : 0;
}
