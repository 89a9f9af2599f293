/* Responses about what people save: presets, annotations and watches. */
#pragma once

#include "dash/request.h"
#include "store/saved/outcome.h"

struct dash_saved {
	const char *noun;
	const char *plural;
	const char *path; /* of the list, without the final slash */
	int count_max;
};

/* 404: the request's id does not exist. */
void dash_saved_refuse_none(const struct dash_saved *saved, const struct dash_request *request,
			    struct dash_answer *answer);
/*
 * The response to a write. `object`, if the outcome is OK: a reference that it takes, or NULL for a response without a
 * body. Status 201 sets Location.
 */
void dash_saved_answer(const struct dash_saved *saved, const struct dash_request *request,
		       enum store_saved_outcome outcome, int status, json_t *object,
		       struct dash_answer *answer);
