// The phases of a server's start-up in their order; each field is the time from the start of the process, in seconds.
export const PHASES = ['spawn', 'first_line', 'engine_init', 'weights_begin', 'weights_loaded', 'compiled', 'kv_cache', 'graph_capture', 'engine_ready', 'listening', 'healthy', 'ready'].map((name) => `launch.phases.${name}_s`)
