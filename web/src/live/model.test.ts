import { expect, it } from 'vitest'

import type { LiveHistory, LiveRun } from '../api/types'
import { axisEnd, lanesOf, measuredOf, phasesOf } from './lanes'
import {
  ageText,
  announcement,
  NOTHING,
  p99Needs,
  progressText,
  rangeText,
  stateOf,
  verdictText,
  type Watched,
  withEvent,
} from './model'

type Parts = { [K in keyof LiveRun]?: LiveRun[K] extends object ? Partial<LiveRun[K]> : LiveRun[K] }
const gpu = (index: number, utilization_percent: number | null, power_w: number | null) => ({
  index,
  name: 'NVIDIA H200',
  memory_bytes: 1e9,
  memory_total_bytes: 2e9,
  utilization_percent,
  power_w,
})
const snapshotOf = (elapsed_s: number, more: Parts = {}): LiveRun =>
  ({
    schema_version: 1,
    sequence: Math.round(elapsed_s),
    interval_s: 1,
    elapsed_s,
    age_s: 0,
    state: 'reporting',
    experiment_id: null,
    ttft_ms: { n: 800, median: 97.2, low: 95.3, high: 99.1 },
    gpus: [gpu(0, 90, 500), gpu(1, null, 600)],
    ended: null,
    ...more,
    phase: { name: 'measuring', step: null, elapsed_s: 10, done: [], ...more.phase },
    requests: {
      done: 20,
      failed: 1,
      total: 100,
      in_flight: 4,
      remaining_s: 40,
      needed_for_p99: 1000,
      ...more.requests,
    },
    rates: { requested_per_s: 8, sent_per_s: 8, done_per_s: 2, output_tokens_per_s: 100, ...more.rates },
    client: { late_median_ms: null, late_p99_ms: null },
    server: { running: 3, waiting: null, kv_cache_percent: 41 },
    verdict: { state: 'degraded', ...more.verdict },
  }) as unknown as LiveRun

const history = (t_s: number[]): LiveHistory =>
  ({
    ...Object.fromEntries(Object.keys(NOTHING.points).map((key) => [key, t_s.map((t) => (key === 't_s' ? t : t * 2))])),
    ...{ t_s },
  }) as unknown as LiveHistory

const events = (...list: [string, unknown][]) =>
  list.reduce<Watched>((watched, [name, data], i) => withEvent(watched, name, data, 10_000 + 1000 * i), NOTHING)

it('adds snapshots to the history; the last one is not added twice', () => {
  const { points, snapshot, reportedAt } = events(
    ['history', history([1, 2, 3])],
    ['snapshot', snapshotOf(3, { age_s: 0.5 })],
    ['snapshot', snapshotOf(4)],
  )
  expect(points.t_s).toEqual([1, 2, 3, 4])
  expect(points.in_flight).toEqual([2, 4, 4, 4])
  // one GPU reports no utilization: the mean is that of the others, the sum is of both
  expect(points.gpu_utilization_percent.slice(2)).toEqual([90, 90])
  expect(points.power_w.at(-1)).toBe(1100)
  expect(points.waiting.at(-1)).toBeNull()
  expect([snapshot?.elapsed_s, reportedAt]).toEqual([4, 12_000])
})

it('keeps a limited number of points over the whole time, and a new history replaces them', () => {
  let watched: Watched = NOTHING
  for (let at = 1; at <= 5000; at++) watched = withEvent(watched, 'snapshot', snapshotOf(at), 0)
  const { t_s } = watched.points
  expect(t_s.length).toBeLessThanOrEqual(1200)
  expect(t_s.length).toBeGreaterThan(500)
  expect([t_s[0], t_s.at(-1)]).toEqual([1, 5000])
  expect(t_s.every((t, i) => i === 0 || t > (t_s[i - 1] as number))).toBe(true)
  for (const [, values] of Object.entries(watched.points)) expect(values).toHaveLength(t_s.length)
  expect(withEvent(watched, 'history', history([7]), 0).points.t_s).toEqual([7])
})

it('knows since when a run is silent, and its end', () => {
  const silent = events(['snapshot', snapshotOf(3)], ['silent', { run_id: 'x', age_s: 5 }])
  expect([silent.reportedAt, silent.snapshot?.state]).toEqual([6000, 'silent'])
  expect(withEvent(silent, 'snapshot', snapshotOf(4), 0).snapshot?.state).toBe('reporting')
  const end = { exit_status: 0, state: 'completed', sentence: null }
  const ended = events(['snapshot', snapshotOf(3)], ['ended', { run_id: 'x', experiment_id: null, ended: end }])
  expect([ended.snapshot?.state, ended.snapshot?.ended?.state, ended.experiment]).toEqual(['ended', 'completed', null])
  const stored = withEvent(ended, 'ended', { run_id: 'x', experiment_id: 17, ended: null }, 0)
  expect([stored.snapshot?.ended?.state, stored.experiment]).toEqual(['completed', 17])
  // the dashboard has started again and knows the stored result only
  expect(events(['ended', { run_id: 'x', experiment_id: 17, ended: null }]).experiment).toBe(17)
  expect(events(['unheard of', {}])).toEqual(NOTHING)
})

it('a run without a report for 5 s is silent even if the server does not say so', () => {
  expect(stateOf({ state: 'reporting' }, 4.9)).toBe('reporting')
  expect(stateOf({ state: 'reporting' }, 5)).toBe('silent')
  expect(stateOf({ state: 'silent' }, 4.1)).toBe('silent')
  expect(stateOf({ state: 'ended' }, 600)).toBe('ended')
  expect([0.4, 1.9, 4.7, 48.2, 60, 400].map(ageText)).toEqual([
    'just now',
    'just now',
    '4 s ago',
    '48 s ago',
    '1 min 0 s ago',
    '7 min ago',
  ])
})

it('announces the phase, the verdict and the state, and nothing that changes each second', () => {
  const said = [3, 4, 5].map((at) => announcement(snapshotOf(at, { requests: { done: at } }), 'reporting', false))
  expect(new Set(said)).toEqual(new Set(['Measuring. Degraded so far.']))
  expect(announcement(snapshotOf(3, { verdict: { state: 'unknown' } }), 'reporting', false)).toBe(
    'Measuring. No verdict so far.',
  )
  expect(announcement(snapshotOf(3), 'silent', false)).toMatch(/does not report/)
  expect(announcement(snapshotOf(3), 'silent', true)).toMatch(/connection/)
  const ended = { exit_status: 4, state: 'launch_failed', sentence: null }
  expect(announcement(snapshotOf(3, { ended }), 'ended', false)).toBe('Ended: launch failed. Degraded.')
})

it('has words for progress, intervals and verdicts', () => {
  expect(progressText({ done: 847, total: 1536, remaining_s: 90.2 })).toBe(
    '847 of 1,536 requests, about 1 min 31 s remaining',
  )
  expect(progressText({ done: 1, total: null, remaining_s: null })).toBe('1 request')
  expect(rangeText('ms', { median: 97.2, low: 95.31, high: 99.08 })).toBe('95.3 – 99.1')
  expect(rangeText('ms', { median: 97.2, low: null, high: null })).toBeNull()
  expect([verdictText('unknown', false), verdictText('client_limited', true)]).toEqual([
    'no verdict so far',
    'client limited',
  ])
})

it('says how many requests a p99 lacks, and when it has them', () => {
  const of = (requests: Partial<LiveRun['requests']>) => p99Needs(snapshotOf(3, { requests }))
  expect(of({ done: 900, failed: 0, total: 2000 })).toEqual({ completed: 900, needed: 1000, total: null, seconds: 50 })
  expect(of({ done: 900, failed: 0, total: 950 })).toEqual({ completed: 900, needed: 1000, total: 950, seconds: null })
  expect(of({ done: 1010, failed: 20, total: null })?.completed).toBe(990)
  expect(of({ done: 1000, failed: 0 })).toBeNull()
  expect(of({ needed_for_p99: null })).toBeNull()
})

it('has lanes of what was measured, in units, with gaps', () => {
  const { points } = events(
    ['history', { ...history([1, 2]), late_median_ms: [null, null], waiting: [null, null] }],
    ['snapshot', snapshotOf(20)],
  )
  const lanes = lanesOf(points, 1)
  expect(lanes.map(({ title }) => title)).not.toContain('Schedule lateness')
  expect(lanes[0]?.lines.map(({ name }) => name)).toEqual(['in flight', 'running'])
  const cache = lanes.find(({ title }) => title === 'KV cache use')
  expect([cache?.unit, cache?.top, cache?.lines[0]?.values]).toEqual(['share', 1, [0.02, 0.04, 0.41]])
  expect(cache?.lines[0]?.gap).toBe(3.5)
  expect(cache?.lines[0]?.sampled.max).toEqual(cache?.lines[0]?.values)
  const ttft = lanes.find(({ title }) => title === 'TTFT median so far')
  const { values, sampled } = ttft?.lines[0] ?? {}
  expect([sampled?.min.at(-1), values?.at(-1), sampled?.max.at(-1)]).toEqual([95.3, 97.2, 99.1])
})

it('finished phases end where the current one began', () => {
  const done = [
    { name: 'loading weights', seconds: 33 },
    { name: 'warming_up', seconds: 8 },
  ]
  const measuring = phasesOf(snapshotOf(60, { phase: { name: 'measuring', elapsed_s: 10, done } }))
  expect(measuring).toEqual([
    { name: 'loading weights', from: 9, to: 42 },
    { name: 'warming up', from: 42, to: 50 },
    { name: 'measuring', from: 50, to: 60 },
  ])
  expect(measuredOf(measuring)).toEqual([50, 60])
  expect(measuredOf(phasesOf(snapshotOf(60, { phase: { name: 'starting', elapsed_s: 60 } })))).toBeNull()
  const draining = { name: 'draining' as const, elapsed_s: 2, done: [{ name: 'measuring', seconds: 20 }] }
  expect(measuredOf(phasesOf(snapshotOf(60, { phase: draining })))).toEqual([38, 58])
  expect(phasesOf(snapshotOf(60, { phase: { name: 'ended', elapsed_s: 0, done } })).at(-1)?.to).toBe(60)
})

it('the end of the axis keeps its place while the estimate changes little', () => {
  const end = (elapsed_s: number, remaining_s: number | null, before: number) =>
    axisEnd({ elapsed_s, requests: { remaining_s } } as LiveRun, before)
  expect(end(0, null, 0)).toBe(10)
  expect(end(100, 95, 0)).toBe(210)
  expect(end(110, 99, 210)).toBe(210)
  expect(end(120, 95, 210)).toBe(240)
  expect(end(120, 60, 210)).toBe(210)
  expect(end(120, 10, 210)).toBe(150)
})
