// Verdicts on series in words: draws nothing and asks nothing.
import type { DecisionKind, Verdict } from '../api/types'
import { type Catalogue, inWords, longName } from '../fields/catalogue'
import { count, type Form, showNumber } from '../format/number'
import { NOT_RECORDED } from '../format/value'
import type { TrendMode } from '../url/trends'

export type SeriesState = Verdict['state']
export type Change = Verdict['changes'][number]
export type Cause = Change['causes'][number]

export const STATES = [
  'regression',
  'improvement',
  'changed',
  'noisier',
  'suspect',
  'stable',
  'insufficient_data',
  'not_comparable',
] as const satisfies SeriesState[]

export const STATE_WORDS: Record<SeriesState, string> = {
  regression: 'regression',
  improvement: 'improvement',
  changed: 'changed',
  noisier: 'became noisier',
  suspect: 'suspect',
  stable: 'stable',
  insufficient_data: 'insufficient data',
  not_comparable: 'not comparable',
}

// Series that are listed without being opened in a group; in strict mode a change counts only if it is confirmed.
const FOUND: Record<TrendMode, readonly SeriesState[]> = {
  strict: ['regression', 'improvement', 'changed', 'noisier'],
  sensitive: ['regression', 'improvement', 'changed', 'noisier', 'suspect'],
}
export const foundStates = (mode: TrendMode) => FOUND[mode]
export const quietStates = (mode: TrendMode) => STATES.filter((state) => !FOUND[mode].includes(state))
export const isFound = (state: SeriesState, mode: TrendMode) => FOUND[mode].includes(state)

export type Look = 'worse' | 'better' | 'noisy' | 'quiet'

// A suspect has the look of the direction in which its value moved.
export function lookOf(state: SeriesState, trend: Verdict['trend']): Look {
  if (state === 'noisier') return 'noisy'
  return state === 'regression' || state === 'improvement' || state === 'suspect' ? (trend ?? 'quiet') : 'quiet'
}

// The look of one change. Its direction need not be that of the last change.
export function lookOfChange(verdict: Verdict, { state, ratio }: Pick<Change, 'state' | 'ratio'>): Look {
  const { direction } = verdict
  const isUp = ratio !== null && ratio > (isLinear(verdict) ? 0 : 1)
  const trend =
    ratio === null || direction === 'neither' ? null : isUp === (direction === 'higher') ? 'better' : 'worse'
  return lookOf(state, trend)
}

// ---- numbers --------------------------------------------------------------------------------------------------------

const signed = (text: string, value: number) => `${value < 0 ? '−' : '+'}${text.replace(/^[-−]/, '')}`

// "+19.2 %": one decimal, a true minus, and no sign at zero.
export function percent(ratio: number | null, decimals = 1) {
  if (ratio === null) return NOT_RECORDED
  const by = (ratio - 1) * 100
  const text = Math.abs(by) >= 1000 ? count(Math.abs(by)) : Math.abs(by).toFixed(decimals)
  return Number(text.replaceAll(',', '')) === 0 ? `${text} %` : `${signed(text, by)} %`
}

export const pText = (p: number | null) =>
  p === null ? NOT_RECORDED : p < 0.001 ? '< 0.001' : p < 0.1 ? p.toFixed(3) : p.toFixed(2)

export const pWords = (name: string, p: number | null) => `${name} ${p !== null && p < 0.001 ? '' : '= '}${pText(p)}`

// Metrics that can be zero or negative have a difference instead of a ratio, and no power.
export const isLinear = ({ power }: Pick<Verdict, 'power'>) => power.length === 0

const difference = (value: number | null, form: Form) =>
  value === null ? NOT_RECORDED : signed(showNumber(Math.abs(value), form), value)

// The size of a change: of the level, or of the spread.
export function sizeText(verdict: Verdict, change: Change, form: Form) {
  if (change.state === 'noisier') return spreadText(change)
  if (isLinear(verdict)) return `${difference(change.ratio, form)} ${form.unit}`.trim()
  return percent(change.ratio)
}

export const spreadText = ({ before, after }: Change) =>
  before.spread && after.spread !== null ? `×${(after.spread / before.spread).toFixed(1)}` : NOT_RECORDED

export function intervalText(verdict: Verdict, { low, high }: Change, form: Form) {
  if (low === null || high === null) return NOT_RECORDED
  if (isLinear(verdict)) return `${difference(low, form)} … ${difference(high, form)}`
  const decimals = [1, 2, 3, 4].find((some) => percent(low, some) !== percent(high, some)) ?? 5
  return `${percent(low, decimals).replace(' %', '')} … ${percent(high, decimals).replace(' %', '')}`
}

export const runs = (n: number) => `${count(n)} ${n === 1 ? 'run' : 'runs'}`

// ---- one change of a series -----------------------------------------------------------------------------------------

// The change that an address names, or the one that decides the state: the last one that is reported.
export function changeOf(verdict: Verdict, at: number | null): Change | undefined {
  const shown = shownChanges(verdict)
  return at === null ? (shown.findLast(({ state }) => state === verdict.state) ?? shown.at(-1)) : shown[at - 1]
}

// Differences that the analysis does not report have the state "stable".
export const shownChanges = ({ changes }: Verdict) => changes.filter(({ state }) => state !== 'stable')

// "since 0.31.0"
export const sinceText = ({ label }: Change) => `since ${label}`

const higher = (ratio: number | null, isDifference: boolean) =>
  ratio !== null && ratio > (isDifference ? 0 : 1) ? 'higher' : 'lower'

export interface Reason {
  claim: string
  text: string
}

// What "the last N analyses" must find before a suspect is a regression.
const PERSIST = 3

const hostsReason = (): Reason => ({
  claim: 'No host measured both before and after.',
  text: 'The change may come from the host. Measure one host on both sides.',
})

function levelReasons(verdict: Verdict, change: Change, form: Form): Reason[] {
  const linear = isLinear(verdict)
  const word = higher(change.ratio, linear)
  const pairs = change.delta === null ? null : (word === 'higher' ? 1 + change.delta : 1 - change.delta) / 2
  const name = inWords(verdict.metric_label)
  const least = linear
    ? `${showNumber(change.min_effect ?? 0, form)} ${form.unit}`.trim()
    : effectText(change.min_effect ?? 0)
  return [
    {
      claim: `From run ${change.index + 1} on, ${name} is ${word} in most pairs of runs.`,
      text:
        pairs === null
          ? ''
          : `Of all pairs (before, after), ${(pairs * 100).toFixed(0)} % are ${word} after; Cliff’s delta is ${signed(Math.abs(change.delta ?? 0).toFixed(2), change.delta ?? 0)}.`,
    },
    {
      claim: 'The change exceeds the minimum effect.',
      text: `It is ${sizeText(verdict, change, form)}; the minimum here is ${least}.`,
    },
  ]
}

const spreadReason = ({ before, after }: Change): Reason => ({
  claim: 'The spread grew, and the level did not change.',
  text: `The robust standard deviation is ${spreadText({ before, after } as Change).replace('×', '')} times as large.`,
})

// Why a change is reported: each reason is a claim, and the numbers that support it.
export function reasonsOf(verdict: Verdict, change: Change, form: Form, total: number): Reason[] {
  const reasons = change.state === 'noisier' ? [spreadReason(change)] : levelReasons(verdict, change, form)
  reasons.push({
    claim: 'Chance is an unlikely cause.',
    text: `${pWords('p', change.p)} by permutation (${count(change.permutation_count)} orders${change.correlated ? ' of blocks, because neighboring runs are correlated' : ''}), ${pWords('q', change.q)} over ${count(total)} series; Mann-Whitney ${pWords('p', change.rank_p)}.`,
  })
  reasons.push(
    change.seen_count >= PERSIST
      ? { claim: 'It persists.', text: `The last ${change.seen_count} analyses found it at this place.` }
      : {
          claim: 'It is not confirmed.',
          text: `${change.seen_count} of ${PERSIST} analyses found it. More runs of the newest version decide.`,
        },
  )
  if (change.other_host) reasons.push(hostsReason())
  return reasons
}

// ---- quiet series ---------------------------------------------------------------------------------------------------

const EFFECT = 0.05

// A share such as 0.005 as "0.5 %".
export const effectText = (share: number) => `${Number((share * 100).toPrecision(3))} %`

// How many runs would show a change of 5 %; '' where that is no question.
export function powerNote({ power }: Verdict, effect = EFFECT) {
  const found = power.find((one) => Math.abs(one.effect - effect) < 1e-9)
  if (!found) return ''
  const percents = `${(effect * 100).toFixed(0)} %`
  return found.points_count === null
    ? `A ${percents} change cannot be confirmed here: too few runs so far, or too much variation.`
    : `To see a ${percents} change here: about ${count(found.points_count)} more ${found.points_count === 1 ? 'run' : 'runs'}.`
}

// Names what a series without a verdict lacks.
export function missingNote({ state, missing_count, reasons }: Verdict) {
  if (state === 'insufficient_data' && missing_count > 0)
    return `${count(missing_count)} more ${missing_count === 1 ? 'run is' : 'runs are'} needed.`
  return reasons[0] ? sentence(reasons[0]) : ''
}

export const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`

export function quietNote(verdict: Verdict) {
  if (verdict.state === 'stable') return powerNote(verdict)
  if (verdict.state === 'suspect')
    return verdict.tail.suspect
      ? `The newest runs differ: ${percent(verdict.tail.ratio ?? null)}. More runs decide.`
      : 'Found, and not yet confirmed. More runs decide.'
  return missingNote(verdict)
}

// ---- counts ---------------------------------------------------------------------------------------------------------

export type Counts = Partial<Record<SeriesState, number>>

const PLURALS: Partial<Record<SeriesState, string>> = {
  regression: 'regressions',
  improvement: 'improvements',
  suspect: 'suspects',
}

// "2 regressions, 1 improvement, 1 became noisier"
export const countsText = (counts: Counts, mode: TrendMode) =>
  foundStates(mode)
    .flatMap((state) => {
      const n = counts[state] ?? 0
      return n === 0 ? [] : [`${count(n)} ${n === 1 ? STATE_WORDS[state] : (PLURALS[state] ?? STATE_WORDS[state])}`]
    })
    .join(', ')

export interface Group {
  id: string | null // of their incident; null: one series without an incident
  members: Verdict[]
}

// Series with an equal incident, at the place of the first one.
export function groupsOf(verdicts: Verdict[]): Group[] {
  const groups: Group[] = []
  const byId = new Map<string, Group>()
  for (const verdict of verdicts) {
    const id = changeOf(verdict, null)?.incident ?? null
    const known = id === null ? undefined : byId.get(id)
    if (known) known.members.push(verdict)
    else {
      const group = { id, members: [verdict] }
      groups.push(group)
      if (id !== null) byId.set(id, group)
    }
  }
  return groups
}

// " in 3 incidents", if some series share one.
export function incidentsText(verdicts: Verdict[]) {
  const groups = groupsOf(verdicts)
  if (groups.length === verdicts.length) return ''
  return ` in ${count(groups.length)} ${groups.length === 1 ? 'incident' : 'incidents'}`
}

export const foundCount = (counts: Counts, mode: TrendMode) =>
  foundStates(mode).reduce((sum, state) => sum + (counts[state] ?? 0), 0)

// ---- axis -----------------------------------------------------------------------------------------------------------

export interface Span {
  label: string
  from: number // index of its first point
  to: number // of its last one
}

// Neighbors with an equal label.
export function spansOf(labels: (string | null)[]): Span[] {
  const spans: Span[] = []
  for (const [i, label] of labels.entries()) {
    const last = spans.at(-1)
    const text = label ?? NOT_RECORDED
    if (last?.label === text) last.to = i
    else spans.push({ label: text, from: i, to: i })
  }
  return spans
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

// "Nov 2026" if the runs are of several years; a day if all are of one month.
export function monthLabels(times: (string | number | null)[]): (string | null)[] {
  const dates = times.map((time) => (time === null ? null : new Date(time)))
  const known = dates.filter((date): date is Date => date !== null && !Number.isNaN(date.getTime()))
  const years = new Set(known.map((date) => date.getUTCFullYear()))
  const months = new Set(known.map((date) => `${date.getUTCFullYear()} ${date.getUTCMonth()}`))
  return dates.map((date) => {
    if (!date || Number.isNaN(date.getTime())) return null
    const month = MONTHS[date.getUTCMonth()] as string
    if (months.size === 1) return `${date.getUTCDate()} ${month}`
    return years.size > 1 ? `${month} ${date.getUTCFullYear()}` : month
  })
}

// ---- names ----------------------------------------------------------------------------------------------------------

export const nameOf = ({ metric, label }: Pick<Verdict, 'metric' | 'label'>, catalogue: Catalogue) =>
  [longName(catalogue.get(metric)), label].filter(Boolean).join(', ')

export const DECISION_WORDS: Record<DecisionKind, string> = {
  acknowledged: 'acknowledged',
  expected: 'expected',
  fixed: 'fixed',
  wrong: 'wrong',
  none: 'withdrawn',
}
