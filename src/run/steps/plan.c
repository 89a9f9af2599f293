/*
 * The plan, made before the first request is sent: encoding bodies during the load would delay the sending threads.
 *
 * Random numbers are those of vLLM: its client seeds Python's `random` and NumPy's legacy generator with one seed. Both
 * are streams, so the same seed gives the same load only if prompts, adapters and arrivals are drawn in vLLM's order.
 */
#include "run/steps/plan.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "base/unique.h"
#include "bench/load/arrivals.h"
#include "experiment/kinds.h"
#include "experiment/values.h"

#define BODY_BYTES_MAX (256u << 20)
/* Limit of all bodies with media, which may be copies of a few large samples. */
#define MEDIA_BYTES_MAX   ((size_t)4 << 30)
#define PROMPTS_BYTES_MAX ((size_t)4 << 30)

static_assert(EXP_ID_PREFIX_MAX == RES_ID_PREFIX_MAX, "what is checked fits into a record");

bool run_plan_ignores_eos(const struct vllm_bench *bench)
{
	if (exp_backend_has(bench->backend, EXP_BACKEND_POOLS))
		return bench->ignore_eos;
	/* turns of conversations ask for min_tokens instead, as vLLM's native client does */
	return bench->ignore_eos ||
	       (!bench->multi_turn &&
		exp_dataset_has(bench->dataset_name, EXP_DATASET_WHOLE_OUTPUT));
}

bool run_plan_has_rate(const struct vllm_bench *bench)
{
	return isfinite(bench->request_rate) || bench->ramp_up_strategy != NULL ||
	       exp_is_self_timed(bench);
}

static int encode(const struct run_plan_input *input, const struct bench_sample *sample,
		  const char *model, char **ret_body, size_t *ret_len, struct pl_err *err)
{
	struct bench_encode how = {
		.bench = input->bench,
		.model = model,
		.ignore_eos = run_plan_ignores_eos(input->bench),
	};
	auto_buf body = PL_BUF(BODY_BYTES_MAX);

	if (input->adapter->encode(&how, sample, &body, err) < 0)
		return pl_err_wrap(err, "prompt %lld", (long long)sample->index);
	if (body.full)
		return pl_err_invalid(err, "prompt %lld is larger than %u bytes",
				      (long long)sample->index, BODY_BYTES_MAX);
	*ret_len = body.len;
	*ret_body = pl_buf_take(&body);
	return 0;
}

/* vLLM's prefix is "bench-", eight hexadecimal digits, "-"; vLLM also draws it independently of the seed. */
static char *make_prefix(const struct vllm_bench *bench)
{
	if (bench->request_id_prefix != NULL)
		return pl_strdup(bench->request_id_prefix);
	return pl_asprintf("bench-%08x-", pl_unique_u32());
}

/*
 * Returns the adapter of each request, drawn like vLLM: with random.choice(), else in turn. NULL: no adapters. free()
 */
static const char **assign_adapters(const struct vllm_bench *bench, size_t count,
				    struct pl_pyrandom *pyrandom)
{
	size_t adapters = json_array_size(bench->lora_modules);
	bool random = pl_text_equal(bench->lora_assignment, "random");

	if (adapters == 0)
		return NULL;
	const char **names = pl_alloc_array(count, sizeof(*names));
	for (size_t i = 0; i < count; i++) {
		size_t at = random ? pl_pyrandom_below(pyrandom, adapters) : i % adapters;
		names[i] = json_string_value(json_array_get(bench->lora_modules, at));
	}
	return names;
}

/* As vLLM counts them: the documents of a rerank, the prompts of a list; 0: not a pooling backend. */
static int64_t sequences_of(const struct vllm_bench *bench, const struct bench_sample *sample)
{
	int64_t inputs = json_is_array(sample->inputs) ? (int64_t)json_array_size(sample->inputs)
						       : 1;

	if (!exp_backend_has(bench->backend, EXP_BACKEND_POOLS))
		return 0;
	return exp_backend_has(bench->backend, EXP_BACKEND_PAIRS) ? inputs - 1 : inputs;
}

/* The start of the messages in a body: no text in it can be equal, because its quotes would be escaped. */
#define MESSAGES_KEY "\"messages\": ["

/* Sets the place of the conversation that a turn continues. */
static void fill_turn(const struct bench_sample *sample, bool by_gaps,
		      struct bench_request *request)
{
	const char *messages = strstr(request->body, MESSAGES_KEY);

	request->session = sample->session;
	request->turn = sample->turn;
	request->gap_ns = llround(sample->gap_s * 1e9);
	if (!by_gaps)
		request->gap_ns = 0;
	else if (request->turn > 0)
		request->planned_ns = 0;
	request->keeps_response = sample->keeps_response;
	request->grows = sample->grows && messages != NULL;
	if (!request->grows)
		return;
	auto_free char *own = pl_json_to_text(sample->messages, PL_JSON_PYTHON);
	request->messages_at = (size_t)(messages - request->body) + strlen(MESSAGES_KEY);
	request->messages_len = strlen(own) - strlen("[]");
	/* the check of the experiment refuses other messages */
	assert(strncmp(request->body + request->messages_at, own + 1, request->messages_len) == 0);
}

/*
 * Puts the first turns before all later ones, each in the order of the dataset, with their times: only the first ones
 * are in the schedule.
 */
static size_t order_turns(struct bench_dataset *dataset, double *times_s)
{
	size_t starts = 0, at = 0;

	if (dataset->session_count == 0)
		return dataset->count;
	struct bench_sample *ordered = pl_alloc_array(dataset->count, sizeof(*ordered));
	auto_free double *ordered_s = pl_alloc_array(dataset->count, sizeof(*ordered_s));
	for (int later = 0; later < 2; later++) {
		for (size_t i = 0; i < dataset->count; i++) {
			if ((dataset->samples[i].turn > 0) != (later == 1))
				continue;
			ordered[at] = dataset->samples[i];
			ordered[at].index = ordered[at].index != RES_NO_COUNT ? (int64_t)at
									      : RES_NO_COUNT;
			ordered_s[at++] = times_s[i];
		}
		starts = later == 0 ? at : starts;
	}
	free(dataset->samples);
	dataset->samples = ordered;
	memcpy(times_s, ordered_s, dataset->count * sizeof(*times_s));
	return starts;
}

/* Links the turns of each session; the first one has index 0 at least, so 0 is none. */
static void link_turns(struct run_plan *plan)
{
	size_t count = plan->dataset->session_count;
	auto_free size_t *before = pl_alloc_array(count + 1, sizeof(*before));

	for (size_t i = 0; i < plan->count; i++) {
		uint32_t session = plan->requests[i].session;
		if (session == 0)
			continue;
		if (plan->requests[i].turn > 0)
			plan->requests[before[session]].next = i;
		before[session] = i;
	}
}

static int64_t count_parts(const json_t *parts, const char *type)
{
	int64_t count = 0;

	PL_JSON_EACH(part, parts) {
		count += pl_text_equal(pl_json_get_text(part, "type"), type);
	}
	return count;
}

static int64_t parts_of_type(const struct bench_sample *sample, const char *type)
{
	int64_t count = count_parts(sample->media, type);

	PL_JSON_EACH(message, sample->messages) {
		count += count_parts(json_object_get(message, "content"), type);
	}
	return count;
}

/* Sets what a sample requests. */
static void fill_request(const struct vllm_bench *bench, const struct bench_sample *sample,
			 struct bench_request *request)
{
	request->prompt_tokens = sample->prompt_tokens;
	request->input_sequences = sequences_of(bench, sample);
	request->images = parts_of_type(sample, "image_url");
	request->videos = parts_of_type(sample, "video_url");
	request->audio_s = json_number_value(json_object_get(sample->audio, "seconds"));
	request->output_tokens = request->input_sequences > 0 ? RES_NO_COUNT
							      : sample->output_tokens;
}

static bool has_media(const struct bench_request *request)
{
	return request->images > 0 || request->videos > 0 || request->audio_s > 0;
}

/* Fails once the bodies with media are too large together. */
static int count_media(const struct bench_request *request, size_t *total, struct pl_err *err)
{
	if (has_media(request))
		*total += request->body_len;
	if (*total <= MEDIA_BYTES_MAX)
		return 0;
	return pl_err_invalid(err,
			      "the bodies of the requests with media have more than %zu GiB; use "
			      "fewer requests or smaller media",
			      MEDIA_BYTES_MAX >> 30);
}

static int encode_all(const struct run_plan_input *input, const double *arrivals_s,
		      const char *const *adapters, struct run_plan *plan, struct pl_err *err)
{
	bool by_gaps = pl_text_equal(input->bench->timed_trace_schedule, "gaps");
	/* of the first turn, for all turns: no cache holds the tokens of another adapter */
	auto_free const char **of_session = pl_alloc_array(plan->dataset->session_count + 1,
							   sizeof(*of_session));
	size_t media = 0;

	plan->id_prefix = make_prefix(input->bench);
	for (size_t i = 0; i < plan->count; i++) {
		const struct bench_sample *sample = &plan->dataset->samples[i];
		struct bench_request *request = &plan->requests[i];
		const char *model = adapters != NULL ? adapters[i] : input->model;
		if (sample->turn > 0)
			model = of_session[sample->session];
		of_session[sample->session] = model;
		if (encode(input, sample, model, &plan->bodies[i], &request->body_len, err) < 0)
			return -1;
		request->body = plan->bodies[i];
		request->planned_ns = llround(arrivals_s[i] * 1e9);
		fill_request(input->bench, sample, request);
		if (count_media(request, &media, err) < 0)
			return -1;
		fill_turn(sample, !exp_is_self_timed(input->bench) || by_gaps, request);
		/* as in vLLM, a dataset without ids sends none */
		if (sample->index != RES_NO_COUNT)
			request->request_id = (struct res_request_id){ plan->id_prefix,
								       sample->index };
	}
	return 0;
}

/* The bytes of a prompt. */
struct piece {
	const char *bytes;
	size_t len;
	char *owned; /* NULL: the bytes are the sample's */
};

struct pieces {
	struct piece *items;
	size_t count;
	size_t room;
};

static void pieces_done(struct pieces *pieces)
{
	for (size_t i = 0; i < pieces->count; i++)
		free(pieces->items[i].owned);
	free(pieces->items);
}
#define auto_pieces __attribute__((cleanup(pieces_done), unused)) struct pieces

static void add_owned(struct pieces *pieces, char *text, size_t len)
{
	*PL_PUSH(pieces->items, pieces->count, pieces->room) = (struct piece){ text, len, text };
}

/* A text, ids in the form of a sample's ids, or an object as JSON. */
static void add_input(struct pieces *pieces, const json_t *input)
{
	size_t count = json_array_size(input);

	if (!json_is_array(input)) {
		char *text = json_is_string(input) ? pl_json_to_ctext(input)
						   : pl_json_to_text(input, PL_JSON_PYTHON);
		add_owned(pieces, text, strlen(text));
		return;
	}
	uint32_t *ids = pl_alloc_array(count, sizeof(*ids));
	for (size_t i = 0; i < count; i++)
		ids[i] = (uint32_t)json_integer_value(json_array_get(input, i));
	add_owned(pieces, (char *)ids, count * sizeof(*ids));
}

/* The contents, one after the other. */
static void add_messages(struct pieces *pieces, const json_t *messages)
{
	auto_buf all = PL_BUF(BODY_BYTES_MAX);

	PL_JSON_EACH(message, messages) {
		const json_t *content = json_object_get(message, "content");
		auto_free char *text = json_is_string(content) ? pl_json_to_ctext(content)
				       : content != NULL ? pl_json_to_text(content, PL_JSON_PYTHON)
							 : NULL;
		pl_buf_add_text(&all, text != NULL ? text : "");
		pl_buf_add_char(&all, '\n');
	}
	size_t len = all.len;
	add_owned(pieces, pl_buf_take(&all), len);
}

/*
 * Adds the prompts that the server gets. `pairs`: the inputs are a query and its documents, and each document
 * is read after the query.
 */
static void add_pieces(struct pieces *pieces, const struct bench_sample *sample, bool pairs)
{
	const json_t *inputs = sample->inputs;
	const char *text = sample->prompt != NULL ? sample->prompt : "";

	if (json_is_object(inputs))
		add_input(pieces, inputs);
	for (size_t i = pairs ? 1 : 0; i < json_array_size(inputs); i++) {
		const json_t *input = json_array_get(inputs, i);
		if (!pairs) {
			add_input(pieces, input);
			continue;
		}
		char *pair = pl_asprintf("%s\n%s", json_string_value(json_array_get(inputs, 0)),
					 json_string_value(input));
		add_owned(pieces, pair, strlen(pair));
	}
	if (sample->messages != NULL && sample->prompt == NULL) {
		add_messages(pieces, sample->messages);
		return;
	}
	if (inputs != NULL)
		return;
	*PL_PUSH(pieces->items, pieces->count, pieces->room) =
		sample->ids != NULL
			? (struct piece){ (const char *)sample->ids,
					  sample->id_count * sizeof(*sample->ids), NULL }
			: (struct piece){ text, strlen(text), NULL };
}

/* Media are hashed alone: all together may be larger than memory that can be allocated twice. */
static void add_media_hashes(struct pieces *pieces, const json_t *media)
{
	PL_JSON_EACH(part, media) {
		const json_t *held = json_object_get(part, pl_json_get_text(part, "type"));
		const json_t *url = json_object_get(held, "url");
		char hex[PL_SHA256_HEX_BYTES];
		pl_sha256(json_string_value(url), json_string_length(url), hex);
		add_owned(pieces, pl_strdup(hex), strlen(hex));
	}
}

/*
 * A file has the hash of its bytes. In the hash of synthetic prompts, each ends with a zero byte, so that "ab", "c" and
 * "a", "bc" differ.
 */
static void hash_prompts(struct run_plan *plan)
{
	auto_buf all = PL_BUF(PROMPTS_BYTES_MAX);

	if (plan->dataset->sha256 != NULL) {
		snprintf(plan->sha256, sizeof(plan->sha256), "%s", plan->dataset->sha256);
		return;
	}
	for (size_t i = 0; i < plan->count; i++) {
		auto_pieces pieces = { 0 };
		add_pieces(&pieces, &plan->dataset->samples[i], false);
		add_media_hashes(&pieces, plan->dataset->samples[i].media);
		for (size_t k = 0; k < pieces.count; k++) {
			pl_buf_add(&all, pieces.items[k].bytes, pieces.items[k].len);
			pl_buf_add_char(&all, '\0');
		}
	}
	pl_sha256(pl_buf_text(&all), all.len, plan->sha256);
}

static int by_bytes(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;
	int order = memcmp(x->bytes, y->bytes, x->len < y->len ? x->len : y->len);

	return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

/*
 * In sorted order, the bytes shared with the previous text are those that a prefix tree already contains, whatever the
 * original order.
 */
double run_shared_prefix_share(const struct bench_sample *samples, size_t count, bool pairs)
{
	auto_pieces pieces = { 0 };
	double shared = 0, total = 0;
	struct piece before = { .bytes = "" };

	for (size_t i = 0; i < count; i++)
		add_pieces(&pieces, &samples[i], pairs);
	if (pieces.count > 1)
		qsort(pieces.items, pieces.count, sizeof(*pieces.items), by_bytes);
	for (size_t i = 0; i < pieces.count; i++) {
		const struct piece *piece = &pieces.items[i];
		size_t same = 0;
		while (same < piece->len && same < before.len &&
		       piece->bytes[same] == before.bytes[same])
			same++;
		shared += (double)same;
		total += (double)piece->len;
		before = *piece;
	}
	return total > 0 ? shared / total : NAN;
}

static double shared_share(const struct run_plan_input *input, struct run_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		plan->grows |= plan->requests[i].grows;
	if (plan->grows)
		return NAN;
	/* only the server knows the tokens of media; those of random-mm follow texts that differ */
	for (size_t i = 0; i < plan->count; i++) {
		if (has_media(&plan->requests[i]))
			return exp_dataset_has(input->bench->dataset_name, EXP_DATASET_TOKENS) &&
					       input->bench->random_prefix_len == 0
				       ? 0
				       : NAN;
	}
	return run_shared_prefix_share(plan->dataset->samples, plan->count,
				       exp_backend_has(input->bench->backend, EXP_BACKEND_PAIRS));
}

int run_plan_build(const struct run_plan_input *input, struct run_plan **ret, struct pl_err *err)
{
	auto_plan struct run_plan *plan = pl_alloc(sizeof(*plan));
	struct pl_pyrandom pyrandom;
	struct pl_nplegacy nplegacy;

	pl_pyrandom_seed(&pyrandom, (uint64_t)input->bench->seed);
	pl_nplegacy_seed(&nplegacy, (uint32_t)input->bench->seed);
	if (bench_dataset_build(input->bench, input->tokenizer, &pyrandom, &nplegacy,
				&plan->dataset, err) < 0)
		return -1;
	plan->count = plan->dataset->count;
	if (plan->count == 0)
		return pl_err_invalid(err, "the dataset has no usable prompt");
	plan->requests = pl_alloc_array(plan->count, sizeof(*plan->requests));
	plan->bodies = pl_alloc_array(plan->count, sizeof(*plan->bodies));
	auto_free const char **adapters = assign_adapters(input->bench, plan->count, &pyrandom);
	auto_free double *arrivals_s = pl_alloc_array(plan->count, sizeof(*arrivals_s));
	bool self_timed = exp_is_self_timed(input->bench);
	if (self_timed)
		bench_arrivals_replay(input->bench, plan->dataset->samples, plan->count,
				      arrivals_s);
	size_t starts = order_turns(plan->dataset, arrivals_s);
	if (!self_timed)
		bench_arrivals_build(input->bench, starts, &nplegacy, arrivals_s);
	if (encode_all(input, arrivals_s, adapters, plan, err) < 0)
		return -1;
	link_turns(plan);
	hash_prompts(plan);
	plan->shared_prefix_share = shared_share(input, plan);
	*ret = pl_take(plan);
	return 0;
}

void run_plan_free(struct run_plan *plan)
{
	if (plan == NULL)
		return;
	for (size_t i = 0; plan->bodies != NULL && i < plan->count; i++)
		free(plan->bodies[i]);
	free(plan->bodies);
	free(plan->requests);
	free(plan->id_prefix);
	bench_dataset_free(plan->dataset);
	free(plan);
}

/* Rotates a text: "abcdef" by 2 is "cdefab"; never inside a UTF-8 character. */
static char *turn_text(const char *text, size_t by)
{
	size_t len = strlen(text);

	while (by < len && ((unsigned char)text[by] & 0xc0) == 0x80)
		by++;
	return pl_asprintf("%s%.*s", text + by, (int)by, text);
}

/* The rotated texts, then the media: a prompt that starts with an image is found in the cache by the image. */
static json_t *turn_parts(const json_t *parts, size_t part, size_t of)
{
	auto_json json_t *media = json_array();
	json_t *turned = json_array();

	PL_JSON_EACH(one, parts) {
		const char *words = pl_json_get_text(one, "text");
		if (words == NULL) {
			json_array_append(media, one);
			continue;
		}
		auto_free char *text = turn_text(words, strlen(words) * part / of);
		json_t *copy = json_copy(one);
		json_object_set_new(copy, "text", json_string(text));
		json_array_append_new(turned, copy);
	}
	json_array_extend(turned, media);
	return turned;
}

static json_t *turn_messages(const json_t *messages, size_t part, size_t of)
{
	json_t *turned = json_array();

	/* large media in the parts are shared, not copied */
	PL_JSON_EACH(original, messages) {
		const char *content = pl_json_get_text(original, "content");
		const json_t *parts = json_object_get(original, "content");
		json_t *message = json_copy(original);
		json_array_append_new(turned, message);
		if (json_is_array(parts))
			json_object_set_new(message, "content", turn_parts(parts, part, of));
		if (content == NULL)
			continue;
		auto_free char *text = turn_text(content, strlen(content) * part / of);
		json_object_set_new(message, "content", json_string(text));
	}
	return turned;
}

/* An object has keys that only the server's model knows: it stays as it is. */
static json_t *turn_inputs(const json_t *inputs, size_t part, size_t parts)
{
	json_t *turned = json_is_array(inputs) ? json_array() : json_deep_copy(inputs);

	for (size_t i = 0; i < json_array_size(inputs); i++) {
		const json_t *input = json_array_get(inputs, i);
		size_t count = json_array_size(input), by = count * part / parts;
		json_t *one = json_array();
		for (size_t k = 0; k < count; k++)
			json_array_append(one, json_array_get(input, (k + by) % count));
		if (json_is_string(input)) {
			auto_free char *text = turn_text(json_string_value(input),
							 json_string_length(input) * part / parts);
			json_decref(one);
			one = json_string(text);
		}
		json_array_append_new(turned, one);
	}
	return turned;
}

/*
 * Part 1 of 3: the last two thirds, followed by the first. Prefix caches recognize a prompt by its start, so a warm-up
 * with the same text would make the measured one cheaper.
 */
static struct bench_sample turn_sample(const struct bench_sample *sample, size_t part, size_t parts)
{
	struct bench_sample turned = *sample;

	if (sample->inputs != NULL)
		turned.inputs = turn_inputs(sample->inputs, part, parts);
	if (sample->messages != NULL)
		turned.messages = turn_messages(sample->messages, part, parts);
	if (sample->prompt != NULL)
		turned.prompt = turn_text(sample->prompt, strlen(sample->prompt) * part / parts);
	if (sample->ids != NULL) {
		size_t by = sample->id_count * part / parts;
		turned.ids = pl_alloc_array(sample->id_count, sizeof(*turned.ids));
		for (size_t i = 0; i < sample->id_count; i++)
			turned.ids[i] = sample->ids[(i + by) % sample->id_count];
	}
	return turned;
}

int run_plan_warmups(const struct run_plan *plan, const struct run_plan_input *input, size_t count,
		     struct bench_request **ret_requests, char ***ret_bodies, struct pl_err *err)
{
	struct bench_request *requests = pl_alloc_array(count, sizeof(*requests));
	char **bodies = pl_alloc_array(count, sizeof(*bodies));
	/* each pass over the prompts rotates them by another part */
	size_t parts = count / plan->count + 2;
	size_t media = 0;
	int done = 0;

	for (size_t i = 0; i < count && done == 0; i++) {
		const struct bench_sample *sample = &plan->dataset->samples[i % plan->count];
		struct bench_sample turned = turn_sample(sample, i / plan->count + 1, parts);
		done = encode(input, &turned, input->model, &bodies[i], &requests[i].body_len, err);
		requests[i].body = bodies[i];
		fill_request(input->bench, sample, &requests[i]);
		if (done == 0)
			done = count_media(&requests[i], &media, err);
		free(turned.prompt);
		free(turned.ids);
		json_decref(turned.messages);
		json_decref(turned.inputs);
	}
	*ret_requests = requests;
	*ret_bodies = bodies;
	return done;
}
