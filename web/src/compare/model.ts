// The comparison without its drawing: sides with their names, values and ratios in words.
import type {
  Caution,
  CompareRequest,
  ComparedFigure,
  ComparedMetric,
  ComparedRatio,
  ComparedSide,
  ComparedValues,
  Comparison,
  Experiment,
  Field,
} from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { PHASES } from '../fields/phases'
import { twinOf } from '../fields/twins'
import { treeWords } from '../filter/tree-words'
import { count, type Form, formFor, formOfRow, showNumber } from '../format/number'
import { lowEnd } from '../format/unit'
import { NOT_RECORDED, nullWord, withUnit } from '../format/value'
import { namesOfSides } from '../names/sides'
import { type CompareState, LETTERS, oneOf, type Side } from '../url/compare'

export type Answer = Comparison & { request: CompareRequest; at: number }

export interface SideView {
  letter: string
  at: number
  side: Side
  name: string // short, and unique among the sides
  fullName: string // its own name with its differences from the others
  ownName: string
  told: ComparedSide
  experiment: Experiment | undefined // of a side that is one run
}

const CHECK = /^quality\.(\w+)\.value$/
export const checkOf = (id: string) => CHECK.exec(id)?.[1]

export const MANY = 4 // columns of more sides are narrow
const EFFECT = 0.05 // the smallest difference that matters

export const requestOf = (state: CompareState, metrics?: string[]): CompareRequest => ({
  sides: state.sides,
  simulated: state.withSimulated,
  match: state.match,
  effect: EFFECT,
  equal: state.withEqual && !metrics,
  ...(metrics && { metrics }),
})

// The metrics of startup and quality: a second request, so that the first is not delayed.
export const detailsOf = (catalogue: Catalogue) =>
  catalogue.columns.map(({ id }) => id).filter((id) => PHASES.includes(id) || CHECK.test(id))

const titleOf = (experiment: Experiment) => {
  const name = experiment.fields['run.name']?.value
  return typeof name === 'string' && name.trim() ? name : (experiment.run_id ?? `result ${experiment.id}`)
}

export function ownNameOf(side: Side, experiment: Experiment | undefined, catalogue: Catalogue) {
  if (side.label) return side.label
  if (experiment) return titleOf(experiment)
  if ('filter' in side) return treeWords(catalogue, side.filter)
  return oneOf(side) === null ? `experiments ${side.ids.join(', ')}` : `experiment ${oneOf(side) ?? ''}`
}

export function viewsOf(
  sides: Side[],
  answer: Answer,
  experiments: (Experiment | undefined)[],
  catalogue: Catalogue,
): SideView[] {
  const own = sides.map((side, at) => ownNameOf(side, experiments[at], catalogue))
  const names = namesOfSides(answer, sides, own, catalogue, sides.length > MANY ? 0 : undefined)
  return answer.sides.flatMap((told, at) => {
    const side = sides[at]
    return side
      ? [
          {
            letter: LETTERS[at] ?? '',
            at,
            side,
            told,
            experiment: experiments[at],
            name: names[at]?.short ?? '',
            fullName: names[at]?.full ?? '',
            ownName: own[at] ?? '',
          },
        ]
      : []
  })
}

// The verdicts of a group in words. Runs without a verdict are counted separately.
export function verdictsText({ runs, trusted, untrusted }: ComparedSide) {
  if (runs === 0) return 'no run'
  const none = runs - trusted - untrusted
  return [
    `${count(trusted)} trusted`,
    untrusted > 0 && `${count(untrusted)} not trusted`,
    none > 0 && `${count(none)} without a verdict`,
  ]
    .filter(Boolean)
    .join(', ')
}

// ---- values ---------------------------------------------------------------------------------------------

const VALUES_SHOWN = 4
const MORE_DIGITS = 3

export const valuesOf = (sides: ComparedValues[]) => sides.flatMap(({ values }) => values.map(({ value }) => value))

// One value as it is, several with the number of runs of each. `isLong`: missing values in words.
export function valuesText(
  field: Field,
  told: ComparedValues,
  most = VALUES_SHOWN,
  say: (value: unknown) => string = (value) => withUnit(field, value, formOfRow(field, valuesOf([told]))),
  isLong = false,
) {
  const nothing = isLong ? 'not recorded' : NOT_RECORDED
  // null in a field that is not a parameter means that the run did not record it
  const unset = told.null > 0 ? nullWord(field, nothing) : nothing
  const missing = [
    [unset, told.null + (unset === nothing ? told.not_recorded : 0)],
    [nothing, unset === nothing ? 0 : told.not_recorded],
  ] as const
  const parts = told.values.slice(0, most).map(({ value, count: runs }) => [say(value), runs] as const)
  const more = told.distinct - parts.length
  const words = [...parts, ...missing.filter(([, runs]) => runs > 0)]
  if (words.length === 1 && more <= 0) return words[0]?.[0] ?? ''
  return (
    words.map(([text, runs]) => `${text} (${count(runs)})`).join(', ') + (more > 0 ? `, and ${count(more)} more` : '')
  )
}

export const isSameAs = (a: ComparedValues | undefined, b: ComparedValues) =>
  a !== undefined && JSON.stringify(a) === JSON.stringify(b)

// ---- cautions -------------------------------------------------------------------------------------------

// The sides with a value of any metric. A failed run has none.
export const withMetrics = (views: SideView[], metrics: MetricView[]) =>
  views.filter(({ at }) => metrics.some(({ told }) => (told.sides[at]?.value ?? null) !== null))

// The cautions about the given sides, without fields that matching makes equal or in which only other sides differ.
export function cautionsFor(cautions: Caution[], views: SideView[], matchedBy: string[]): Caution[] {
  const isOne = (all: ComparedValues[]) => new Set(all.map((one) => JSON.stringify(one))).size < 2
  const differs = (sides: ComparedValues[]) =>
    isOne(sides) ||
    !isOne(views.flatMap(({ at }) => sides[at] ?? [])) ||
    views.some(({ at }) => (sides[at]?.distinct ?? 0) > 1)
  return cautions.flatMap((caution) => {
    const fields = caution.fields.filter(({ field, sides }) => !matchedBy.includes(field) && differs(sides))
    return fields.length > 0 || caution.fields.length === 0 ? [{ ...caution, fields }] : []
  })
}

// The values of the sides, once per group of sides with the same values.
export function valuesBySide(field: Field, sides: ComparedValues[], views: SideView[]) {
  const letters = Map.groupBy(views, ({ at }) => {
    const told = sides[at]
    return told ? valuesText(field, told, undefined, undefined, true) : ''
  })
  return [...letters].map(([text, same]) => ({
    text,
    letters: same.length === views.length ? 'all' : same.map(({ letter }) => letter).join(', '),
  }))
}

// ---- figures --------------------------------------------------------------------------------------------

export interface MetricView {
  told: ComparedMetric
  field: Field
  form: Form
}

// Units and directions come from the answer rather than the field lists, which do not contain every percentile.
export function metricsOf(metrics: ComparedMetric[], catalogue: Catalogue): MetricView[] {
  return metrics.map((metric) => {
    const told = {
      ...metric,
      sides: metric.sides.map((side) => ({
        ...side,
        low: side.low === null ? null : lowEnd({ id: metric.field, unit: metric.unit }, side.low),
      })),
    }
    const known = catalogue.get(told.field)
    const field: Field = {
      ...known,
      label: known.label === known.id ? told.label : known.label,
      unit: told.unit,
      direction: told.direction,
      type: 'number',
      role: 'output',
    }
    return {
      told,
      field,
      form: formFor(
        field,
        told.sides.map(({ value }) => value),
      ),
    }
  })
}

// Separates metrics that repeat another one exactly on every side.
export function withoutTwins(metrics: MetricView[]): {
  shown: MetricView[]
  folded: [metric: MetricView, twin: MetricView][]
} {
  const byField = new Map(metrics.map((metric) => [metric.told.field, metric]))
  const folded = metrics.flatMap((metric): [MetricView, MetricView][] => {
    const twin = byField.get(twinOf(metric.told.field) ?? '')
    const isSame = twin?.told.sides.every(
      ({ value, n }, at) => value === metric.told.sides[at]?.value && n === metric.told.sides[at]?.n,
    )
    return twin && isSame ? [[metric, twin]] : []
  })
  const gone = new Set(folded.map(([metric]) => metric))
  return { shown: metrics.filter((metric) => !gone.has(metric)), folded }
}

const sign = (text: string, value: number) => (value > 0 ? `+${text}` : text.replace('-', '−'))
export function percent(ratio: number | null, decimals = 1) {
  if (ratio === null) return NOT_RECORDED
  const by = (ratio - 1) * 100
  const text = Math.abs(by) >= 1000 ? count(by) : by.toFixed(decimals)
  return Number(text.replace(/[,−]/g, '')) === 0 ? `${(0).toFixed(decimals)} %` : `${sign(text, by)} %`
}

// A clear difference is never rounded to zero, however small it is.
export const clearPercent = (ratio: ComparedRatio) =>
  percent(
    ratio.ratio,
    !isClear(ratio) || ratio.ratio === null || ratio.ratio === 1
      ? 1
      : ([1, 2, 3, 4].find((decimals) => !percent(ratio.ratio, decimals).startsWith('0.')) ?? 5),
  )

type Interval = Pick<ComparedFigure, 'low' | 'high'>

// The decimals that distinguish the ends of an interval: an interval without width would suggest certainty.
function decimalsFor({ low, high }: Interval) {
  if (low === null || high === null || low === high) return 1
  return (
    Array.from({ length: 4 }, (_, i) => i + 1).find((decimals) => percent(low, decimals) !== percent(high, decimals)) ??
    5
  )
}

export function percentInterval(interval: Interval) {
  const { low, high } = interval
  // the ratio of two values that are never below zero is never below zero
  const text = (end: number) => percent(Math.max(0, end), decimalsFor(interval)).replace(' %', '')
  return low === null || high === null ? NOT_RECORDED : `${text(low)} … ${text(high)}`
}

// An interval with as many more digits as its ends need to differ.
export function intervalText({ low, high }: ComparedFigure, form: Form) {
  if (low === null || high === null) return NOT_RECORDED
  const texts = (more: number) => {
    const finer = {
      ...form,
      digits: form.digits + more,
      decimals: form.decimals === null ? null : form.decimals + more,
    }
    return [showNumber(low, finer), showNumber(high, finer)] as const
  }
  const more =
    low === high
      ? 0
      : Array.from({ length: MORE_DIGITS }, (_, i) => i).find((digits) => texts(digits)[0] !== texts(digits)[1])
  return texts(more ?? 0).join(' – ')
}
export const pText = (p: number | null) => (p === null ? NOT_RECORDED : p < 0.001 ? '< 0.001' : p.toFixed(3))

// The runs of a side without a number, by reason.
export function missingText({ not_recorded, null: unset, infinite, words }: ComparedFigure) {
  const parts: [number, string][] = [
    [not_recorded + unset, 'not recorded'],
    [infinite, 'infinite'],
    [words, 'text'],
  ]
  return parts
    .filter(([runs]) => runs > 0)
    .map(([runs, why]) => `${count(runs)} ${why}`)
    .join(', ')
}

export const isClear = ({ finding }: ComparedRatio) => ['better', 'worse', 'higher', 'lower'].includes(finding)
// The mark of a difference: filled if it is clear, hollow if its interval includes "equal", dashed without an interval.
export const markOf = (ratio: ComparedRatio) =>
  ratio.low === null || ratio.high === null ? 'dashed' : isClear(ratio) ? 'filled' : 'hollow'
export const lookOf = ({ finding }: ComparedRatio) => (finding === 'better' || finding === 'worse' ? finding : 'same')

const FINDINGS: Record<ComparedRatio['finding'], string> = {
  better: 'better',
  worse: 'worse',
  higher: 'higher',
  lower: 'lower',
  no_difference: 'unclear',
  no_interval: 'unclear',
  equal: 'equal',
  no_ratio: 'no ratio',
  no_value: 'nothing to compare',
}

// Intervals within two single runs show a difference between these runs, not between their configurations.
const isWithinRuns = (ratio: ComparedRatio) => ratio.method === 'within_runs' && isClear(ratio)
export const findingWord = (ratio: ComparedRatio) =>
  isWithinRuns(ratio) ? `${FINDINGS[ratio.finding]} in these runs` : FINDINGS[ratio.finding]

// Whether a difference is known only for two single runs.
export const isOfTheseRuns = (metrics: MetricView[]) => metrics.some(({ told }) => told.ratios.some(isWithinRuns))

// Single runs without any interval: no difference between them can be judged.
export const isUndecidable = (views: Pick<SideView, 'told'>[], metrics: MetricView[]) => {
  const findings = metrics.flatMap(({ told }) => told.ratios.map(({ finding }) => finding))
  return (
    views.every(({ told }) => told.runs === 1) &&
    findings.includes('no_interval') &&
    findings.every(
      (finding) => finding === 'no_interval' || finding === 'no_value' || finding === 'equal' || finding === 'no_ratio',
    )
  )
}

const effectText = (effect: number) => `${Number((effect * 100).toFixed(2))} %`

// The size of a regression, or how many more runs a finding needs.
export function findingNote({ finding, more_runs_count: more, regression }: ComparedRatio, effect: number) {
  if (regression) return `by more than ${effectText(effect)}`
  if (finding === 'no_interval') return 'no CI'
  if (finding !== 'no_difference') return ''
  if (more === null) return 'needs repeats'
  return more > 0 ? `needs ${count(more)} more ${more === 1 ? 'run' : 'runs'} per side` : ''
}

// The finding in full, for files and tooltips.
export function findingText(ratio: ComparedRatio, effect: number) {
  const needsRuns = ratio.finding === 'no_difference' && (ratio.more_runs_count ?? 0) > 0
  return [findingWord(ratio), `${findingNote(ratio, effect)}${needsRuns ? ` to detect ${effectText(effect)}` : ''}`]
    .filter(Boolean)
    .join(ratio.regression ? ' ' : ' · ')
}

const HOW: Record<ComparedRatio['method'], string> = {
  none: 'no CI',
  within_runs: 'from the CIs within the two runs; run-to-run variation is unknown',
  one_of_many: 'one run against a group: Student’s t',
  student: 'Student’s t over the runs',
  bootstrap: 'bootstrap over the runs, 1,999 resamples',
}
export const howText = ({ method: how }: ComparedRatio) => HOW[how]

// ---- places on axes -------------------------------------------------------------------------------------

// Returns the standard normal deviate of a share between 0 and 1 (Winitzki's approximation): the position of a
// percentile.
export function deviate(share: number) {
  const x = 2 * share - 1
  const a = 0.147
  const log = Math.log(1 - x * x)
  const half = 2 / (Math.PI * a) + log / 2
  return Math.SQRT2 * Math.sign(x) * Math.sqrt(Math.sqrt(half * half - log / a) - half)
}

// Round numbers from 0 to `top`, about `steps` of them.
export function ticksTo(top: number, steps: number): number[] {
  if (!(top > 0)) return [0]
  const raw = top / steps
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = ([1, 2, 5, 10].find((one) => one * power >= raw) ?? 10) * power
  return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, i) => Number((i * step).toPrecision(12)))
}

const SPANS: [upTo: number, ticks: number[]][] = [
  [1.06, [0.95, 1.05]],
  [1.13, [0.9, 1.1]],
  [1.35, [0.8, 1.2]],
  [2, [1 / 1.5, 1.5]],
  [Infinity, [1 / 2, 2]],
]
const MOST = 3 // differences beyond this ratio do not flatten the others: they leave the axis with an arrow

// The largest ratio on the axis of all metrics, in both directions, and its ticks.
export function spanOf(ratios: ComparedRatio[]) {
  const ends = ratios
    .flatMap(({ ratio, low, high }) => [ratio, low, high])
    .filter((end): end is number => end !== null && end > 0 && Number.isFinite(end))
  const most = Math.min(MOST, Math.max(1.05, ...ends.map((end) => Math.max(end, 1 / end))))
  const [, ticks] = SPANS.find(([upTo]) => most <= upTo) ?? [0, [1 / 2, 2]]
  return { limit: most * 1.04, ticks }
}

export type Span = ReturnType<typeof spanOf>
// The position of a ratio on its axis, from 0 to 1; "equal" is at 0.5.
export const shareOf = ({ limit }: Span, ratio: number) =>
  0.5 + (Math.log(Math.min(Math.max(ratio, 1 / limit), limit)) / Math.log(limit)) * 0.5
export const isBeyond = ({ limit }: Span, ratio: number) => ratio > limit || ratio < 1 / limit

export function tickText(ratio: number) {
  if (ratio >= 2) return `×${Number(ratio.toFixed(2))}`
  if (ratio <= 0.5) return `×1/${Number((1 / ratio).toFixed(2))}`
  return percent(ratio, 0)
}

// "P99 first token (same as P99 TTFT)", for the line below the table.
export const foldedText = (folded: [MetricView, MetricView][]) =>
  folded.map(([metric, twin]) => `${longName(metric.field)} (same as ${longName(twin.field)})`).join(', ')

// ---- summary --------------------------------------------------------------------------------------------

// Metrics that a summary names first.
const HEADLINES = [
  'derived.output_throughput_per_gpu',
  'results.output_throughput',
  'results.p99_ttft_ms',
  'results.p99_tpot_ms',
  'results.median_ttft_ms',
  'results.median_tpot_ms',
  'results.median_e2el_ms',
  'results.request_throughput',
  'results.energy_per_token_j',
]
const rank = ({ field }: MetricView) => HEADLINES.indexOf(field.id) + 1 || HEADLINES.length + 1

export interface Summary {
  worse: MetricView[]
  better: MetricView[]
  changed: MetricView[] // neither direction is better
  equal: number
  unclear: number // or without a ratio
  without: number // that have no value on one of the two sides
}

// Counts the outcomes of the metrics of one candidate against the baseline.
export function summaryOf(metrics: MetricView[], at: number): Summary {
  const of = (...findings: ComparedRatio['finding'][]) =>
    metrics
      .filter(({ told }) => findings.includes(told.ratios[at - 1]?.finding ?? 'no_value'))
      .sort((a, b) => rank(a) - rank(b))
  return {
    worse: of('worse'),
    better: of('better'),
    changed: of('higher', 'lower'),
    equal: of('equal').length,
    unclear: of('no_difference', 'no_interval', 'no_ratio').length,
    without: of('no_value').length,
  }
}
