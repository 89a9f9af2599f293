// The state of Impact in an address: the filter as on Explore (explore.ts), and only values that differ from the
// automatic ones.
//
//   metric=ID     the metric            effect=0.1   the least effect that matters
//   vary=A,B      inputs that need not be equal within a pair
//   input=ID      the opened effect     change=[A,B] its two values as JSON
//   table=1       the chart as a table  simulated=1  untrusted=1   include these results
import type { Filter, Scalar } from '../api/types'
import type { Choices } from '../filter/model'
import { type ExploreState, readExplore, writeExplore } from './explore'
import { withPresentNames } from './former'

// The values of one contrast; null: unset.
export type Change = [from: Scalar | null, to: Scalar | null]

export interface ImpactState {
  choices: Choices
  where: Filter | undefined
  metric: string
  effect: number
  vary: string[]
  input: string | null
  change: Change | null
  asTable: boolean
  withSimulated: boolean
  withUntrusted: boolean
}

export const VARY_MOST = 100

export const NO_IMPACT: ImpactState = {
  choices: {},
  where: undefined,
  metric: 'results.output_throughput',
  effect: 0.05,
  vary: [],
  input: null,
  change: null,
  asTable: false,
  withSimulated: false,
  withUntrusted: false,
}

const FLAGS = [
  ['table', 'asTable'],
  ['simulated', 'withSimulated'],
  ['untrusted', 'withUntrusted'],
] as const

const isValue = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value)

function readChange(text: string | null): Change | null {
  try {
    const read: unknown = JSON.parse(text ?? '')
    return Array.isArray(read) && read.length === 2 && read.every(isValue) ? (read as Change) : null
  } catch {
    return null
  }
}

export function readImpact(search: string): ImpactState {
  const query = withPresentNames(search)
  const { choices, where } = readExplore(search)
  const effect = Number(query.get('effect'))
  const input = query.get('input') || null
  const state: ImpactState = {
    ...NO_IMPACT,
    choices,
    where,
    metric: query.get('metric') || NO_IMPACT.metric,
    effect: effect > 0 && effect < 1 ? effect : NO_IMPACT.effect,
    vary: [...new Set((query.get('vary') ?? '').split(',').filter(Boolean))].slice(0, VARY_MOST),
    input,
    change: input === null ? null : readChange(query.get('change')),
  }
  for (const [name, member] of FLAGS) state[member] = query.get(name) === '1'
  return state
}

// The state of Explore with this filter and nothing else.
export const exploreOfImpact = ({ choices, where }: Pick<ImpactState, 'choices' | 'where'>): ExploreState => ({
  ...readExplore(''),
  choices,
  where,
})

export function writeImpact(state: ImpactState) {
  const query = new URLSearchParams()
  if (state.metric !== NO_IMPACT.metric) query.set('metric', state.metric)
  if (state.effect !== NO_IMPACT.effect) query.set('effect', String(state.effect))
  if (state.vary.length) query.set('vary', state.vary.join(','))
  if (state.input !== null) query.set('input', state.input)
  if (state.input !== null && state.change) query.set('change', JSON.stringify(state.change))
  for (const [name, member] of FLAGS) if (state[member]) query.set(name, '1')
  return [writeExplore(exploreOfImpact(state)), query.toString().replaceAll('%2C', ',')].filter(Boolean).join('&')
}
