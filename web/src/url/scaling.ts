// The state of Scaling in an address: the filter as on Explore (explore.ts), and only values that differ from the
// automatic ones.
//
//   axis=NAME        the size: tensor, pipeline, data, expert or nodes instead of gpus
//   metric=ID        the metric that scales; "-" before it: lower is better, "+": higher
//   vary=A,B         further inputs that may differ within a line
//   gain=SHARE       more GPUs stop paying where the gain is below this limit
//   point=ID         the newest run of the opened point
//   linear=1         linear axes      simulated=1  untrusted=1   include these results
import type { Filter, ScalingAxis } from '../api/types'
import type { Choices } from '../filter/model'
import { type ExploreState, readExplore, writeExplore } from './explore'
import { withPresentNames } from './former'

export interface ScalingMetric {
  field: string
  direction: 'lower' | 'higher' | null // null: that of the field
}

export interface ScalingState {
  choices: Choices
  where: Filter | undefined
  axis: ScalingAxis
  metric: ScalingMetric
  vary: string[]
  gain: number
  point: number | null
  isLinear: boolean
  withSimulated: boolean
  withUntrusted: boolean
}

export const AXES: readonly ScalingAxis[] = ['gpus', 'tensor', 'pipeline', 'data', 'expert', 'nodes']
const VARY_MOST = 16
const GAIN_MOST = 10

export const NO_SCALING: ScalingState = {
  choices: {},
  where: undefined,
  axis: 'gpus',
  metric: { field: 'results.output_throughput', direction: null },
  vary: [],
  gain: 0.5,
  point: null,
  isLinear: false,
  withSimulated: false,
  withUntrusted: false,
}

const FLAGS = [
  ['linear', 'isLinear'],
  ['simulated', 'withSimulated'],
  ['untrusted', 'withUntrusted'],
] as const

const SIGNS = { '-': 'lower', '+': 'higher' } as const

function readMetric(text: string): ScalingMetric {
  const direction = SIGNS[text.charAt(0) as keyof typeof SIGNS] ?? null
  return { field: direction === null ? text : text.slice(1), direction }
}

const writeMetric = ({ field, direction }: ScalingMetric) =>
  `${direction === null ? '' : direction === 'lower' ? '-' : '+'}${field}`

export function readScaling(search: string): ScalingState {
  const query = withPresentNames(search)
  const { choices, where } = readExplore(search)
  // a plus is a blank in a query that was not escaped
  const metric = readMetric((query.get('metric') ?? '').replace(/^ /, '+'))
  const gain = Number(query.get('gain') ?? NO_SCALING.gain)
  const point = Number(query.get('point'))
  const state: ScalingState = {
    ...NO_SCALING,
    choices,
    where,
    axis: AXES.find((one) => one === query.get('axis')) ?? NO_SCALING.axis,
    metric: metric.field ? metric : NO_SCALING.metric,
    vary: [...new Set((query.get('vary') ?? '').split(',').filter(Boolean))].slice(0, VARY_MOST),
    gain: gain >= 0 && gain <= GAIN_MOST ? gain : NO_SCALING.gain,
    point: Number.isSafeInteger(point) && point > 0 ? point : null,
  }
  for (const [name, member] of FLAGS) state[member] = query.get(name) === '1'
  return state
}

// Of Explore, an address with this filter and nothing else.
export const exploreOfScaling = ({ choices, where }: Pick<ScalingState, 'choices' | 'where'>): ExploreState => ({
  ...readExplore(''),
  choices,
  where,
})

export function writeScaling(state: ScalingState) {
  const query = new URLSearchParams()
  if (state.axis !== NO_SCALING.axis) query.set('axis', state.axis)
  const metric = writeMetric(state.metric)
  if (metric !== writeMetric(NO_SCALING.metric)) query.set('metric', metric)
  if (state.vary.length) query.set('vary', state.vary.join(','))
  if (state.gain !== NO_SCALING.gain) query.set('gain', String(state.gain))
  if (state.point !== null) query.set('point', String(state.point))
  for (const [name, member] of FLAGS) if (state[member]) query.set(name, '1')
  return [writeExplore(exploreOfScaling(state)), query.toString().replaceAll('%2C', ',')].filter(Boolean).join('&')
}
