#include "result/fields/fields.h"

#include <pthread.h>
#include <stdlib.h>

#include "dash/request.h"
#include "result/fields/priced.h"

struct dash_fields_answer {
	pthread_mutex_t lock;
	struct dash_answer answer; /* shared; not shared: not made yet */
};

struct dash_fields_answer *dash_fields_answer_new(void)
{
	struct dash_fields_answer *answer = pl_alloc(sizeof(*answer));

	pthread_mutex_init(&answer->lock, NULL);
	return answer;
}

void dash_fields_answer_free(struct dash_fields_answer *answer)
{
	if (answer == NULL)
		return;
	dash_answer_done(&answer->answer);
	pthread_mutex_destroy(&answer->lock);
	free(answer);
}

/* Fields with prices are columns of the mirror (mirror/priced.h), though the database has none for them. */
static json_t *field_json(const struct res_field *field)
{
	json_t *json = res_field_to_json(field);

	if (res_priced_find(field->id) != RES_PRICED_COUNT)
		json_object_set_new(json, "column", json_true());
	return json;
}

static void make(const struct res_fields *fields, struct dash_answer *ret)
{
	json_t *list = json_array();

	for (size_t i = 0; i < res_fields_count(fields); i++)
		json_array_append_new(list, field_json(res_fields_at(fields, i)));
	dash_answer_json(ret, 200, json_pack("{s:o}", "fields", list));
	dash_answer_make_shared(ret);
	ret->shared->is_lasting = true;
}

void dash_list_fields(const struct dash_request *request, struct dash_answer *answer)
{
	struct dash_fields_answer *all = request->context->fields_answer;

	pthread_mutex_lock(&all->lock);
	if (all->answer.shared == NULL)
		make(request->context->fields, &all->answer);
	pthread_mutex_unlock(&all->lock);
	dash_answer_share(&all->answer, answer);
}
