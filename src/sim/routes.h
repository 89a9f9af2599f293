/* Dispatches requests to handlers: the rows of tbl/sim_routes.h. */
#pragma once

struct sim_conn;

/* Responds to a complete request, or starts a job. */
void sim_route(struct sim_conn *conn);
