// Names in links and presets that earlier versions wrote, with the present ones: those of src/tbl/former_names.h that
// an address can have. They are read and never written.
const PARAMETERS: Record<string, string> = { colour: 'color', differ: 'differing' }
const FIELDS: Record<string, string> = {
  'environment.client.summary_worst': 'environment.client.summary_difference_metric',
  'environment.repeat_of.differences.now': 'environment.repeat_of.differences.current',
  'environment.repeat_of.differences.then': 'environment.repeat_of.differences.original',
  'launch.beside': 'launch.other_servers_max', // check-words: allow beside
  'quality.measurement.worst_figure': 'quality.measurement.metric',
  'stored.near': 'stored.possible_duplicate',
  'system.telemetry.late_max_ms': 'system.telemetry.lateness_max_ms',
  'system.telemetry.late_p50_ms': 'system.telemetry.lateness_p50_ms',
  'system.telemetry.late_p99_ms': 'system.telemetry.lateness_p99_ms',
  'system.telemetry.metrics_asked': 'system.telemetry.metrics_requested',
}
const CHECKS: Record<string, string> = { cap_held_rate: 'concurrency_limited' }
const STATUSES: Record<string, string> = { beyond: 'over_limit', ok: 'passed' }

const isStatus = (field: unknown) => typeof field === 'string' && /^quality\.[^.]+\.status$/.test(field)

const fieldOf = (id: string) =>
  FIELDS[id] ?? id.replace(/(?<=^quality\.)[^.]+(?=\.)/, (check) => CHECKS[check] ?? check)
// Each field in a list, which may have signs between them.
const named = (text: string) => text.replace(/[\w.]+/g, fieldOf)
const spelled = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(spelled) : typeof value === 'string' ? (STATUSES[value] ?? value) : value

// Of JSON, the member `field` of each object and its values: a filter or a side of Compare.
function tree(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(tree)
  if (typeof json !== 'object' || json === null) return json
  const members = Object.entries(json).map(([key, value]): [string, unknown] => [
    key,
    key === 'value' ? value : tree(value),
  ])
  const made: Record<string, unknown> = Object.fromEntries(members)
  if (typeof made['field'] === 'string') made['field'] = named(made['field'])
  return isStatus(made['field']) ? { ...made, value: spelled(made['value']) } : made
}

function ofJson(text: string) {
  try {
    return JSON.stringify(tree(JSON.parse(text)))
  } catch {
    return text
  }
}

// A choice is a list of values, all of them negated by a leading "!".
const ofChoice = (text: string) =>
  text.replace(/(^!?|,)([^,]+)/g, (_, start: string, word: string) => start + (STATUSES[word] ?? word))

function presentValue(name: string, value: string) {
  if (value.startsWith('{')) return ofJson(value)
  if (name.includes('.')) return isStatus(name) ? ofChoice(value) : value
  return named(value)
}

export function withPresentNames(text: string) {
  const former = new URLSearchParams(text)
  const query = new URLSearchParams()
  for (const [key, value] of former) {
    const name = PARAMETERS[key] ?? named(key)
    if (name === key || !former.has(name)) query.append(name, presentValue(name, value))
  }
  return query
}
