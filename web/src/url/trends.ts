// The state of Trends in an address: the filter as on Explore (explore.ts), and only values that differ from the
// automatic ones.
//
//   metric=ID   the metric of the overview        metrics=A,B   those analyzed instead of the headline metrics
//   by=time     the order of runs                 version=ID    the version under study
//   mode=sensitive                                direction=worse or better
//   effect=0.02 the smallest change that matters, as a share; the default of each metric if missing
//   group=incident or none   the list; by incident if an incident has many series, if missing
//   vary=A,B    fields that may change in a series   keep=A,B   fields that may not
//   series=KEY  the opened series                 change=N      one of its changes, from 1; the last one if missing
//   show=watches    the stored questions instead of the verdicts
//   show=releases   two releases: a=VALUE, b=VALUE of the version under study, axes=X,Y of the
//               heat map, cell=[X,Y] the opened cell
//   each=1      a chart per series                values=median, mean
//   band=p10_p90, mad, minmax, ci95               table=1       charts as tables        simulated=1
import type { Filter } from '../api/types'
import type { Choices } from '../filter/model'
import { type ExploreState, readExplore, writeExplore } from './explore'
import { withPresentNames } from './former'

export type TrendMode = 'strict' | 'sensitive'
export type TrendDirection = '' | 'worse' | 'better'
export type TrendGroup = '' | 'incident' | 'none'
export const AGGREGATES = ['none', 'median', 'mean'] as const
export const PARTS = ['verdicts', 'releases', 'watches'] as const
export type TrendsPart = (typeof PARTS)[number]
export const BANDS = ['none', 'p10_p90', 'mad', 'minmax', 'ci95'] as const
export type Aggregate = (typeof AGGREGATES)[number]
export type Band = (typeof BANDS)[number]

export interface TrendsState {
  show: TrendsPart
  choices: Choices
  where: Filter | undefined
  metric: string
  metrics: string[]
  by: 'version' | 'time'
  version: string
  mode: TrendMode
  effect: number | null
  direction: TrendDirection
  group: TrendGroup
  vary: string[]
  keep: string[]
  series: string // '': the overview
  change: number | null
  each: boolean
  values: Aggregate
  band: Band
  asTable: boolean
  withSimulated: boolean
  a: string // '': automatic
  b: string
  axes: string[] // []: automatic
  cell: string // JSON of the values on both axes; '': none
}

const EFFECT_LEAST = 0.0001 // that of the contract
export const USUAL_METRIC = 'results.p99_ttft_ms'
export const USUAL_VERSION = 'environment.engine.version'

export const NO_TRENDS: TrendsState = {
  show: 'verdicts',
  choices: {},
  where: undefined,
  metric: USUAL_METRIC,
  metrics: [],
  by: 'version',
  version: USUAL_VERSION,
  mode: 'strict',
  effect: null,
  direction: '',
  group: '',
  vary: [],
  keep: [],
  series: '',
  change: null,
  each: false,
  values: 'none',
  band: 'none',
  asTable: false,
  withSimulated: false,
  a: '',
  b: '',
  axes: [],
  cell: '',
}

const LISTS = ['metrics', 'vary', 'keep', 'axes'] as const
const TEXTS = ['a', 'b', 'cell'] as const
const FLAGS = [
  ['each', 'each'],
  ['table', 'asTable'],
  ['simulated', 'withSimulated'],
] as const

const oneOf = <T extends string>(text: string | null, all: readonly T[], usual: T) =>
  all.find((one) => one === text) ?? usual

export function readTrends(search: string): TrendsState {
  const query = withPresentNames(search)
  const { choices, where } = readExplore(search)
  const state: TrendsState = { ...NO_TRENDS, choices, where }
  state.metric = query.get('metric') || USUAL_METRIC
  state.show = oneOf(query.get('show'), PARTS, 'verdicts')
  for (const name of TEXTS) state[name] = query.get(name) ?? ''
  state.by = oneOf(query.get('by'), ['version', 'time'], 'version')
  state.version = query.get('version') || USUAL_VERSION
  state.mode = oneOf(query.get('mode'), ['strict', 'sensitive'], 'strict')
  const effect = Number(query.get('effect'))
  state.effect = effect >= EFFECT_LEAST && effect < 1 ? effect : null
  state.direction = oneOf(query.get('direction'), ['', 'worse', 'better'], '')
  state.group = oneOf(query.get('group'), ['', 'incident', 'none'], '')
  state.series = query.get('series') ?? ''
  const change = Number(query.get('change'))
  state.change = Number.isSafeInteger(change) && change > 0 ? change : null
  state.values = oneOf(query.get('values'), AGGREGATES, 'none')
  state.band = oneOf(query.get('band'), BANDS, 'none')
  for (const name of LISTS) state[name] = (query.get(name) ?? '').split(',').filter(Boolean)
  for (const [name, member] of FLAGS) state[member] = query.get(name) === '1'
  return state
}

// Of Explore, an address with this filter and nothing else.
export const exploreOf = ({ choices, where }: Pick<TrendsState, 'choices' | 'where'>): ExploreState => ({
  ...readExplore(''),
  choices,
  where,
})

const WORDS = [
  'show',
  'metric',
  'by',
  'version',
  'mode',
  'direction',
  'group',
  'series',
  'values',
  'band',
  ...TEXTS,
] as const

export function writeTrends(state: TrendsState) {
  const query = new URLSearchParams()
  for (const name of WORDS) if (state[name] !== NO_TRENDS[name]) query.set(name, state[name])
  for (const name of LISTS) if (state[name].length) query.set(name, state[name].join(','))
  if (state.change !== null) query.set('change', String(state.change))
  if (state.effect !== null) query.set('effect', String(state.effect))
  for (const [name, member] of FLAGS) if (state[member]) query.set(name, '1')
  return [writeExplore(exploreOf(state)), query.toString().replaceAll('%2C', ',')].filter(Boolean).join('&')
}
