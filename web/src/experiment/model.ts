// An experiment's fields, sorted into what its screen shows.
import type { Experiment, Field, FieldValue } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { twinOf } from '../fields/twins'
import { isParameter, lowEnd } from '../format/unit'

export interface Entry {
  field: Field
  value: FieldValue
}

export interface Check {
  id: string
  status: string // passed, over_limit, unknown
  effect: string
  text: string
  unit: string
  value: unknown // undefined: not recorded, null: none was measured
  limit: unknown
}

export type Interval = [low: number, high: number] | null | undefined // null: there is none, undefined: not recorded

export interface Family {
  title: string
  help: string
  twin: { title: string; isSame: boolean } | null // the family that measures the same from events
  statistics: { name: string; id: string; field: Field; value: unknown; interval: Interval }[]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// In the order of the fields; keys inside of objects come last.
export function entriesOf(catalogue: Catalogue, experiment: Experiment): Entry[] {
  const rank = new Map(catalogue.fields.map((field, i) => [field.id, i]))
  return Object.entries(experiment.fields)
    .map(([id, value]) => ({ field: catalogue.get(id), value }))
    .toSorted((a, b) => (rank.get(a.field.id) ?? Infinity) - (rank.get(b.field.id) ?? Infinity))
}

// A document may have checks of any shape: a key of another type counts as missing.
function checkOf(check: Record<string, unknown>): Check {
  const text = (key: string) => (typeof check[key] === 'string' ? check[key] : '')
  return {
    id: text('id'),
    status: text('status'),
    effect: text('effect'),
    text: text('text'),
    unit: text('unit'),
    value: check['value'],
    limit: check['limit'],
  }
}

export function checksOf(experiment: Experiment): Check[] {
  const quality = experiment.document['quality']
  const checks = isObject(quality) ? quality['checks'] : undefined
  return Array.isArray(checks) ? checks.filter(isObject).map(checkOf) : []
}

// Checks that lower the verdict come first, then unknown ones.
export function checkRank({ status, effect }: Check) {
  if (status === 'over_limit') return effect === 'client_limited' ? 0 : effect === 'degraded' ? 1 : 2
  return status === 'unknown' ? 3 : 4
}

// The limit of some checks is a minimum.
export const isBelow = ({ status, value, limit }: Check) =>
  status === 'over_limit' && typeof value === 'number' && typeof limit === 'number' && value < limit
export const decides = (check: Check) => check.status === 'over_limit' && check.effect !== 'info'

const STATISTIC = /^results\.(mean|median|std|p[\d.]+)_(.+)$/
const SHOWN = ['mean', 'median', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'std']

// Derived metrics that are as certain as the metric they are made of, and whether they fall as it rises. A comparison
// takes their intervals from the same two (src/result/compare/documents.c).
const DERIVED: Record<string, [from: string, isInverse: boolean]> = {
  'derived.output_throughput_per_gpu': ['results.output_throughput', false],
  'derived.tokens_per_s_per_user': ['results.median_tpot_ms', true],
}

export function intervalOf(experiment: Experiment, field: Pick<Field, 'id' | 'unit'>): Interval {
  const derived = DERIVED[field.id]
  if (derived) {
    const [value, from] = [experiment.fields[field.id]?.value, experiment.fields[derived[0]]?.value]
    const ends = intervalOf(experiment, { id: derived[0], unit: '' })
    if (!ends || typeof value !== 'number' || typeof from !== 'number' || !(from > 0)) return ends && undefined
    const [low, high] = ends.map((end) => (derived[1] ? (value * from) / end : (value * end) / from)) as [
      number,
      number,
    ]
    return derived[1] ? [high, low] : [low, high]
  }
  const results = experiment.document['results']
  const ends = isObject(results) ? results[`${field.id.slice('results.'.length)}_ci95`] : undefined
  if (ends === null) return null
  return Array.isArray(ends) && typeof ends[0] === 'number' && typeof ends[1] === 'number'
    ? [lowEnd(field, ends[0]), ends[1]]
    : undefined
}

export function familiesOf(experiment: Experiment, entries: Entry[]): Family[] {
  const families = new Map<string, Family>()
  for (const { field, value } of entries) {
    const [, name = '', family = ''] = STATISTIC.exec(field.id) ?? []
    if (!SHOWN.includes(name) || /_(ci95|client_error)/.test(field.id)) continue
    const one = families.get(family) ?? { title: field.group, help: field.help, twin: null, statistics: [] }
    one.statistics.push({
      name,
      id: field.id,
      field,
      value: value.value ?? null,
      interval: intervalOf(experiment, field),
    })
    families.set(family, one)
  }
  const order = (name: string) => SHOWN.indexOf(name)
  const found = [...families.values()]
    .filter((family) => family.statistics.some((one) => one.value !== null))
    .map((family) => {
      const has50 = family.statistics.some((one) => one.name === 'median')
      return {
        ...family,
        statistics: family.statistics
          .filter((one) => one.value !== null && !(has50 && one.name === 'p50'))
          .toSorted((a, b) => order(a.name) - order(b.name)),
      }
    })
  const values = new Map(found.flatMap(({ statistics }) => statistics.map((one) => [one.id, one.value] as const)))
  return found.map((family) => {
    const twins = family.statistics.map(({ id }) => twinOf(id) ?? '')
    const twin = found.find(({ statistics }) => statistics.some(({ id }) => twins.includes(id)))
    return {
      ...family,
      twin: twin
        ? { title: twin.title, isSame: family.statistics.every(({ value }, i) => value === values.get(twins[i] ?? '')) }
        : null,
    }
  })
}

// Counts that a file has under two names.
const ALIASES: Record<string, string> = {
  'results.completed_requests': 'results.completed',
  'results.failed_requests': 'results.failed',
}

// Measured values other than statistics of latencies, each once.
export function figuresOf(entries: Entry[]) {
  const values = new Map(entries.map(({ field, value }) => [field.id, value.value]))
  return entries.filter((entry) => {
    const alias = ALIASES[entry.field.id]
    // vLLM writes 0 for the metric of audio in every other run
    if (entry.field.id === 'results.rtfx' && entry.value.value === 0) return false
    return (
      isFigure(entry) &&
      entry.value.state === 'value' &&
      !(alias !== undefined && values.get(alias) === entry.value.value)
    )
  })
}

const isStatistic = (field: Field) => STATISTIC.test(field.id)
const isFigure = ({ field }: Entry) =>
  field.role === 'output' &&
  /^(results|derived)\./.test(field.id) &&
  (field.type === 'number' || field.type === 'count') &&
  !isStatistic(field) &&
  !/^results\.(errors|steady|latency_breakdown)/.test(field.id)
export const isSet = ({ field, value }: Entry) => isParameter(field) && value.explicit === true
export const isDefault = ({ field, value }: Entry) => isParameter(field) && value.explicit !== true
export const nameOf = (entry: Entry) =>
  isParameter(entry.field) ? entry.field.id.split('.').slice(1).join('.') : longName(entry.field)

export const textOf = (experiment: Experiment, id: string) => {
  const value = experiment.fields[id]?.value
  return value === undefined || value === null ? null : value
}
