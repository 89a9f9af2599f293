/*
 * Statements of PostgreSQL: prepared on the server, with parameters and values in binary form. The server determines
 * the type of each parameter.
 */
#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/text.h"
#include "store/db/postgres_priv.h"

#define TEXT_BYTES_MAX (8u << 20)
/* Rows per fetch of a cursor: a round trip costs more than reading a row. */
#define ROWS_AT_A_TIME 200
#define JSONB_VERSION  1
/* Longest wait for one response; a statement waits at most 20 s for a lock (BUSY_TEXT in postgres.c). */
#define ANSWER_SECONDS 300

/* pg_type.dat */
enum type {
	TYPE_BOOL = 16,
	TYPE_BYTEA = 17,
	TYPE_INT8 = 20,
	TYPE_INT2 = 21,
	TYPE_INT4 = 23,
	TYPE_FLOAT4 = 700,
	TYPE_FLOAT8 = 701,
	TYPE_VOID = 2278,
	TYPE_JSONB = 3802,
};

static struct pg_statement *of(struct store_stmt *statement)
{
	return (struct pg_statement *)statement;
}

static struct pg_connection *connection_of(const struct pg_statement *statement)
{
	return pg_of(statement->base.sql);
}

/* ---- preparing ----------------------------------------------------------------------------- */

static int describe(struct pg_statement *statement, struct pl_err *err)
{
	struct pg_connection *connection = connection_of(statement);
	auto_result result = PQdescribePrepared(connection->pg, statement->name);

	if (PQresultStatus(result) != PGRES_COMMAND_OK)
		return store_pg_fail(connection, result, err);
	/* the same after a reconnect */
	if (statement->types == NULL) {
		statement->param_count = PQnparams(result);
		statement->types = pl_alloc_array((size_t)statement->param_count + 1,
						  sizeof(*statement->types));
		statement->params = pl_alloc_array((size_t)statement->param_count + 1,
						   sizeof(*statement->params));
		for (int i = 0; i < statement->param_count; i++)
			statement->types[i] = PQparamtype(result, i);
	}
	statement->generation = connection->generation;
	return 0;
}

/* Prepares the statement on the current connection. */
static int make_known(struct pg_statement *statement, struct pl_err *err)
{
	struct pg_connection *connection = connection_of(statement);

	if (store_pg_ensure(connection, err) < 0)
		return -1;
	if (statement->generation == connection->generation)
		return 0;
	auto_free char *text = statement->is_cursor
				       ? pl_asprintf("DECLARE %s NO SCROLL CURSOR FOR %s",
						     statement->name, statement->text)
				       : pl_strdup(statement->text);
	if (store_pg_drain(connection, err) < 0)
		return -1;
	auto_result result = PQprepare(connection->pg, statement->name, text, 0, NULL);
	if (PQresultStatus(result) != PGRES_COMMAND_OK)
		return store_pg_fail(connection, result, err);
	return describe(statement, err);
}

int store_pg_prepare(struct store_sql *sql, const char *text, bool is_cursor,
		     struct store_stmt **ret, struct pl_err *err)
{
	struct pg_connection *connection = pg_of(sql);
	struct pg_statement *statement = pl_alloc(sizeof(*statement));

	statement->base.sql = sql;
	auto_buf out = PL_BUF(TEXT_BYTES_MAX);
	char quote = '\0';
	for (; *text != '\0'; text++) {
		if (quote != '\0')
			quote = *text == quote ? '\0' : quote;
		else if (*text == '\'' || *text == '"')
			quote = *text;
		pl_buf_add_char(&out, *text == '?' && quote == '\0' ? '$' : *text);
	}
	statement->text = pl_buf_take(&out);
	statement->is_cursor = is_cursor;
	snprintf(statement->name, sizeof(statement->name), "s%u", ++connection->statements);
	int result = make_known(statement, err);
	if (result < 0 && store_pg_may_retry(connection))
		result = make_known(statement, err);
	if (result < 0) {
		store_pg_drop(&statement->base);
		return -1;
	}
	*ret = &statement->base;
	return 0;
}

/* ---- parameters ---------------------------------------------------------------------------- */

static void set_fixed(struct pg_param *param, uint64_t bits, int len)
{
	uint64_t big = htobe64(bits << (8 * (8 - len)));

	memcpy(param->fixed, &big, (size_t)len);
	param->data = param->fixed;
	param->len = len;
}

static void set_number(struct pg_param *param, Oid type, const struct store_sql_value *value)
{
	bool is_whole = value->type == STORE_SQL_INTEGER;
	double real = is_whole ? (double)value->integer : value->real;
	int64_t whole = is_whole ? value->integer : (int64_t)value->real;
	uint64_t bits;

	switch (type) {
	case TYPE_BOOL:
		set_fixed(param, whole != 0, 1);
		break;
	case TYPE_INT4:
		set_fixed(param, (uint64_t)whole, 4);
		break;
	case TYPE_FLOAT8:
		memcpy(&bits, &real, sizeof(bits));
		set_fixed(param, bits, 8);
		break;
	default:
		set_fixed(param, (uint64_t)whole, 8);
		break;
	}
}

static void set_data(struct pg_param *param, Oid type, const struct store_sql_value *value)
{
	bool is_jsonb = type == TYPE_JSONB;

	param->data = value->data;
	param->len = (int)value->len;
	if (!value->is_brief && !is_jsonb)
		return;
	/* jsonb is its text after a version byte */
	char *copy = pl_alloc(value->len + 1);
	copy[0] = JSONB_VERSION;
	if (value->len > 0)
		memcpy(copy + is_jsonb, value->data, value->len);
	param->data = param->owned = copy;
	param->len += is_jsonb;
}

void store_pg_bind(struct store_stmt *statement, int at, const struct store_sql_value *value)
{
	struct pg_param *param = &of(statement)->params[at - 1];
	Oid type = of(statement)->types[at - 1];

	free(param->owned);
	param->owned = NULL;
	param->data = NULL;
	if (value->type == STORE_SQL_INTEGER || value->type == STORE_SQL_REAL)
		set_number(param, type, value);
	else if (value->type != STORE_SQL_NULL)
		set_data(param, type, value);
}

void store_pg_clear_params(struct store_stmt *statement)
{
	struct pg_statement *self = of(statement);

	for (int i = 0; i < self->param_count; i++) {
		free(self->params[i].owned);
		self->params[i] = (struct pg_param){ 0 };
	}
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Takes ownership of the rows. */
static void take_rows(struct pg_statement *statement, PGresult *rows)
{
	PQclear(statement->rows);
	statement->rows = rows;
	statement->at = -1;
	statement->has_rows = true;
}

static int take(struct pg_statement *statement, PGresult *result, struct pl_err *err)
{
	ExecStatusType status = PQresultStatus(result);

	if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
		auto_result failed = result;
		return store_pg_fail(connection_of(statement), failed, err);
	}
	take_rows(statement, result);
	return 0;
}

static int fetch(struct pg_statement *statement, struct pl_err *err)
{
	auto_free char *text = pl_asprintf("FETCH %d FROM %s", ROWS_AT_A_TIME, statement->name);

	if (store_pg_drain(connection_of(statement), err) < 0)
		return -1;
	return take(statement,
		    PQexecParams(connection_of(statement)->pg, text, 0, NULL, NULL, NULL, NULL, 1),
		    err);
}

/* Parameters as libpq has them. */
struct call {
	const char **values;
	int *lengths;
	int *formats;
};

static void call_of(const struct pg_statement *statement, struct call *ret)
{
	size_t count = (size_t)statement->param_count;

	ret->values = pl_alloc_array(count + 1, sizeof(*ret->values));
	ret->lengths = pl_alloc_array(count + 1, sizeof(*ret->lengths));
	ret->formats = pl_alloc_array(count + 1, sizeof(*ret->formats));
	for (size_t i = 0; i < count; i++) {
		ret->values[i] = statement->params[i].data;
		ret->lengths[i] = statement->params[i].len;
		ret->formats[i] = 1;
	}
}

static void call_done(struct call *call)
{
	free(call->values);
	free(call->lengths);
	free(call->formats);
}

/* Sends a prepared statement with its parameters. */
static bool send_prepared(const struct pg_statement *statement)
{
	struct call call;

	call_of(statement, &call);
	int sent = PQsendQueryPrepared(connection_of(statement)->pg, statement->name,
				       statement->param_count, call.values, call.lengths,
				       call.formats, 1);
	call_done(&call);
	return sent == 1;
}

/* Within a transaction, for a prepared statement. */
static int send_statement(struct pg_statement *statement, bool is_wanted, struct pl_err *err)
{
	struct pg_connection *connection = pg_of(statement->base.sql);

	if (connection->sent_count == PG_SENT_MAX && store_pg_drain(connection, err) < 0)
		return -1;
	if (connection->sent_count == 0 && PQenterPipelineMode(connection->pg) != 1)
		return store_pg_fail(connection, NULL, err);
	if (!send_prepared(statement))
		return store_pg_fail(connection, NULL, err);
	connection->pending[connection->sent_count++] = is_wanted ? statement : NULL;
	return 0;
}

static bool is_sent(const struct pg_statement *statement)
{
	const struct pg_connection *connection = pg_of(statement->base.sql);

	for (size_t i = 0; i < connection->sent_count; i++) {
		if (connection->pending[i] == statement)
			return true;
	}
	return false;
}

/* Marks its result as not needed. */
static void forget(const struct pg_statement *statement)
{
	struct pg_connection *connection = pg_of(statement->base.sql);

	for (size_t i = 0; i < connection->sent_count; i++) {
		if (connection->pending[i] == statement)
			connection->pending[i] = NULL;
	}
}

static int execute_alone(struct pg_statement *statement, struct pl_err *err)
{
	struct call call;

	call_of(statement, &call);
	PGresult *result = PQexecPrepared(connection_of(statement)->pg, statement->name,
					  statement->param_count, call.values, call.lengths,
					  call.formats, 1);
	call_done(&call);
	return take(statement, result, err);
}

/* Runs after the statements in flight, if there are any. */
static int execute_once(struct pg_statement *statement, struct pl_err *err)
{
	struct pg_connection *connection = connection_of(statement);

	if (make_known(statement, err) < 0)
		return -1;
	if (connection->sent_count > 0 &&
	    ((!is_sent(statement) && send_statement(statement, true, err) < 0) ||
	     store_pg_drain(connection, err) < 0))
		return -1;
	if (!statement->has_rows && execute_alone(statement, err) < 0)
		return -1;
	statement->is_open = statement->is_cursor;
	return statement->is_cursor ? fetch(statement, err) : 0;
}

int store_pg_ask(struct store_stmt *statement, bool is_wanted, struct pl_err *err)
{
	struct pg_statement *self = of(statement);

	if (make_known(self, err) < 0)
		return -1;
	/* outside a transaction, a statement is sent again if its connection was lost */
	if (!connection_of(self)->in_transaction)
		return is_wanted ? 0 : store_sql_finish(statement, err);
	return send_statement(self, is_wanted, err);
}

static int execute(struct pg_statement *statement, struct pl_err *err)
{
	if (execute_once(statement, err) == 0)
		return 0;
	return store_pg_may_retry(connection_of(statement)) ? execute_once(statement, err) : -1;
}

/* Fetches the next rows after the last current one, if the cursor has more. */
static int next_rows(struct pg_statement *statement, bool *ret_row, struct pl_err *err)
{
	*ret_row = false;
	if (!statement->is_open || PQntuples(statement->rows) < ROWS_AT_A_TIME)
		return 0;
	if (fetch(statement, err) < 0)
		return -1;
	statement->at = 0;
	*ret_row = PQntuples(statement->rows) > 0;
	return 0;
}

int store_pg_step(struct store_stmt *statement, bool *ret_row, struct pl_err *err)
{
	struct pg_statement *self = of(statement);
	bool is_row;

	if (!self->has_rows && execute(self, err) < 0) {
		store_pg_reset(statement);
		return -1;
	}
	is_row = ++self->at < PQntuples(self->rows);
	if (!is_row && next_rows(self, &is_row, err) < 0) {
		store_pg_reset(statement);
		return -1;
	}
	if (!is_row)
		store_pg_reset(statement);
	*ret_row = is_row;
	return 0;
}

void store_pg_reset(struct store_stmt *statement)
{
	struct pg_statement *self = of(statement);
	struct pg_connection *connection = connection_of(self);

	forget(self);
	PQclear(self->rows);
	self->rows = NULL;
	self->has_rows = false;
	/* a failed cursor ends with its transaction */
	if (self->is_open && self->generation == connection->generation &&
	    PQtransactionStatus(connection->pg) == PQTRANS_INTRANS) {
		auto_free char *text = pl_asprintf("CLOSE %s", self->name);
		pg_try(connection, text);
	}
	self->is_open = false;
}

void store_pg_drop(struct store_stmt *statement)
{
	struct pg_statement *self = of(statement);
	struct pg_connection *connection = connection_of(self);

	store_pg_reset(statement);
	if (self->generation == connection->generation && self->generation > 0 &&
	    PQtransactionStatus(connection->pg) != PQTRANS_INERROR) {
		auto_free char *text = pl_asprintf("DEALLOCATE %s", self->name);
		pg_try(connection, text);
	}
	for (int i = 0; i < self->param_count; i++)
		free(self->params[i].owned);
	free(self->params);
	free(self->types);
	self->params = NULL;
	self->types = NULL;
	self->param_count = 0;
	store_pg_odd_free(self->odd);
	free(self->text);
	free(self);
}

static uint64_t bits_of(const char *data, int len)
{
	uint64_t big = 0;

	memcpy(&big, data, (size_t)len);
	return be64toh(big) >> (8 * (8 - len));
}

void store_pg_value(struct store_stmt *statement, int at, struct store_sql_value *ret)
{
	const PGresult *rows = of(statement)->rows;
	int row = of(statement)->at;

	*ret = (struct store_sql_value){ .type = STORE_SQL_NULL };
	if (PQgetisnull(rows, row, at))
		return;
	const char *data = PQgetvalue(rows, row, at);
	int len = PQgetlength(rows, row, at);
	uint64_t bits;
	switch (PQftype(rows, at)) {
	case TYPE_VOID:
		return;
	case TYPE_BOOL:
	case TYPE_INT8:
		ret->type = STORE_SQL_INTEGER;
		ret->integer = (int64_t)bits_of(data, len);
		return;
	case TYPE_INT4:
		ret->type = STORE_SQL_INTEGER;
		ret->integer = (int32_t)bits_of(data, len);
		return;
	case TYPE_FLOAT8:
		bits = bits_of(data, len);
		ret->type = STORE_SQL_REAL;
		memcpy(&ret->real, &bits, sizeof(ret->real));
		return;
	case TYPE_BYTEA:
		ret->type = STORE_SQL_BYTES;
		break;
	case TYPE_JSONB:
		ret->type = STORE_SQL_TEXT;
		data++;
		len--;
		break;
	default:
		ret->type = STORE_SQL_TEXT;
		break;
	}
	ret->data = data;
	ret->len = (size_t)len;
}

const char *store_pg_text(struct store_stmt *statement, int at)
{
	struct store_sql_value value;

	store_pg_value(statement, at, &value);
	return value.data;
}

/* ---- the pipeline ------------------------------------------------------------------------- */

/*
 * libpq's pipeline mode sends statements without waiting for the response to the previous one, and reads all
 * responses when the first of them is needed: the statements of a transaction cost one round trip in all. The
 * pipeline starts with the first statement and ends when all responses are read. If one statement fails, the server
 * skips the rest, and the transaction has failed, as it would without a pipeline.
 */

/* Gives the response to its statement, or clears it if the statement is NULL. False: it is an error. */
static bool take_answer(struct pg_statement *statement, PGresult *answer)
{
	ExecStatusType status = PQresultStatus(answer);
	bool is_good = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;

	if (is_good && statement != NULL)
		take_rows(statement, answer);
	else if (is_good)
		PQclear(answer);
	return is_good;
}

/* libpq itself failed, for lack of memory or of a connection. It may have dropped responses, so that it waits for more
 * than the server sends. */
static bool is_of_libpq(const PGresult *answer)
{
	return PQresultStatus(answer) == PGRES_FATAL_ERROR &&
	       PQresultErrorField(answer, PG_DIAG_SQLSTATE) == NULL;
}

enum loss {
	LOSS_NONE,
	LOSS_LIBPQ,  /* PQerrorMessage() gives the reason */
	LOSS_SILENT, /* the server did not respond in time */
};

/*
 * Waits until libpq has the next response or the end of those to one statement. If libpq finds no memory for the
 * response to a sync, it consumes it and stays busy: then only its message shows that nothing more comes.
 */
static enum loss wait_for_answer(struct pg_connection *connection, bool has_fault)
{
	struct pollfd socket = { .fd = PQsocket(connection->pg), .events = POLLIN };
	int64_t end_ns = pl_clock_now_ns() + ANSWER_SECONDS * PL_NS_PER_S;

	while (PQisBusy(connection->pg) == 1) {
		int64_t left_ms = (end_ns - pl_clock_now_ns()) / PL_NS_PER_MS;
		/* after an error of the server the message is the server's */
		bool is_stuck = !has_fault && PQerrorMessage(connection->pg)[0] != '\0';
		if (left_ms <= 0)
			return LOSS_SILENT;
		if (socket.fd < 0 || is_stuck)
			return LOSS_LIBPQ;
		if (poll(&socket, 1, (int)left_ms) > 0 && PQconsumeInput(connection->pg) != 1)
			return LOSS_LIBPQ;
	}
	return LOSS_NONE;
}

/* NULL: the end of the responses to one statement, or a loss, after which nothing more may be read. */
static PGresult *next_answer(struct pg_connection *connection, bool has_fault, enum loss *loss)
{
	*loss = wait_for_answer(connection, has_fault);
	if (*loss != LOSS_NONE)
		return NULL;
	PGresult *answer = PQgetResult(connection->pg);
	if (answer != NULL && is_of_libpq(answer))
		*loss = LOSS_LIBPQ;
	return answer;
}

/* The first error among the responses that are on the way; NULL: none. Stops at a loss. */
static PGresult *read_answers(struct pg_connection *connection, enum loss *loss)
{
	PGresult *fault = NULL;

	for (size_t i = 0; i < connection->sent_count && *loss == LOSS_NONE; i++) {
		PGresult *answer = next_answer(connection, fault != NULL, loss);
		if (answer == NULL)
			*loss = *loss == LOSS_NONE ? LOSS_LIBPQ : *loss;
		/* skipped statements follow the failed one */
		else if (!take_answer(connection->pending[i], answer)) {
			if (fault == NULL)
				fault = pl_take(answer);
			PQclear(answer);
		}
		/* the end of the response */
		while (*loss == LOSS_NONE &&
		       (answer = next_answer(connection, fault != NULL, loss)) != NULL)
			PQclear(answer);
	}
	return fault;
}

/* The state of the pipeline is unknown: the connection is not read again, and the next transaction makes a new one. */
static int lose(struct pg_connection *connection, enum loss loss, struct pl_err *err)
{
	connection->sent_count = 0;
	connection->is_lost = true;
	if (loss == LOSS_SILENT)
		return pl_err_set(err, PL_ERR_IO, "'%s': the server did not respond within %d s",
				  connection->name, ANSWER_SECONDS);
	return store_pg_fail(connection, NULL, err);
}

int store_pg_drain(struct pg_connection *connection, struct pl_err *err)
{
	enum loss loss = LOSS_NONE;

	if (connection->sent_count == 0)
		return 0;
	/* without a sync the server may buffer its responses forever */
	if (connection->is_lost || PQpipelineSync(connection->pg) != 1)
		return lose(connection, LOSS_LIBPQ, err);
	auto_result fault = read_answers(connection, &loss);
	/* of the sync */
	if (loss == LOSS_NONE)
		PQclear(next_answer(connection, fault != NULL, &loss));
	if (loss == LOSS_NONE && PQexitPipelineMode(connection->pg) != 1)
		loss = LOSS_LIBPQ;
	if (loss != LOSS_NONE)
		lose(connection, loss, fault != NULL ? PL_ERR_IGNORED : err);
	connection->sent_count = 0;
	if (fault != NULL)
		return store_pg_fail(connection, fault, err);
	return loss != LOSS_NONE ? -1 : 0;
}
