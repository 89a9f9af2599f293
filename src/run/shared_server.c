#include "run/shared_server.h"

#include "base/file.h"
#include "base/log.h"
#include "run/launch.h"
#include "run/redact.h"

void run_shared_server_close_log(const struct run_shared_server *shared_server)
{
	struct pl_err err = PL_ERR_INIT;

	if (!pl_file_exists(shared_server->log_path))
		return;
	if (run_redact_file(shared_server->log_path, &err) < 0)
		pl_log(PL_LOG_WARNING, "%s", err.text);
}

void run_shared_server_end(struct run_shared_server *shared_server, struct run_slot *slot)
{
	if (shared_server->launch == NULL) {
		run_slot_close(slot);
		return;
	}
	run_server_done(&shared_server->server);
	/* the guard ends everything it has started, and waits for that */
	run_slot_close(slot);
	run_shared_server_close_log(shared_server);
	run_launch_free(pl_take(shared_server->launch));
}

bool run_shared_server_is_up(struct run_shared_server *shared_server, struct run_slot *slot)
{
	if (shared_server->launch == NULL)
		return false;
	if (!run_server_ended(&shared_server->server, 0))
		return true;
	run_shared_server_end(shared_server, slot);
	return false;
}
