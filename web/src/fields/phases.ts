// The phases of a server's startup in their order. Each field is the time from the start of the process, in seconds.
const NAMES = {
  spawn: 'process started',
  first_line: 'first log line',
  engine_init: 'engine starting',
  weights_begin: 'loading weights',
  weights_loaded: 'weights loaded',
  compiled: 'model compiled',
  kv_cache: 'KV cache allocated',
  graph_capture: 'CUDA graphs captured',
  engine_ready: 'engine ready',
  listening: 'port open',
  healthy: 'healthy',
  ready: 'first response',
} as const
const idOf = (name: string) => `launch.phases.${name}_s`

export const PHASES = Object.keys(NAMES).map(idOf)
const BY_ID = new Map(Object.entries(NAMES).map(([name, words]) => [idOf(name), words]))
export const phaseName = (id: string) => BY_ID.get(id) ?? id
