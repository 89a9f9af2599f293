/*
 * Which handler answers what: the rows of tbl/sim_routes.h.
 */
#ifndef SIM_ROUTES_H
#define SIM_ROUTES_H

struct sim_conn;

/* Answers a whole request, or begins to. */
void sim_route(struct sim_conn *conn);

#endif
