/*
 * Statements on the way: they go to the server without a wait for the answer to the one before, and all
 * answers are read when the first of them is needed. What a transaction asks, and what it writes, so costs one way to
 * the server and not one each.
 *
 * libpq's pipeline mode, begun with the first statement and ended when all answers are read. Where one fails
 * the server passes over those behind it; the transaction has failed then, as it does without.
 */
#include <string.h>

#include "store/db/postgres_priv.h"

/* Gives the answer to who asked for it; clears what nobody wants. False: it is a fault. */
static bool take_answer(struct pg_statement *statement, PGresult *answer)
{
	ExecStatusType status = PQresultStatus(answer);
	bool is_good = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;

	if (is_good && statement != NULL)
		store_pg_take_rows(statement, answer);
	else if (is_good)
		PQclear(answer);
	return is_good;
}

/* The first fault of those that are on the way; NULL: there was none, or the connection is lost, which `ok` says. */
static PGresult *read_answers(struct pg_connection *connection, bool *ok)
{
	PGresult *fault = NULL;

	for (size_t i = 0; i < connection->asked_count; i++) {
		PGresult *answer = PQgetResult(connection->pg);
		*ok = *ok && answer != NULL;
		/* those that were passed over come behind the fault */
		if (answer != NULL && !take_answer(connection->asked[i], answer)) {
			if (fault == NULL)
				fault = pl_take(answer);
			PQclear(answer);
		}
		/* the end of the answer */
		while (*ok && (answer = PQgetResult(connection->pg)) != NULL)
			PQclear(answer);
	}
	return fault;
}

int store_pg_drain(struct pg_connection *connection, struct pl_err *err)
{
	if (connection->asked_count == 0)
		return 0;
	bool ok = PQpipelineSync(connection->pg) == 1;
	auto_result fault = read_answers(connection, &ok);
	/* of the sync */
	PQclear(PQgetResult(connection->pg));
	connection->asked_count = 0;
	if (fault != NULL)
		store_pg_fail(connection, fault, err);
	if (PQexitPipelineMode(connection->pg) != 1 || !ok) {
		connection->is_lost = true;
		return fault != NULL ? -1 : store_pg_fail(connection, NULL, err);
	}
	return fault != NULL ? -1 : 0;
}

int store_pg_send(struct pg_statement *statement, bool is_wanted, struct pl_err *err)
{
	struct pg_connection *connection = pg_of(statement->base.sql);

	if (connection->asked_count == PG_ASKED_MAX && store_pg_drain(connection, err) < 0)
		return -1;
	if (connection->asked_count == 0 && PQenterPipelineMode(connection->pg) != 1)
		return store_pg_fail(connection, NULL, err);
	if (!store_pg_send_prepared(statement))
		return store_pg_fail(connection, NULL, err);
	connection->asked[connection->asked_count++] = is_wanted ? statement : NULL;
	return 0;
}

bool store_pg_is_asked(const struct pg_statement *statement)
{
	const struct pg_connection *connection = pg_of(statement->base.sql);

	for (size_t i = 0; i < connection->asked_count; i++) {
		if (connection->asked[i] == statement)
			return true;
	}
	return false;
}

void store_pg_forget(const struct pg_statement *statement)
{
	struct pg_connection *connection = pg_of(statement->base.sql);

	for (size_t i = 0; i < connection->asked_count; i++) {
		if (connection->asked[i] == statement)
			connection->asked[i] = NULL;
	}
}
