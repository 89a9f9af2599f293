// Effects as words and positions: draws nothing and requests nothing.
import type {
  Impact,
  ImpactContrast,
  ImpactEffect,
  ImpactInput,
  ImpactPlain,
  ImpactRatio,
  ImpactRequest,
  ImpactRest,
} from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { treeOf } from '../filter/model'
import { count } from '../format/number'
import { NOT_RECORDED, nullWord, withUnit } from '../format/value'
import type { Change, ImpactState } from '../url/impact'

// ---- requests -------------------------------------------------------------------------------------------------------

export function requestOf(state: ImpactState): ImpactRequest {
  const filter = treeOf(state.choices, state.where)
  return {
    ...(filter && { filter }),
    metric: state.metric,
    effect: state.effect,
    ...(state.vary.length > 0 && { vary: state.vary }),
    ...(state.withSimulated && { simulated: true }),
    ...(state.withUntrusted && { untrusted: true }),
  }
}

export const pairsRequestOf = (state: ImpactState): ImpactRequest | null =>
  state.input === null
    ? null
    : {
        ...requestOf(state),
        pairs_of: { field: state.input, ...(state.change && { from: state.change[0], to: state.change[1] }) },
      }

// ---- inputs and values ----------------------------------------------------------------------------------------------

export const inputName = ({ field }: Pick<ImpactInput, 'field'>, catalogue: Catalogue) => longName(catalogue.get(field))

export const inputNames = (inputs: Pick<ImpactInput, 'field'>[], catalogue: Catalogue, also = 0) =>
  [...inputs.map((input) => inputName(input, catalogue)), ...(also > 0 ? [`${count(also)} more`] : [])].join(', ')

export const effectName = ({ inputs }: Pick<ImpactEffect, 'inputs'>, catalogue: Catalogue) =>
  inputs.map((input) => inputName(input, catalogue)).join(' + ')

export function valueWords(id: string, value: unknown, catalogue: Catalogue) {
  const field = catalogue.get(id)
  return value === null || value === undefined ? nullWord(field, 'not recorded') : withUnit(field, value)
}

export const changeWords = (
  inputs: Pick<ImpactInput, 'field'>[],
  { from, to }: Pick<ImpactContrast, 'from' | 'to'>,
  catalogue: Catalogue,
) =>
  inputs
    .map(({ field }, i) => `${valueWords(field, from[i], catalogue)} → ${valueWords(field, to[i], catalogue)}`)
    .join(', ')

const isScalar = (value: unknown): value is Change[0] =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)

// The values that name a contrast in the address, by the first input; null: the first contrast, or none has a name.
export function changeOf(effect: ImpactEffect, contrast: ImpactContrast): Change | null {
  const [from, to] = [contrast.from[0], contrast.to[0]]
  return contrast === effect.contrasts[0] || !isScalar(from) || !isScalar(to) ? null : [from, to]
}

// The opened contrast: the one in the address, or else the first.
export function contrastOf(effect: ImpactEffect, change: Change | null): ImpactContrast | undefined {
  const found =
    change &&
    effect.contrasts.find(({ from, to }) => JSON.stringify([from[0], to[0]]) === JSON.stringify([change[0], change[1]]))
  return found ?? effect.contrasts[0]
}

export const effectWith = (answer: Impact, input: string | null) =>
  answer.effects.find(({ inputs }) => inputs.some(({ field }) => field === input))

// ---- ratios ---------------------------------------------------------------------------------------------------------

const LARGE = 2 // from here on, a multiple is easier to read than a percentage

// "+12.1 %", "×3.4"
export function ratioWords(ratio: number | null) {
  if (ratio === null) return NOT_RECORDED
  if (ratio > LARGE || ratio < 1 / LARGE)
    return `×${ratio.toLocaleString('en-GB', { maximumSignificantDigits: 3, useGrouping: true })}`
  const percent = (ratio - 1) * 100
  const text = Math.abs(percent).toFixed(1)
  return Number(text) === 0 ? '0.0 %' : `${percent < 0 ? '−' : '+'}${text} %`
}

export const intervalWords = ({ low, high }: Pick<ImpactRatio, 'low' | 'high'>) =>
  low === null || high === null ? 'no interval' : `${ratioWords(low)} … ${ratioWords(high)}`

export const pWords = (p: number | null) =>
  p === null ? NOT_RECORDED : p < 0.0001 ? '< 0.0001' : p.toFixed(p < 0.01 ? 4 : 3)

export const METHODS: Record<string, string> = {
  signed_rank: 'signed rank test over the cells',
  student: "Student's t of the logarithms over the cells",
  runs: 'rank statistics of the runs of the only cell',
}
export const methodWords = (method: ImpactRatio['method']) =>
  method === null ? 'none: too few cells or runs' : (METHODS[method] ?? method)

export const shareWords = (share: number | null) => (share === null ? NOT_RECORDED : `${(share * 100).toFixed(1)} %`)

export const cells = (n: number) => `${count(n)} ${n === 1 ? 'cell' : 'cells'}`
export const pairs = (n: number) => `${count(n)} ${n === 1 ? 'pair' : 'pairs'}`
export const runs = (n: number) => `${count(n)} ${n === 1 ? 'run' : 'runs'}`

export const FINDINGS: Record<ImpactEffect['finding'], string> = {
  better: 'better',
  worse: 'worse',
  higher: 'higher',
  lower: 'lower',
  none: 'none',
  unclear: 'unclear',
  unknown: 'unknown',
}

export function findingWords(finding: ImpactEffect['finding'], effect: number) {
  const least = `${Number((effect * 100).toPrecision(3))} %`
  switch (finding) {
    case 'none':
      return `The interval excludes effects of ${least} and more.`
    case 'unclear':
      return `The interval contains both no effect and one of ${least}. More pairs would narrow it.`
    case 'unknown':
      return 'One cell with too few runs has no interval. Repeat the runs, or measure other combinations.'
    default:
      return 'The interval excludes no effect, and the false discovery rate is at most 5 %.'
  }
}

// ---- inputs without an effect ---------------------------------------------------------------------------------------

export function reasonWords(rest: ImpactRest, catalogue: Catalogue) {
  const others = inputNames(rest.with, catalogue, rest.with_more_count)
  switch (rest.reason) {
    case 'together':
      return rest.with.some(({ host }) => host) && !rest.host
        ? `Varies only together with ${others}: a difference between hosts is credited to no input.`
        : `Varies only together with ${others}.`
    case 'derived':
      return 'Follows from the other inputs.'
    case 'each_run':
      return 'Nearly every run has a value of its own. It is ignored in pairs.'
    case 'no_pairs':
      return rest.with.length > 0
        ? `No two runs differ in it alone: the most similar ones also differ in ${others}.`
        : 'No two runs differ in it alone.'
    case 'no_values':
      return 'Only one of its values is recorded.'
    default:
      return 'Has the same value wherever it is recorded.'
  }
}

// ---- the axis -------------------------------------------------------------------------------------------------------

const STEPS = [
  0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.333, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1, 1.01, 1.02, 1.05, 1.1, 1.2, 1.4, 2,
  3, 5, 10, 20, 50, 100, 1000,
]
const WIDEST = 1.3 // an interval is cut at the furthest ratio to this power
const LEAST = 1.02 // the axis shows at least −2 % to +2 %

export interface Axis {
  at: (ratio: number) => number // percent from the left, logarithmic; cut at both ends
  isCut: (ratio: number) => boolean
  ticks: { ratio: number; at: number; words: string }[]
}

// A logarithmic axis around all ratios and 1. Very wide intervals are cut.
export function axisOf(
  all: { ratio: number | null; low: number | null; high: number | null; plain: number | null }[],
  most: number,
): Axis {
  const logs = all.flatMap(({ ratio, plain }) =>
    [ratio, plain].flatMap((value) => (value !== null && value > 0 ? [Math.log(value)] : [])),
  )
  const ends = all.flatMap(({ low, high }) =>
    [low, high].flatMap((value) => (value !== null && value > 0 ? [Math.log(value)] : [])),
  )
  const least = Math.log(LEAST)
  const near = Math.max(least, ...logs.map(Math.abs)) * WIDEST + least
  const low = Math.max(-near, Math.min(-least, ...logs, ...ends))
  const high = Math.min(near, Math.max(least, ...logs, ...ends))
  const pad = (high - low) * 0.04
  const [from, to] = [low - pad, high + pad]
  const place = (ratio: number) => ((Math.log(ratio) - from) / (to - from)) * 100
  const inside = STEPS.filter((step) => Math.log(step) >= from && Math.log(step) <= to)
  // from 1 to both sides, as many as have room
  const apart = 100 / most
  const shown = new Set([1])
  for (const side of [inside.filter((step) => step > 1), inside.filter((step) => step < 1).toReversed()]) {
    let last = 1
    for (const step of side) {
      if (Math.abs(place(step) - place(last)) < apart) continue
      shown.add(step)
      last = step
    }
  }
  return {
    at: (ratio) => Math.min(100, Math.max(0, place(ratio))),
    isCut: (ratio) => Math.log(ratio) < from || Math.log(ratio) > to,
    ticks: inside
      .filter((step) => shown.has(step))
      .map((ratio) => ({
        ratio,
        at: place(ratio),
        words: ratio === 1 ? '0' : ratioWords(ratio).replace(/\.0(?= %)/, ''),
      })),
  }
}

export const plainOf = ({ plain }: { plain: ImpactPlain | null }) => plain?.ratio ?? null
