/*
 * What killed runs left behind, ended by the next command.
 */
#pragma once

/* Says so in one line a run. Not for commands whose answer a shell waits for at each key. */
void cli_end_orphans(const char *command);
