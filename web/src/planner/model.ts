// Words and numbers of missing combinations and of baselines.
import type { BaselineLine, Filter, Missing, MissingRepeat, MissingRequest } from '../api/types'
import { type Choices, treeOf } from '../filter/model'
import { count } from '../format/number'
import { roughSpan } from '../format/time'

// The grid of the results under a filter, without those that the page leaves out.
export function missingOf({
  choices,
  where,
  withSimulated,
  withUntrusted,
}: {
  choices: Choices
  where: Filter | undefined
  withSimulated: boolean
  withUntrusted: boolean
}): MissingRequest {
  const filter = treeOf(choices, where)
  return {
    ...(filter && { filter }),
    ...(withSimulated && { simulated: true }),
    ...(withUntrusted && { untrusted: true }),
  }
}

export const plural = (n: number, noun: string) => `${count(n)} ${noun}${n === 1 ? '' : 's'}`

export const shown = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? 'unset' : JSON.stringify(value)

export function summaryOf(answer: Missing) {
  const { grid_count: size, missing_count: missing, invalid, fields } = answer
  if (answer.count === 0) return 'The filter removes all results.'
  if (fields.length === 0) return 'No input varies, so there is no grid.'
  if (answer.too_large)
    return size === null
      ? 'More than 8 fields vary. Clear fields, or narrow the filter.'
      : `The grid has ${count(size)} combinations, more than 100,000. Clear fields, or narrow the filter.`
  const refused = invalid.length > 0 ? `; ${count(invalid.length)} of them are refused by the argument rules` : ''
  return missing === 0
    ? `All ${count(size ?? 0)} combinations have a result.`
    : `${count(missing ?? 0)} of ${count(size ?? 0)} combinations ${missing === 1 ? 'has' : 'have'} no result${refused}.`
}

export const lengthOf = (seconds: number | null) => (seconds === null ? '–' : roughSpan(seconds))

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

// The reason for more runs of a configuration.
export function repeatWords(one: MissingRepeat) {
  if (one.reason === 'spread') return 'too few runs to know their spread'
  if (one.reason === 'narrow')
    return one.half_width === null || one.half_width_after === null
      ? 'widest interval'
      : `narrows its interval from ±${percent(one.half_width)} to ±${percent(one.half_width_after)}`
  const share = one.share === null ? '' : ` (${percent(one.share)} of the draws)`
  return one.settles
    ? `perhaps on the frontier${share}: settles it`
    : `perhaps on the frontier${share}: a tie that 20 more runs do not settle`
}

// ---- baselines

const lengths = ({ input_length: input, output_length: output }: BaselineLine) =>
  input === null && output === null ? '' : `${tokens(input)}/${tokens(output)} tokens`
const tokens = (n: number | null) => (n === null ? '?' : count(Math.round(n)))
const brief = (model: string) => model.slice(model.lastIndexOf('/') + 1)

export const lineName = (line: BaselineLine) =>
  [brief(line.model), line.gpu, line.precision, lengths(line), line.engine].filter(Boolean).join(' · ')

// Where a line is from: "InferenceX, 2026-09-01 to 2026-10-01".
export function originOf({ name, sources, first_date: first, last_date: last }: BaselineLine) {
  const source = sources.length > 0 ? sources.join(', ') : name
  const date = first === null ? 'date not recorded' : first === last || last === null ? first : `${first} to ${last}`
  return `${source}, ${date}`
}

export const originsOf = (lines: BaselineLine[]) => [...new Set(lines.map(originOf))].join('; ')

// In a drawing, where the caption has the rest.
export const shortName = ({ name, gpu, precision }: BaselineLine) =>
  `${name}: ${[gpu, precision].filter(Boolean).join(' ')}`

const NAMES: Record<BaselineLine['differences'][number]['property'], string> = {
  model: 'model',
  gpu: 'GPU',
  gpu_count: 'number of GPUs',
  precision: 'precision',
  input_length: 'prompt length',
  output_length: 'response length',
  concurrency: 'concurrency',
  engine: 'engine',
  source: 'source',
}

// "GPU b200 instead of NVIDIA H100; concurrency not recorded"
export function differenceWords({ differences, note }: BaselineLine) {
  const words = differences.map(({ property, kind, results, baseline }) =>
    kind === 'not_recorded'
      ? `${NAMES[property]} not recorded`
      : `${NAMES[property]} ${baseline.map(shown).join(', ')}${results.length > 0 ? ` instead of ${results.map(shown).join(', ')}` : ''}`,
  )
  return [...words, ...(note === null ? [] : [note]), 'another load generator'].join('; ')
}
