// Frontiers as positions and words: draws nothing and requests nothing.
import type { Filter, Pareto, ParetoGroup, ParetoPoint, ParetoRequest, Slo, SloRequest } from '../api/types'
import { NAMING_FIELDS } from '../names/names'
import { slotsOf } from '../chart/slots'
import { type Catalogue, longName } from '../fields/catalogue'
import { treeOf } from '../filter/model'
import { count, type Form, showNumber } from '../format/number'
import { briefly, nameOf, NOT_RECORDED, wholeText } from '../format/value'
import { type RowName, rowNames } from '../names/rows'
import type { AsOf, ParetoLimit, ParetoMetric, ParetoState, Way } from '../url/pareto'

export const TIME = 'run.timestamp'
// The costs of a configuration, which its card shows.
export const COSTS = ['derived.cost_per_million_output_tokens', 'derived.cost_per_hour'] as const
// Further inputs that often tell configurations apart.
const VARIED = ['server.block_size', 'server.enforce_eager', 'server.enable_chunked_prefill', 'server.swap_space']
const INPUT_KEY = 'derived.input_key'
export const VERSION = 'environment.engine.version'
export const RATE = 'results.request_throughput'
const SLO_MOST = 1000

export const conditionsOf = (filter: Filter | undefined, ...also: (Filter | undefined)[]): Filter | undefined => {
  const and = [filter, ...also].filter((one) => one !== undefined)
  return and.length > 1 ? { and } : and[0]
}

// ---- requests -------------------------------------------------------------------------------------------------------

// The end of a day in UTC, as the next day begins.
const nextDay = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString()

// The runs that existed then. `releases`: all of them in their order.
export function filterAsOf(asOf: AsOf, releases: readonly string[]): Filter {
  if ('until' in asOf) return { field: TIME, op: 'lt', value: nextDay(asOf.until) }
  const at = releases.indexOf(asOf.release)
  return { field: VERSION, op: 'in', value: at < 0 ? [asOf.release] : releases.slice(0, at + 1) }
}

// The boundary between the runs as of then and those after it; null: no run is after it.
export function sinceOf(asOf: AsOf | null, releases: readonly string[]): ParetoRequest['since'] {
  if (asOf === null) return null
  if ('until' in asOf) return { time: nextDay(asOf.until) }
  const next = releases[releases.indexOf(asOf.release) + 1]
  return next === undefined ? null : { version: next }
}

const metricOf = ({ field, direction }: ParetoMetric, { byId }: Catalogue) => {
  const way = direction ?? (byId.get(field)?.direction === 'neither' ? 'higher' : null)
  return { field, ...(way && { direction: way }) }
}

export const isOfAxes = ({ field }: ParetoLimit, { metrics }: ParetoState) =>
  metrics.some((metric) => metric.field === field)

// The server finds the best value at a limit in the better direction of its metric.
const isBetterWay = ({ field, op }: ParetoLimit, { metrics }: ParetoState, catalogue: Catalogue) =>
  metrics.some((metric) => {
    const way = metric.direction ?? catalogue.get(metric.field).direction
    return metric.field === field && op === (way === 'lower' ? '<=' : '>=')
  })

export function requestOf(state: ParetoState, catalogue: Catalogue, also?: Filter): ParetoRequest {
  const filter = conditionsOf(treeOf(state.choices, state.where), also)
  const others = state.limits.filter((limit) => !isOfAxes(limit, state)).map(({ field }) => field)
  return {
    ...(filter && { filter }),
    metrics: state.metrics.map((metric) => metricOf(metric, catalogue)),
    ...(state.group && { group_by: [state.group] }),
    limits: state.limits
      .filter((limit) => isBetterWay(limit, state, catalogue))
      .map(({ field, value }) => ({ field, value })),
    columns: [
      ...new Set([
        'run.name',
        ...[INPUT_KEY, ...NAMING_FIELDS, ...VARIED, ...COSTS].filter((id) => catalogue.byId.has(id)),
        ...others,
      ]),
    ],
    ...(state.withSimulated && { simulated: true }),
    ...(state.withUntrusted && { untrusted: true }),
  }
}

// The limits, and with a load also the request rate of each configuration, as a minimum that all keep.
export function capacityRequestOf(state: ParetoState, also?: Filter): SloRequest | null {
  return state.load === null ? null : sloRequest(state, also, [{ field: RATE, min: 0 }])
}

export function sloRequestOf(state: ParetoState, also?: Filter): SloRequest | null {
  return state.limits.length === 0 ? null : sloRequest(state, also, [])
}

// Means of some fields over the runs of some configurations: each field as a minimum that any value keeps.
export function meansRequestOf(
  points: ParetoPoint[],
  fields: readonly string[],
  request: ParetoRequest | null,
): SloRequest | null {
  const keys = [...new Set(points.map(({ row }) => row?.cells[INPUT_KEY]))].filter((key) => typeof key === 'string')
  if (keys.length === 0 || fields.length === 0 || !request) return null
  const { filter, simulated, untrusted } = request
  return {
    filter: conditionsOf(filter as Filter | undefined, { field: INPUT_KEY, op: 'in', value: keys }) ?? {},
    limits: fields.map((field) => ({ field, min: 0 })),
    limit: SLO_MOST,
    records: false,
    ...(simulated && { simulated }),
    ...(untrusted && { untrusted }),
  }
}

function sloRequest(state: ParetoState, also: Filter | undefined, rates: SloRequest['limits']): SloRequest {
  const filter = conditionsOf(treeOf(state.choices, state.where), also)
  return {
    ...(filter && { filter }),
    limits: [
      ...state.limits.map(({ field, op, value }) => ({ field, [op === '<=' ? 'max' : 'min']: value })),
      ...rates,
    ],
    limit: SLO_MOST,
    records: false,
    ...(state.withSimulated && { simulated: true }),
    ...(state.withUntrusted && { untrusted: true }),
  }
}

// ---- releases and days ----------------------------------------------------------------------------------------------

const RELEASE = /^v?(\d+(?:\.\d+)*)(.*)$/

// Ascending: "0.9.2" < "0.10.0rc1" < "0.10.0" < "0.10.0.post1".
export function compareReleases(a: string, b: string) {
  const [one, other] = [RELEASE.exec(a), RELEASE.exec(b)]
  if (!one || !other) return Number(!one) - Number(!other) || (a < b ? -1 : a > b ? 1 : 0)
  const [left, right] = [one, other].map(([, numbers = '']) => numbers.split('.').map(Number))
  for (let i = 0; i < Math.max(left?.length ?? 0, right?.length ?? 0); i++) {
    const by = (left?.[i] ?? 0) - (right?.[i] ?? 0)
    if (by !== 0) return by
  }
  const rank = (suffix = '') => (suffix === '' ? 0 : /^[.+-]?(post|\+|\d)/.test(suffix) ? 1 : -1)
  return rank(one[2]) - rank(other[2]) || (one[2] ?? '').localeCompare(other[2] ?? '', 'en', { numeric: true })
}

export const isRelease = (text: unknown): text is string => typeof text === 'string' && RELEASE.test(text)

const DAYS_MOST = 4000

// All days from the first to the last run.
export function daysBetween(first: unknown, last: unknown): string[] {
  const [from, to] = [first, last].map((time) => (typeof time === 'string' ? Date.parse(time.slice(0, 10)) : NaN))
  if (from === undefined || to === undefined || !(to >= from)) return []
  const days = Math.min(DAYS_MOST, Math.round((to - from) / 86_400_000))
  return Array.from({ length: days + 1 }, (_, i) => new Date(to - (days - i) * 86_400_000).toISOString().slice(0, 10))
}

// ---- points ---------------------------------------------------------------------------------------------------------

export interface Group {
  at: number // in the answer
  label: string // '' if it is the only one
  full: string
  slot: number
  answer: ParetoGroup
}

export function groupsOf(answer: Pareto, field: string, catalogue: Catalogue): Group[] {
  const of = catalogue.get(field)
  const texts = answer.groups.map(({ key }) => {
    const value = key[field]
    return value === undefined ? 'not recorded' : value === null ? 'unset' : wholeText(of, value)
  })
  const slots = slotsOf(texts)
  return answer.groups.map((group, at) => {
    const full = field === '' ? '' : (texts[at] ?? '')
    return { at, label: briefly(of, full), full, slot: field === '' ? 0 : (slots.get(full) ?? -1), answer: group }
  })
}

export interface Configuration {
  at: number // among all of the answer
  id: number // of its newest run
  group: Group
  point: ParetoPoint
  x: number
  y: number
  z: number | null // of the third metric, if there is one
  name: string
  full: string
}

const NAMED_AT_ONCE = 200
const NAME_LETTERS = 49

export const isNotable = ({ frontier, membership }: ParetoPoint) => frontier || membership === 'perhaps'

// The names of many configurations take longer than their frontier, so those off the frontier get theirs when one of
// them is read.
export function configurationsOf(groups: Group[], catalogue: Catalogue): Configuration[] {
  const all = groups.flatMap((group) => group.answer.points.map((point) => ({ group, point })))
  // names that would be cut have more room
  const namesAmong = (points: ParetoPoint[]) => {
    const rows = points.flatMap(({ row }) => row ?? [])
    const names = rowNames(rows, catalogue)
    const isCut = [...names.values()].some(({ short }) => short.includes('…'))
    return isCut ? rowNames(rows, catalogue, NAME_LETTERS) : names
  }
  const points = all.map(({ point }) => point)
  const first = namesAmong(points.length > NAMED_AT_ONCE ? points.filter(isNotable) : points)
  let others: ReadonlyMap<number, RowName> | undefined
  const words = (point: ParetoPoint, id: number) => {
    const own = point.row ? nameOf(point.row) : `result ${id}`
    const isNamed = points.length <= NAMED_AT_ONCE || isNotable(point)
    if (!isNamed) others ??= namesAmong(points)
    const name = (isNamed ? first : others)?.get(id)
    return { name: name?.short ?? own, full: name?.full ?? own }
  }
  return all.flatMap(({ group, point }, at) => {
    const id = point.ids.at(-1) ?? 0
    const [x, y, z = null] = point.values.map(({ mean }) => mean)
    if (x == null || y == null) return []
    return {
      at,
      id,
      group,
      point,
      x,
      y,
      z,
      get name() {
        return words(point, id).name
      },
      get full() {
        return words(point, id).full
      },
    }
  })
}

export const MEMBERSHIP_WORDS: Record<ParetoPoint['membership'], string> = {
  surely: 'surely on the frontier',
  perhaps: 'perhaps on the frontier',
  not: 'not on the frontier',
  unknown: 'on the frontier of the means',
}

export function membershipText({ membership, frontier, share }: ParetoPoint) {
  if (membership === 'unknown') return frontier ? 'on the frontier of the means' : 'not on the frontier of the means'
  return `${MEMBERSHIP_WORDS[membership]}${share === null ? '' : `, in ${percentOf(share)} of resamples`}`
}

export const percentOf = (share: number | null) =>
  share === null ? NOT_RECORDED : `${(share * 100).toFixed(share > 0.995 && share < 1 ? 1 : 0)} %`

export const intervalOf = ({ low, high }: { low: number | null; high: number | null }, form: Form) =>
  low === null || high === null ? NOT_RECORDED : `${showNumber(low, form)} … ${showNumber(high, form)}`

export const runs = (n: number) => `${count(n)} ${n === 1 ? 'run' : 'runs'}`
export const configurations = (n: number) => `${count(n)} ${n === 1 ? 'configuration' : 'configurations'}`

// ---- limits ---------------------------------------------------------------------------------------------------------

export const keeps = ({ op, value }: ParetoLimit, mean: number) => (op === '<=' ? mean <= value : mean >= value)

export const limitWords = ({ field, op }: Pick<ParetoLimit, 'field' | 'op'>, catalogue: Catalogue) =>
  `${longName(catalogue.get(field))} ${op === '<=' ? '≤' : '≥'}`

// The values of each configuration by its runs, as the server measured them for its limits.
const measuredOf = (slo: Slo | undefined) =>
  new Map(slo?.configurations.flatMap(({ ids, values }) => ids.map((id) => [id, values] as const)))

// Whether each configuration keeps all limits, which may have been dragged since: those of the axes by the means that
// are drawn, others by the means of the server. null: not known.
export function keptOf(
  all: Configuration[],
  limits: ParetoLimit[],
  metrics: readonly ParetoMetric[],
  slo: Slo | undefined,
) {
  const dimensions = limits.map(({ field }) => metrics.findIndex((metric) => metric.field === field))
  const others = limits.filter((_, i) => dimensions[i] === -1)
  const byId = measuredOf(slo)
  const columns = others.map(({ field }) => slo?.limits.findIndex((limit) => limit.field === field) ?? -1)
  return new Map(
    all.map(({ at, id, x, y, z }): [number, boolean | null] => {
      const known = byId.get(id)
      const each = [
        ...limits.flatMap((limit, i) => {
          const dimension = dimensions[i]
          const mean = [x, y, z][dimension ?? -1]
          return dimension === -1 ? [] : [mean == null ? null : keeps(limit, mean)]
        }),
        ...others.map((limit, i) => {
          const mean = known?.[columns[i] ?? -1]?.mean
          return mean == null ? null : keeps(limit, mean)
        }),
      ]
      return [at, each.includes(false) ? false : each.includes(null) ? null : true]
    }),
  )
}

// The configurations over the metric of a limit instead of that of the x axis; those whose mean is not known are left
// out.
export function overLimit(all: Configuration[], { field }: ParetoLimit, slo: Slo): Configuration[] {
  const at = slo.limits.findIndex((limit) => limit.field === field)
  const byId = measuredOf(slo)
  return all.flatMap((one) => {
    const value = byId.get(one.id)?.[at]
    if (value?.mean == null) return []
    const { mean, low, high } = value
    const point = { ...one.point, values: [{ mean, low, high }, ...one.point.values.slice(1)] }
    // names are made when they are read
    return [Object.create(one, { x: { value: mean }, point: { value: point } }) as Configuration]
  })
}

// The configuration to look at first: the best in y of those that keep all limits, or the knee without limits.
export function bestOf(
  all: Configuration[],
  kept: ReadonlyMap<number, boolean | null>,
  hasLimits: boolean,
  yWay: Way,
): Configuration | undefined {
  const sign = yWay === 'higher' ? 1 : -1
  const best = (some: Configuration[]) => some.toSorted((a, b) => sign * (b.y - a.y))[0]
  if (hasLimits) return best(all.filter(({ at }) => kept.get(at) === true))
  return best(all.filter(({ point }) => point.knee)) ?? best(all.filter(({ point }) => point.frontier))
}

// ---- axes -----------------------------------------------------------------------------------------------------------

// How many times larger than most values one may be before the axes leave it out.
const FAR = 1000

// The end of the values that an axis shows: a value such as 1e308 would press all others into one line.
export function endOf(values: number[]) {
  const sizes = Float64Array.from(values, Math.abs).sort()
  const usual = sizes[Math.floor(0.75 * (sizes.length - 1))] ?? 0
  return usual > 0 ? usual * FAR : Infinity
}

// The configurations that the axes leave out.
export function countOutside(all: Configuration[]) {
  const [x, y] = [endOf(all.map((one) => one.x)), endOf(all.map((one) => one.y))]
  return all.filter((one) => Math.abs(one.x) > x || Math.abs(one.y) > y).length
}

// ---- lines ----------------------------------------------------------------------------------------------------------

export type Corner = [x: number, y: number]

// The border of what the points dominate, from the axis with the worst x to that with the worst y.
export function stairs(points: Corner[], ways: [Way, Way], worst: Corner): Corner[] {
  const signs = ways.map((way) => (way === 'higher' ? 1 : -1)) as Corner
  const best: Corner[] = []
  for (const point of points.toSorted((a, b) => signs[0] * (b[0] - a[0]) || signs[1] * (b[1] - a[1]))) {
    const last = best.at(-1)
    if (last && signs[1] * (point[1] - last[1]) <= 0) continue
    best.push(point)
  }
  best.reverse()
  const [first, last] = [best[0], best.at(-1)]
  if (!first || !last) return []
  return [
    [worst[0], first[1]],
    ...best.flatMap((point, i): Corner[] => {
      const next = best[i + 1]
      return next ? [point, [point[0], next[1]]] : [point]
    }),
    [last[0], worst[1]],
  ]
}
