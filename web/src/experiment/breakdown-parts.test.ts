import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

import { breakdownOf, LATENCIES, PARTS, REASONS, segmentsOf } from './breakdown-parts'

const parts = (total: number, low: Record<string, number>, high: Record<string, number | null> = {}) => ({
  total_ms: total,
  unattributed_ms: total - Object.values(low).reduce((sum, value) => sum + value, 0),
  ...Object.fromEntries(Object.entries(low).map(([key, value]) => [`${key}_low_ms`, value])),
  ...Object.fromEntries(Object.entries(low).map(([key, value]) => [`${key}_high_ms`, high[key] ?? value])),
})
const of = (breakdown: object | null) =>
  breakdownOf({ document: { results: { latency_breakdown: breakdown } } } as unknown as Parameters<
    typeof breakdownOf
  >[0])

const LOW = { client: 1, network: 2, front_end: 10, queue: 20, prefill: 30 }

it('has the words of the program', () => {
  const table = readFileSync('../src/tbl/breakdown.h', 'utf8')
  const rows = (macro: string) =>
    [...table.matchAll(new RegExp(`^${macro}\\(\\w+, (.*)\\)$`, 'gm'))].map(([, row]) => row)
  expect(rows('PART')).toEqual(PARTS.map(({ key, title, text }) => `${key}, "${title}", "${text}"`))
  expect(rows('SERVER_LATENCY')).toEqual(LATENCIES.map(({ key, title, text }) => `${key}, "${title}", "${text}"`))
  expect(rows('REASON').map((row) => row?.replace(/, (NONE|BOUNDED)/, ''))).toEqual(
    Object.entries(REASONS).map(([name, text]) => `${name}, "${text}"`),
  )
})

it('adds up to the total, with the rest last', () => {
  const split = of({ state: 'exact', reason: null, ttft: parts(100, LOW, { front_end: 47 }) })?.splits[0]
  if (!split) throw new Error('no split')
  expect(split.limits.get('front_end')).toEqual([10, 47])
  const segments = segmentsOf(split)
  expect(segments.map(({ key }) => key)).toEqual(['client', 'network', 'front_end', 'queue', 'prefill', 'unattributed'])
  expect(segments.at(-1)?.width).toBeCloseTo(0.37)
  expect(segments.reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(1)
  expect(segments.map(({ start }) => start)).toEqual(segments.map(({ start }) => start).toSorted((a, b) => a - b))
})

it('stays within the bar if the lower limits exceed the total', () => {
  const [split] = of({ state: 'exact', ttft: { ...parts(60, LOW), unattributed_ms: 0 } })?.splits ?? []
  if (!split) throw new Error('no split')
  expect(segmentsOf(split).reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(1)
})

it('invents nothing', () => {
  expect(breakdownOf({ document: {} } as unknown as Parameters<typeof breakdownOf>[0])).toBeNull()
  expect(of(null)).toBeNull()
  expect(of({ state: 'none', reason: 'restarted', ttft: parts(100, LOW) })).toMatchObject({
    isSplit: false,
    note: 'The latencies cannot be split, because the server restarted during the run.',
    splits: [],
    latencies: [],
  })
  expect(of({ state: 'exact', ttft: { total_ms: null }, e2el: 'text', server: { queue: 7 } })).toMatchObject({
    splits: [],
    latencies: [],
    note: null,
  })
})

it('leaves a bucket without an upper bound open', () => {
  const queue = { count: 3, mean_ms: 1, median_low_ms: 0, median_high_ms: 300, p99_low_ms: 7680, p99_high_ms: null }
  expect(of({ state: 'bounded', reason: 'counted_more', server: { queue } })).toMatchObject({
    note: expect.stringMatching(/^The parts have limits, because the server counted more/),
    latencies: [{ title: 'Queue', requests: 3, median: [0, 300], p99: [7680, null] }],
  })
})
