/* Shared by the files of the field index. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/thread.h"
#include "store/field_index/index.h"
#include "store/field_index/leaf_block.h"
#include "store/store_priv.h"

struct field_form {
	int64_t id;
	bool is_accepted; /* its leaves have the answer */
};

struct field_forms {
	struct field_form *items;
	size_t count;
	size_t room;
};

struct store_field_index {
	struct res_leaf_rules *rules;
	char *form_text;
	int64_t form; /* of this program's leaves; 0: not opened */

	/* under the write lock of the store */
	bool is_form_doubtful; /* look for the form again */
	bool is_form_new;      /* the open transaction has added it */
	size_t puts;           /* since rows were counted */

	pthread_mutex_t lock; /* of all below */
	struct store_sql sql; /* separate: a load may take longer than other reads */
	struct field_forms forms;

	pthread_t builder;
	bool has_builder;
	struct pl_pause pause;
};

/* Reads all forms, and whether their leaves answer the question; NULL: every one. free(ret->items) */
int store_field_forms_read(const struct store_field_index *index, struct store_sql *sql,
			   const struct res_leaf_question *question, struct field_forms *ret,
			   struct pl_err *err) PL_MUST_CHECK;
/* Reads the id of the form of this program's leaves; 0: the database lacks it. */
int store_field_form_find(struct store *store, int64_t *ret, struct pl_err *err) PL_MUST_CHECK;
/* Adds it if the database lacks it; within a transaction. */
int store_field_form_add(struct store *store, int64_t *ret, struct pl_err *err) PL_MUST_CHECK;
bool store_field_form_is_accepted(const struct field_forms *forms, int64_t form);
/* Under the lock: opens the connection for reading if it is not open. */
int store_field_index_connect(struct store *store, struct pl_err *err) PL_MUST_CHECK;
