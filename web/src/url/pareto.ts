// The state of Pareto in an address: the filter as on Explore (explore.ts), and only values that differ from the
// automatic ones.
//
//   metrics=A,B,C    the metrics of the axes x and y, and a third one if there is a C; "-" before a field: lower is
//                    better, "+": higher
//   group=ID         the field whose values have a frontier each; none: one frontier
//   limits=A<=5,B>=2 limits of fields
//   until=DAY        the frontier as of the end of that day in UTC     release=V   as of that release
//   load=N           requests per second to serve        margin=N   percent of the load to add
//   baselines=1,2    the baselines that are drawn
//   point=ID         the newest run of the opened configuration
//   table=1          the chart as a table      simulated=1  untrusted=1   include these results
import type { Filter } from '../api/types'
import type { Choices } from '../filter/model'
import { readBaselines } from './chart'
import { type ExploreState, readExplore, writeExplore } from './explore'
import { withPresentNames } from './former'

export type Way = 'lower' | 'higher'
export interface ParetoMetric {
  field: string
  direction: Way | null // null: that of the field
}
export interface ParetoLimit {
  field: string
  op: '<=' | '>='
  value: number // as stored
}
export type AsOf = { until: string } | { release: string }

export interface ParetoState {
  choices: Choices
  where: Filter | undefined
  metrics: [x: ParetoMetric, y: ParetoMetric, ...third: ParetoMetric[]] // at most three
  group: string // '': one frontier
  limits: ParetoLimit[]
  asOf: AsOf | null
  load: number | null // requests per second that the capacity must serve
  margin: number // percent of the load
  baselines: number[]
  point: number | null
  asTable: boolean
  withSimulated: boolean
  withUntrusted: boolean
}

export const USUAL_GROUP = 'system.hardware_info.gpu_name'
export const LIMITS_MOST = 8
export const USUAL_MARGIN = 20

export const NO_PARETO: ParetoState = {
  choices: {},
  where: undefined,
  metrics: [
    { field: 'derived.tokens_per_s_per_user', direction: null },
    { field: 'derived.output_throughput_per_gpu', direction: null },
  ],
  group: USUAL_GROUP,
  limits: [],
  asOf: null,
  load: null,
  margin: USUAL_MARGIN,
  baselines: [],
  point: null,
  asTable: false,
  withSimulated: false,
  withUntrusted: false,
}

const FLAGS = [
  ['table', 'asTable'],
  ['simulated', 'withSimulated'],
  ['untrusted', 'withUntrusted'],
] as const

const SIGNS = { '-': 'lower', '+': 'higher' } as const

function readMetric(text: string): ParetoMetric {
  const direction = SIGNS[text.charAt(0) as keyof typeof SIGNS] ?? null
  return { field: direction === null ? text : text.slice(1), direction }
}

// The days that the server accepts as a filter, which has the day after it.
const [FIRST_DAY, LAST_DAY] = ['1970-01-01', '9999-12-30']

const writeMetric = ({ field, direction }: ParetoMetric) =>
  `${direction === null ? '' : direction === 'lower' ? '-' : '+'}${field}`

function readLimit(text: string): ParetoLimit[] {
  const [, field = '', op = '', number = ''] = /^([^<>]+)(<=|>=)(.+)$/.exec(text) ?? []
  const value = Number(number)
  return field !== '' && (op === '<=' || op === '>=') && number.trim() !== '' && Number.isFinite(value)
    ? [{ field, op, value }]
    : []
}

// Limits of one field have different bounds: the page names a limit by both.
const areDifferent = ({ field, op }: ParetoLimit, at: number, all: ParetoLimit[]) =>
  all.findIndex((one) => one.field === field && one.op === op) === at

function readAsOf(query: URLSearchParams): AsOf | null {
  const [until, release] = [query.get('until'), query.get('release')]
  const isDay = /^\d{4}-\d\d-\d\d$/.test(until ?? '') && !Number.isNaN(Date.parse(until ?? ''))
  if (until && isDay && until >= FIRST_DAY && until <= LAST_DAY) return { until }
  return release ? { release } : null
}

function readNumber(text: string | null, fits: (value: number) => boolean) {
  const value = Number(text)
  return text?.trim() && Number.isFinite(value) && fits(value) ? value : undefined
}

export function readPareto(search: string): ParetoState {
  const query = withPresentNames(search)
  const { choices, where } = readExplore(search)
  // a plus is a blank in a query that was not escaped
  const [x, y, z] = (query.get('metrics') ?? '').split(',').map((text) => readMetric(text.replace(/^ /, '+')))
  const third = z?.field && z.field !== x?.field && z.field !== y?.field ? [z] : []
  const point = Number(query.get('point'))
  const state: ParetoState = {
    ...NO_PARETO,
    choices,
    where,
    metrics: x?.field && y?.field && x.field !== y.field ? [x, y, ...third] : NO_PARETO.metrics,
    limits: (query.get('limits') ?? '').split(',').flatMap(readLimit).filter(areDifferent).slice(0, LIMITS_MOST),
    asOf: readAsOf(query),
    load: readNumber(query.get('load'), (value) => value > 0) ?? null,
    margin: readNumber(query.get('margin'), (value) => value >= 0) ?? USUAL_MARGIN,
    baselines: readBaselines(query.get('baselines')),
    point: Number.isSafeInteger(point) && point > 0 ? point : null,
  }
  const group = query.get('group')
  if (group) state.group = group === 'none' ? '' : group
  for (const [name, member] of FLAGS) state[member] = query.get(name) === '1'
  return state
}

// Of Explore, an address with this filter and nothing else.
export const exploreOfPareto = ({ choices, where }: Pick<ParetoState, 'choices' | 'where'>): ExploreState => ({
  ...readExplore(''),
  choices,
  where,
})

export function writePareto(state: ParetoState) {
  const query = new URLSearchParams()
  const metrics = state.metrics.map(writeMetric).join(',')
  if (metrics !== NO_PARETO.metrics.map(writeMetric).join(',')) query.set('metrics', metrics)
  if (state.group !== NO_PARETO.group) query.set('group', state.group || 'none')
  if (state.limits.length) query.set('limits', state.limits.map(({ field, op, value }) => field + op + value).join(','))
  if (state.asOf) {
    if ('until' in state.asOf) query.set('until', state.asOf.until)
    else query.set('release', state.asOf.release)
  }
  if (state.load !== null) query.set('load', String(state.load))
  if (state.margin !== NO_PARETO.margin) query.set('margin', String(state.margin))
  if (state.baselines.length) query.set('baselines', state.baselines.join())
  if (state.point !== null) query.set('point', String(state.point))
  for (const [name, member] of FLAGS) if (state[member]) query.set(name, '1')
  return [writeExplore(exploreOfPareto(state)), query.toString().replaceAll('%2C', ',')].filter(Boolean).join('&')
}
