// The runs that tell apart fields which changed at the same place, as an experiment file for a sweep.
import type { Cause } from './model'

export interface Plan {
  points: Record<string, unknown>[] // values of the fields that a file can set
  varied: string[]
  others: string[] // fields of the group that a file cannot set
}

// Five values on each side are the fewest with which a rank test finds a difference at p < 0.01.
export const REPEATS = 5
const SETTABLE = /^(server|benchmark)\./

// All values before, each field alone with its value after, and all values after. null: nothing to tell apart, or no
// field that a file can set.
export function planOf(fields: string[], causes: Cause[]): Plan | null {
  const changed = causes.filter(({ field }) => fields.includes(field))
  const varied = changed.filter(({ field }) => SETTABLE.test(field))
  const others = fields.filter((field) => !SETTABLE.test(field))
  if (varied.length === 0 || varied.length + others.length < 2) return null
  const point = (isAfter: (at: number) => boolean) =>
    Object.fromEntries(varied.map(({ field, before, after }, at) => [field, (isAfter(at) ? after : before) ?? null]))
  const alone = varied.length > 1 ? varied.map((_, only) => point((at) => at === only)) : []
  return { points: [point(() => false), ...alone, point(() => true)], varied: varied.map(({ field }) => field), others }
}

// {"a": 1, "b": "x"}: JSON with a space after each colon is YAML for every parser.
const flow = (point: Record<string, unknown>) =>
  `{${Object.entries(point)
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join(', ')}}`

export const fileOf = (experiment: string, { points }: Plan) =>
  `${experiment.trimEnd()}\nsweep:\n  points:\n${points.map((point) => `    - ${flow(point)}\n`).join('')}`

export const commandOf = (file: string) =>
  `profllm sweep run --repeats ${REPEATS} --order interleaved --output-dir separate ${file}`
