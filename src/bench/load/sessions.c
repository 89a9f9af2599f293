#include "bench/load/sessions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "bench/load/worker.h"

/* A longer conversation is larger than any model's context. */
#define HISTORY_BYTES_MAX (256u << 20)

/* Between two messages, as in the bodies of the plan. */
#define SEPARATOR ", "

struct waiting {
	int64_t due_ns;
	size_t index;
};

struct bench_sessions {
	const struct bench_load *load;
	struct pl_buf *histories; /* [load->session_count] messages before the current turn */
	char **bodies;            /* [load->session_count] of the current turn; NULL: the plan's */
	struct waiting *heap;     /* the earliest first; one per session at most */
	size_t waiting;
	int64_t active;
	int64_t cap;
	int64_t freed_ns; /* when the last session ended; RES_NO_TIME: none has */
};

size_t bench_sessions_starts(const struct bench_load *load)
{
	size_t starts = 0;

	while (starts < load->count && load->requests[starts].turn == 0)
		starts++;
	return starts;
}

struct bench_sessions *bench_sessions_new(const struct bench_load *load)
{
	if (load->session_count == 0)
		return NULL;
	struct bench_sessions *sessions = pl_alloc(sizeof(*sessions));
	sessions->load = load;
	sessions->freed_ns = RES_NO_TIME;
	sessions->cap = load->session_concurrency == OPTION_NO_I64 ? INT64_MAX
								   : load->session_concurrency;
	sessions->histories = pl_alloc_array(load->session_count, sizeof(*sessions->histories));
	sessions->bodies = pl_alloc_array(load->session_count, sizeof(*sessions->bodies));
	sessions->heap = pl_alloc_array(load->session_count, sizeof(*sessions->heap));
	for (size_t i = 0; i < load->session_count; i++)
		pl_buf_init(&sessions->histories[i], HISTORY_BYTES_MAX);
	return sessions;
}

void bench_sessions_free(struct bench_sessions *sessions)
{
	if (sessions == NULL)
		return;
	for (size_t i = 0; i < sessions->load->session_count; i++) {
		pl_buf_done(&sessions->histories[i]);
		free(sessions->bodies[i]);
	}
	free(sessions->histories);
	free(sessions->bodies);
	free(sessions->heap);
	free(sessions);
}

/* ---- the heap ---- */

static bool is_before(const struct waiting *a, const struct waiting *b)
{
	return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->index < b->index;
}

static void push(struct bench_sessions *sessions, struct waiting item)
{
	size_t at = sessions->waiting++;

	assert(at < sessions->load->session_count);
	for (; at > 0 && is_before(&item, &sessions->heap[(at - 1) / 2]); at = (at - 1) / 2)
		sessions->heap[at] = sessions->heap[(at - 1) / 2];
	sessions->heap[at] = item;
}

void bench_sessions_take(struct bench_sessions *sessions)
{
	struct waiting last = sessions->heap[--sessions->waiting];
	size_t at = 0;

	for (size_t below; (below = 2 * at + 1) < sessions->waiting; at = below) {
		if (below + 1 < sessions->waiting &&
		    is_before(&sessions->heap[below + 1], &sessions->heap[below]))
			below++;
		if (!is_before(&sessions->heap[below], &last))
			break;
		sessions->heap[at] = sessions->heap[below];
	}
	sessions->heap[at] = last;
}

bool bench_sessions_may_start(const struct bench_sessions *sessions)
{
	return sessions == NULL || sessions->active < sessions->cap;
}

bool bench_sessions_next(const struct bench_sessions *sessions, size_t *ret_index,
			 int64_t *ret_due_ns)
{
	if (sessions == NULL || sessions->waiting == 0)
		return false;
	*ret_index = sessions->heap[0].index;
	*ret_due_ns = sessions->heap[0].due_ns;
	return true;
}

/* ---- conversations ---- */

void bench_sessions_begin(struct bench_sessions *sessions, struct bench_req *req,
			  int64_t planned_ns)
{
	const struct bench_request *request = req->request;

	if (sessions == NULL || request->session == 0)
		return;
	if (request->turn == 0) {
		sessions->active++;
		/* the plan of a limited number of sessions: as soon as another one has ended */
		if (sessions->cap != INT64_MAX && sessions->freed_ns > planned_ns)
			req->due_ns = sessions->freed_ns;
	}
	const struct pl_buf *history = &sessions->histories[request->session - 1];
	if (!request->grows || history->len == 0)
		return;
	char *body = pl_alloc(request->body_len + history->len + 1);
	memcpy(body, request->body, request->messages_at);
	memcpy(body + request->messages_at, history->data, history->len);
	memcpy(body + request->messages_at + history->len, request->body + request->messages_at,
	       request->body_len - request->messages_at);
	sessions->bodies[request->session - 1] = body;
	req->body = body;
	req->body_len = request->body_len + history->len;
}

/* Appends the messages of a turn, and its response unless the plan has a recorded one. */
static bool grow(struct pl_buf *history, const struct bench_request *request, const char *text)
{
	pl_buf_add(history, request->body + request->messages_at, request->messages_len);
	pl_buf_add_text(history, SEPARATOR);
	if (request->keeps_response) {
		pl_buf_add_text(history, "{\"role\": \"assistant\", \"content\": ");
		pl_text_add_json(history, text != NULL ? text : "", text != NULL ? strlen(text) : 0,
				 false);
		pl_buf_add_text(history, "}" SEPARATOR);
	}
	return !history->full;
}

/* The turns that follow can have no history. */
static void skip_rest(struct bench_worker *worker, const struct bench_request *request)
{
	const struct bench_load *load = worker->load;

	for (; request->next != 0; request = &load->requests[request->next]) {
		struct res_record *record = worker->reqs[request->next].recorder.record;
		record->planned_ns = worker->shared->start_ns;
		record->error_kind = "not_sent";
		record->error = pl_strdup("an earlier turn of the conversation failed");
	}
}

static void end_session(struct bench_sessions *sessions, const struct bench_request *request,
			int64_t end_ns)
{
	sessions->active--;
	sessions->freed_ns = end_ns;
	pl_buf_done(&sessions->histories[request->session - 1]);
	pl_buf_init(&sessions->histories[request->session - 1], HISTORY_BYTES_MAX);
}

void bench_sessions_over(struct bench_sessions *sessions, struct bench_worker *worker,
			 struct bench_req *req)
{
	const struct bench_request *request = req->request;
	struct res_record *record = req->recorder.record;

	if (sessions == NULL || request->session == 0)
		return;
	struct pl_buf *history = &sessions->histories[request->session - 1];
	bool lives = request->next != 0 && !worker->stopping;
	if (lives && request->grows && (!record->ok || !grow(history, request, record->text))) {
		skip_rest(worker, request);
		lives = false;
	}
	free(sessions->bodies[request->session - 1]);
	sessions->bodies[request->session - 1] = NULL;
	req->body = request->body;
	req->body_len = request->body_len;
	if (!sessions->load->keeps_text) {
		free(record->text);
		record->text = NULL;
	}
	if (!lives) {
		end_session(sessions, request, record->end_ns);
		return;
	}
	const struct bench_request *next = &sessions->load->requests[request->next];
	int64_t due_ns = record->end_ns + next->gap_ns;
	int64_t planned_ns = worker->shared->start_ns + next->planned_ns;
	due_ns = due_ns > planned_ns ? due_ns : planned_ns;
	worker->reqs[request->next].due_ns = due_ns;
	push(sessions, (struct waiting){ due_ns, request->next });
}
