/*
 * Roles of tokens and of the routes of profllm-dashboard (x-role in api/openapi.yaml), the weakest first. A token may use
 * the routes of its role and of all roles above it in this list.
 *
 * ROLE(NAME, name, meaning)
 * Undefined again at the end.
 */
ROLE(NONE, "none", "any client, without a token")
ROLE(READ, "read", "read, filter, compare and export results")
ROLE(WRITE, "write", "upload results, and add tags, notes, presets, annotations and decisions")
ROLE(ADMIN, "admin", "delete and restore results, and change prices and watches")

#undef ROLE
