#include "result/producer.h"

static const struct res_producer *const producers[] = {
#define PRODUCER(ID, id, text) &res_producer_##id,
#include "tbl/producers.h"
};

int res_producer_read(const struct res_fields *fields, json_t *json, const char *source,
		      json_t **ret, struct pl_err *err)
{
	size_t i = 0;

	/* the last one takes every file */
	while (!producers[i]->is_file(producers[i], json))
		i++;
	return producers[i]->read(producers[i], fields, json, source, ret, err);
}

enum res_producer_id res_producer_of(const json_t *document)
{
	size_t i = 0;

	while (!producers[i]->is_document(producers[i], document))
		i++;
	return (enum res_producer_id)i;
}
