#include "sweep/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "result/document.h"
#include "schema/former.h"

#define FILE_BYTES_MAX  (1u << 30)
#define BLOCK_BYTES     65536
#define VERSION_OF_FILE 1

void sweep_journal_done(struct sweep_journal *journal)
{
	if (journal->path == NULL)
		return;
	pl_fd_close(&journal->fd);
	free(journal->path);
	free(journal->id);
	json_decref(journal->rows);
	json_decref(journal->starts);
	json_decref(journal->sent);
}

/* ---- reading ---- */

static void take_start(struct sweep_journal *journal, const char *server)
{
	int64_t before = pl_json_get_i64(journal->starts, server);

	json_object_set_new(journal->starts, server, json_integer(before + 1));
	journal->started++;
}

/* A "sent" line refers to the result of the previous row. */
static void take_row(struct sweep_journal *journal, const char *key, json_t *row)
{
	schema_rename_former_run(row);
	json_object_set(journal->rows, key, row);
	json_object_del(journal->sent, key);
}

/* A later version may have other lines. */
static int take_line(struct sweep_journal *journal, json_t *line, size_t number, struct pl_err *err)
{
	const char *sent = pl_json_get_text(line, "sent");
	const char *id = pl_json_get_text(line, "sweep");
	const char *server = pl_json_get_text(line, "start");
	const char *key = pl_json_get_text(line, "run");

	if (number == 1 && (id == NULL || pl_json_get_i64(line, "version") != VERSION_OF_FILE))
		return pl_err_invalid(err, "'%s' is not the journal of a sweep of this version",
				      journal->path);
	if (number == 1)
		journal->id = pl_strdup(id);
	else if (server != NULL)
		take_start(journal, server);
	else if (key != NULL)
		take_row(journal, key, line);
	else if (sent != NULL)
		json_object_set_new(journal->sent, sent, json_true());
	return 0;
}

/* A last line without an end is incomplete because of a kill; *ret_whole: its start. */
static int take_text(struct sweep_journal *journal, const char *text, size_t len, size_t *ret_whole,
		     struct pl_err *err)
{
	size_t number = 0;

	*ret_whole = 0;
	for (size_t at = 0; at < len;) {
		const char *end = memchr(text + at, '\n', len - at);
		auto_json json_t *line = NULL;
		if (end == NULL)
			break;
		number++;
		if (pl_json_parse(text + at, (size_t)(end - text) - at, journal->path, &line, err) <
		    0)
			return pl_err_wrap(err, "line %zu", number);
		if (take_line(journal, line, number, err) < 0)
			return -1;
		at = (size_t)(end - text) + 1;
		*ret_whole = at;
	}
	return 0;
}

/* Uses the descriptor that holds the lock: closing another one of the file would release it. */
static int read_all(struct sweep_journal *journal, size_t *ret_whole, struct pl_err *err)
{
	auto_buf text = PL_BUF(FILE_BYTES_MAX);

	for (;;) {
		char *room = pl_buf_reserve(&text, BLOCK_BYTES);
		if (room == NULL)
			return pl_err_invalid(err, "'%s' is larger than 1 GiB", journal->path);
		ssize_t got = read(journal->fd, room, BLOCK_BYTES);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return pl_err_errno(err, "could not read '%s'", journal->path);
		if (got == 0)
			break;
		text.len += (size_t)got;
	}
	return take_text(journal, pl_buf_text(&text), text.len, ret_whole, err);
}

/* ---- writing ---- */

static int append(struct sweep_journal *journal, const json_t *line, struct pl_err *err)
{
	auto_buf text = PL_BUF(FILE_BYTES_MAX);

	pl_json_write(line, PL_JSON_COMPACT, &text);
	pl_buf_add_char(&text, '\n');
	if (pl_fd_write(journal->fd, text.data, text.len) < 0 || fdatasync(journal->fd) < 0)
		return pl_err_errno(err, "could not write '%s'", journal->path);
	return 0;
}

static int begin(struct sweep_journal *journal, struct pl_err *err)
{
	char id[RES_RUN_ID_BYTES];

	res_run_id_make(pl_clock_real_ns(), id);
	memcpy(id, "swp", strlen("swp"));
	auto_json json_t *head = json_pack("{s:s, s:i, s:s}", "sweep", id, "version",
					   VERSION_OF_FILE, "profllm", PROFLLM_VERSION);
	journal->id = pl_strdup(id);
	if (append(journal, head, err) < 0)
		return -1;
	return pl_file_sync_dir_of(journal->path, err);
}

static int take_lock(const struct sweep_journal *journal, struct pl_err *err)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(journal->fd, F_SETLK, &lock) == 0 || (errno != EACCES && errno != EAGAIN))
		return 0;
	return pl_err_set(err, PL_ERR_BUSY, "'%s' belongs to a sweep in progress", journal->path);
}

static void init(const char *folder, struct sweep_journal *ret)
{
	*ret = (struct sweep_journal){
		.fd = -1,
		.path = pl_asprintf("%s/" SWEEP_JOURNAL_NAME, folder),
		.rows = json_object(),
		.starts = json_object(),
		.sent = json_object(),
	};
}

int sweep_journal_look(const char *folder, struct sweep_journal *ret, struct pl_err *err)
{
	size_t whole;

	init(folder, ret);
	ret->fd = open(ret->path, O_RDONLY | O_CLOEXEC);
	return ret->fd < 0 ? 0 : read_all(ret, &whole, err);
}

int sweep_journal_open(const char *folder, bool resume, struct sweep_journal *ret,
		       struct pl_err *err)
{
	size_t whole;

	init(folder, ret);
	ret->fd = open(ret->path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (ret->fd < 0)
		return pl_err_errno(err, "could not open '%s'", ret->path);
	if (take_lock(ret, err) < 0 || read_all(ret, &whole, err) < 0)
		return -1;
	if (whole > 0 && !resume)
		return pl_err_invalid(
			err,
			"'%s' contains a sweep; use --resume to continue it, or another directory",
			folder);
	if (ftruncate(ret->fd, (off_t)whole) < 0)
		return pl_err_errno(err, "could not write '%s'", ret->path);
	return whole > 0 ? 0 : begin(ret, err);
}

int sweep_journal_start(struct sweep_journal *journal, const char *server, const char *log,
			struct pl_err *err)
{
	auto_json json_t *line = json_pack("{s:s, s:s}", "start", server, "log", log);

	take_start(journal, server);
	return append(journal, line, err);
}

int sweep_journal_row(struct sweep_journal *journal, const char *key, json_t *row,
		      struct pl_err *err)
{
	auto_json json_t *line = json_pack("{s:s}", "run", key);

	json_object_update(line, row);
	json_decref(row);
	take_row(journal, key, line);
	return append(journal, line, err);
}

int sweep_journal_sent(struct sweep_journal *journal, const char *key, struct pl_err *err)
{
	auto_json json_t *line = json_pack("{s:s}", "sent", key);

	json_object_set_new(journal->sent, key, json_true());
	return append(journal, line, err);
}
