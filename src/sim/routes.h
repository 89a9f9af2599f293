/*
 * Which handler answers what: the rows of tbl/sim_routes.h.
 */
#pragma once

struct sim_conn;

/* Answers a whole request, or begins to. */
void sim_route(struct sim_conn *conn);
