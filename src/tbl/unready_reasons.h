/*
 * Reasons why profllm-dashboard is not ready for requests (GET /api/health/ready).
 *
 * UNREADY(NAME, name, text)
 * Undefined again at the end.
 */
UNREADY(STOPPING, "stopping", "the server is stopping")
UNREADY(DATABASE, "database", "the database does not respond or refuses queries")
UNREADY(LAG, "lag", "the results in memory are more than 10 s older than those in the database")
UNREADY(DISK, "disk", "a directory of the server has less than 64 MiB of free space")

#undef UNREADY
