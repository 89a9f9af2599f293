// Two releases in words and colors: draws nothing and asks nothing.
import type { Field, ReleaseMetric, Releases, Scalar } from '../api/types'
import { type Catalogue, longName, shortName } from '../fields/catalogue'
import { count, formOfRow, isNumeric } from '../format/number'
import { nullWord, valueText } from '../format/value'
import { percent, pWords } from './model'

export type Cell = Releases['cells'][number]
export type Unmatched = Releases['unmatched']['a'][number]

// A value of the compared field as in an address; null: automatic.
export function typedValue(field: Field, text: string): Scalar | null {
  if (text === '') return null
  if (isNumeric(field) && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  return field.type === 'yes' && /^(true|false)$/.test(text) ? text === 'true' : text
}

// ---- one metric -----------------------------------------------------------------------------------------------------

export const FINDING_WORDS: Record<ReleaseMetric['finding'], string> = {
  better: 'better',
  worse: 'worse',
  higher: 'higher',
  lower: 'lower',
  no_difference: 'no clear difference',
  no_interval: 'no interval',
  no_value: 'no value',
}

export const configurations = (n: number) => `${count(n)} ${n === 1 ? 'configuration' : 'configurations'}`

export function rangeText({ low, high }: Pick<ReleaseMetric, 'low' | 'high'>) {
  if (low === null || high === null) return ''
  const decimals = [1, 2, 3, 4].find((some) => percent(low, some) !== percent(high, some)) ?? 5
  return `${percent(low, decimals).replace(' %', '')} … ${percent(high, decimals)}`
}

const whole = (text: string) => text.replaceAll(' ', '\u00a0') // on one line

// "P99 TTFT: 0.32.0 is better in 1 and worse in 3 of 4 configurations, +12.2 % on average (+3.0 … +20.1 % at 95 %):
// worse. Wilcoxon p = 0.13, sign test p = 0.63."
export function sentenceOf(metric: ReleaseMetric, name: string, { a, b }: Pick<Releases, 'a' | 'b'>) {
  const { count: total, faster, slower, finding } = metric
  if (total === 0) return `No configuration has a value of ${name} with both ${a.name ?? 'A'} and ${b.name ?? 'B'}.`
  const [up, down] = metric.direction === 'neither' ? ['higher', 'lower'] : ['better', 'worse']
  const range = rangeText(metric)
  const parts = [
    `${name}: ${b.name ?? 'B'} is ${up} in ${count(faster)} and ${down} in ${count(slower)} of ${configurations(total)}, ${whole(percent(metric.ratio))} on average`,
    range && ` (${whole(range)} at ${whole('95 %')}): ${FINDING_WORDS[finding]}`,
    '.',
  ]
  if (metric.signed_rank.p !== null)
    parts.push(` ${pWords('Wilcoxon p', metric.signed_rank.p)}, ${pWords('sign test p', metric.sign_p)}.`)
  return parts.filter(Boolean).join('')
}

export type Look = 'better' | 'worse' | 'moved' | 'same'

export function lookOfLog({ direction }: Pick<ReleaseMetric, 'direction'>, log: number): Look {
  if (log === 0) return 'same'
  if (direction === 'neither') return 'moved'
  return log > 0 === (direction === 'higher') ? 'better' : 'worse'
}

// The greatest difference of a map: its color is the strongest. At least 2 %, so that noise is pale.
export const reachOf = (logs: (number | null)[][]) =>
  logs.flat().reduce<number>((most, log) => Math.max(most, Math.abs(log ?? 0)), Math.log(1.02))

// ---- axes -----------------------------------------------------------------------------------------------------------

type Axis = Releases['axes'][number]

export const axisOf = ({ axes }: Releases, id: string | null): Axis | undefined =>
  axes.find(({ field }) => field === id)

const textOn = (field: Field, value: unknown, all: unknown[]) =>
  value == null ? nullWord(field) : valueText(field, value, formOfRow(field, all))

export const axisTexts = (axis: Axis, catalogue: Catalogue) =>
  axis.values.map((value) => textOn(catalogue.get(axis.field), value, axis.values))

// "TP 4, Concur. 64"
export const nameOfCell = ({ inputs }: Cell, axes: Axis[], catalogue: Catalogue) =>
  axes
    .map(({ field: id, values }) => {
      const field = catalogue.get(id)
      return `${shortName(field)} ${textOn(field, (inputs as Record<string, unknown>)[id], values)}`
    })
    .join(', ')

// The address of a cell of the heat map: its values, so that it is the same cell when others come.
export function cellAddress(answer: Releases, column: number, row: number) {
  const { x, y } = answer.heat_map
  return JSON.stringify([axisOf(answer, x)?.values[column] ?? null, axisOf(answer, y)?.values[row] ?? null])
}

// Positions of the cells with these values on both axes.
export function cellsAt(answer: Releases, address: string): number[] {
  const { x, y } = answer.heat_map
  const at = (cell: Cell, id: string | null) =>
    (id === null ? null : (cell.inputs as Record<string, unknown>)[id]) ?? null
  return answer.cells.flatMap((cell, i) => (JSON.stringify([at(cell, x), at(cell, y)]) === address ? [i] : []))
}

// Why a configuration has no counterpart.
export function reasonOf({ differs }: Unmatched, other: string, catalogue: Catalogue) {
  if (differs.length === 0) return `No result of ${other}.`
  return `The most similar one of ${other} differs in ${differs.map((id) => longName(catalogue.get(id))).join(', ')}.`
}
