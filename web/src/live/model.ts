// The state of a live run in the page: how events change it, and its words.
import type { LiveEnd, LiveHistory, LiveRun, LiveSilence } from '../api/types'
import { count, type Form, formOfUnit, showNumber } from '../format/number'
import { roughSpan, span } from '../format/time'
import { verdictWord } from '../format/value'
import { join } from '../ui/controls'

export type Column = Exclude<keyof LiveHistory, 't_s'>
type Columns<T> = Record<Column, T>

const POINTS_MAX = 1200

export interface Watched {
  snapshot: LiveRun | null
  points: LiveHistory
  reportedAt: number // when the server received the last snapshot, in ms of the local clock
  experiment: number | null // the stored result
}

const NO_POINTS: LiveHistory = {
  t_s: [],
  in_flight: [],
  running: [],
  waiting: [],
  kv_cache_percent: [],
  ttft_median_ms: [],
  ttft_low_ms: [],
  ttft_high_ms: [],
  e2el_median_ms: [],
  e2el_low_ms: [],
  e2el_high_ms: [],
  gpu_utilization_percent: [],
  power_w: [],
  late_median_ms: [],
  done_per_s: [],
}
export const NOTHING: Watched = { snapshot: null, points: NO_POINTS, reportedAt: 0, experiment: null }

const known = (values: (number | null)[]) => values.filter((value) => value !== null)
const sum = (values: number[]) => values.reduce((all, value) => all + value, 0)

function pointOf({ requests, rates, client, server, ttft_ms, e2el_ms, gpus }: LiveRun): Columns<number | null> {
  const use = known(gpus.map(({ utilization_percent }) => utilization_percent))
  const power = known(gpus.map(({ power_w }) => power_w))
  return {
    in_flight: requests.in_flight,
    running: server.running,
    waiting: server.waiting,
    kv_cache_percent: server.kv_cache_percent,
    ttft_median_ms: ttft_ms.median,
    ttft_low_ms: ttft_ms.low,
    ttft_high_ms: ttft_ms.high,
    e2el_median_ms: e2el_ms?.median ?? null,
    e2el_low_ms: e2el_ms?.low ?? null,
    e2el_high_ms: e2el_ms?.high ?? null,
    gpu_utilization_percent: use.length ? sum(use) / use.length : null,
    power_w: power.length ? sum(power) : null,
    late_median_ms: client.late_median_ms,
    done_per_s: rates.done_per_s,
  }
}

// The server sends the last snapshot again after the history. If the points are too many, every second one remains.
function withPoint(points: LiveHistory, snapshot: LiveRun): LiveHistory {
  const at = snapshot.elapsed_s
  const isFull = points.t_s.length >= POINTS_MAX
  const kept = points.t_s.flatMap((t, i) => (t < at && (!isFull || i % 2 === 0) ? [i] : []))
  const added = Object.entries(pointOf(snapshot)).map(([column, value]) => [
    column,
    [...kept.map((i) => points[column as Column][i] ?? null), value],
  ])
  return {
    ...(Object.fromEntries(added) as Columns<(number | null)[]>),
    t_s: [...kept.map((i) => points.t_s[i] ?? 0), at],
  }
}

// `now`: ms of the local clock.
export function withEvent(watched: Watched, name: string, data: unknown, now: number): Watched {
  if (name === 'history') return { ...watched, points: data as LiveHistory }
  if (name === 'snapshot') {
    const snapshot = data as LiveRun
    return {
      snapshot,
      points: withPoint(watched.points, snapshot),
      reportedAt: now - snapshot.age_s * 1000,
      experiment: snapshot.experiment_id,
    }
  }
  const { snapshot } = watched
  if (name === 'silent')
    return {
      ...watched,
      snapshot: snapshot && { ...snapshot, state: 'silent' },
      reportedAt: now - (data as LiveSilence).age_s * 1000,
    }
  if (name === 'ended') {
    const { experiment_id, ended } = data as Omit<LiveEnd, 'ended'> & Pick<LiveRun, 'ended'>
    return {
      ...watched,
      snapshot: snapshot && { ...snapshot, state: 'ended', ended: ended ?? snapshot.ended },
      experiment: experiment_id ?? watched.experiment,
    }
  }
  return watched
}

// ---- state and words ----------------------------------------------------------------------------------------------

export type State = LiveRun['state']
const SILENT_S = 5 // the server reports a silence after 4 s, unless the connection hangs

export const stateOf = ({ state }: Pick<LiveRun, 'state'>, ageS: number): State =>
  state === 'reporting' && ageS >= SILENT_S ? 'silent' : state

export const phaseWord = (phase: string) => phase.replaceAll('_', ' ')
const whole = (seconds: number) => (seconds < 60 ? `${Math.floor(seconds)} s` : roughSpan(seconds))
export const ageText = (ageS: number) => (ageS < 2 ? 'just now' : `${whole(ageS)} ago`)
export const nameOf = ({ name, run_id }: { name: string | null; run_id: string }) => (name?.trim() ? name : run_id)
export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

export const verdictText = (verdict: LiveRun['verdict']['state'], isEnded: boolean) =>
  join(verdictWord(verdict === 'unknown' ? null : verdict), !isEnded && 'so far')

interface Progress {
  done: number
  total: number | null
  remaining_s: number | null
}

export const progressText = ({ done, total, remaining_s }: Progress) =>
  [
    total === null
      ? `${count(done)} ${done === 1 ? 'request' : 'requests'}`
      : `${count(done)} of ${count(total)} requests`,
    remaining_s !== null && remaining_s > 0 && `about ${span(Math.ceil(remaining_s))} remaining`,
  ]
    .filter(Boolean)
    .join(', ')

export const shareOf = ({ done, total }: Pick<Progress, 'done' | 'total'>) =>
  total === null || total === 0 ? null : Math.min(1, done / total)

export interface Shown {
  number: string
  unit: string
}

// A value changes in place once per second, so its number of decimals follows from its size alone.
function formOf(value: number, unit: string): Form {
  const form = formOfUnit(unit, [value])
  const size = Math.abs(value * form.scale)
  return { ...form, decimals: unit === '' || size >= 100 ? 0 : size >= 10 ? 1 : 2 }
}

export function shown(value: number | null, unit: string): Shown {
  if (value === null) return { number: '–', unit: '' }
  const form = formOf(value, unit)
  return { number: showNumber(value, form), unit: form.unit }
}

export const withUnit = (value: number | null, unit: string) => {
  const { number, unit: word } = shown(value, unit)
  return join(number, word)
}

// The 95 % CI of a median, with the digits of the median.
export function rangeText(unit: string, { median, low, high }: Pick<LiveRun['ttft_ms'], 'median' | 'low' | 'high'>) {
  if (median === null || low === null || high === null) return null
  const form = formOf(median, unit)
  return `${showNumber(low, form)} – ${showNumber(high, form)}`
}

// How many requests a p99 lacks; null: none, or not known.
export function p99Needs({ requests, rates }: Pick<LiveRun, 'requests' | 'rates'>) {
  const { done, failed, total, needed_for_p99: needed } = requests
  const completed = done - failed
  if (needed === null || completed >= needed) return null
  const canReach = total === null || total - failed >= needed
  const seconds = canReach && rates.done_per_s ? (needed - completed) / rates.done_per_s : null
  return { completed, needed, total: canReach ? null : total, seconds }
}

// Returns the text that a screen reader announces: it changes with the phase, the verdict and the state alone.
export function announcement({ phase, verdict, ended }: LiveRun, state: State, isLost: boolean) {
  if (isLost) return 'The connection to the dashboard is lost.'
  if (state === 'silent') return 'The run does not report. It is unknown whether it continues.'
  const words = capital(verdictText(verdict.state, state === 'ended'))
  return `${state === 'ended' ? `Ended${ended ? `: ${phaseWord(ended.state)}` : ''}` : capital(phaseWord(phase.name))}. ${words}.`
}
