/* Shared by all commands: writing files and opening the catalog. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"
#include "result/existing.h"

#define REPLACED_BYTES_MAX (64u << 20)

static int check_head(const struct cli_file *file, struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len = 0;

	/* an unreadable file cannot be known, and is not replaced; a missing one can be written */
	if (pl_file_size(file->path) <= 0 ||
	    (pl_file_read(file->path, REPLACED_BYTES_MAX, &text, &len, PL_ERR_IGNORED) == 0 &&
	     pl_text_starts(text, file->head)))
		return 0;
	return pl_err_invalid(err,
			      "'%s' is not an earlier output of %s, and is not replaced; remove "
			      "it, or use another %s",
			      file->path, file->option, file->option);
}

static int check_existing(const struct cli_file *file, struct pl_err *err)
{
	if (!file->overwrite)
		return res_existing_check(file->path, file->option, err);
	if (file->head != NULL)
		return check_head(file, err);
	return res_existing_check_replaced(file->path, file->option, file->is_result, err);
}

int cli_check_file(const struct cli_file *file)
{
	struct pl_err err = PL_ERR_INIT;

	return check_existing(file, &err) < 0 ? cli_fail(&err) : 0;
}

void cli_warn_file(const struct cli_file *file, struct option_problems *problems)
{
	struct pl_err err = PL_ERR_INIT;

	if (check_existing(file, &err) < 0)
		option_problem_report(problems, .severity = OPTION_WARNING, .key = file->option,
				      .expected = err.text, .expected_is_reason = true,
				      .reason = "host");
}

/* Checks the path again, because a file may have been created while the command worked. */
static int write_file(const struct cli_file *file, const struct pl_buf *text, struct pl_err *err)
{
	auto_file_new new_file = { 0 };

	if (check_existing(file, err) < 0 || pl_file_new_open(&new_file, file->path, err) < 0)
		return -1;
	/* before the first byte: a secret must never be readable by others */
	if (file->is_private && fchmod(fileno(new_file.stream), S_IRUSR | S_IWUSR) < 0)
		return pl_err_errno(err, "could not write '%s'", file->path);
	if (fwrite(pl_buf_text(text), 1, text->len, new_file.stream) != text->len)
		return pl_err_errno(err, "could not write '%s'", file->path);
	return pl_file_new_commit(&new_file, err);
}

int cli_write_file(const struct cli_file *file, const struct pl_buf *text)
{
	struct pl_err err = PL_ERR_INIT;

	return write_file(file, text, &err) < 0 ? cli_fail(&err) : 0;
}

int cli_write_or_print(const struct cli_file *file, const struct pl_buf *text)
{
	return file->path != NULL ? cli_write_file(file, text) : cli_print(pl_buf_text(text));
}

int cli_write_json(const struct cli_file *file, const struct pl_buf *text, json_t *answer)
{
	auto_json json_t *owned = answer;
	bool is_file = file->path != NULL;
	int status = is_file ? cli_write_file(file, text) : 0;

	if (status != 0)
		return status;
	json_object_set_new(answer, "path", pl_json_text(file->path));
	json_object_set_new(answer, "bytes", json_integer((json_int_t)text->len));
	json_object_set_new(answer, "text",
			    is_file ? json_null() : pl_json_text(pl_buf_text(text)));
	return cli_print_json(owned);
}

int cli_file_mode(const char *text, struct pl_err *err)
{
	unsigned mode;

	if (text == NULL)
		return 0;
	if (pl_file_read_mode(text, &mode, err) < 0)
		return pl_err_wrap(err, "--file-mode");
	pl_file_set_mode(mode);
	return 0;
}

int cli_catalog_open(const char *path, const struct vllm_catalog **ret, struct pl_err *err)
{
	if (path == NULL)
		path = getenv("PROFLLM_PARAMS_OVERLAY");
	if (path != NULL && path[0] != '\0')
		return vllm_catalog_overlay_file(vllm_catalog_reference(), path, ret, err);
	*ret = vllm_catalog_reference();
	return 0;
}
