import { expect, it } from 'vitest'

import { COUNTS, type Form } from './number'
import { evenTicks, innerTicks, tickWords, timeTicks } from './ticks'

const MS: Form = { unit: 'ms', scale: 1, decimals: 1, digits: 4 }

it('even ticks are round and enclose all values', () => {
  expect(evenTicks(0, 1.4, 5)).toEqual({ min: 0, max: 1.5, ticks: [0, 0.5, 1, 1.5] })
  expect(evenTicks(-3, 17, 5)).toEqual({ min: -5, max: 20, ticks: [-5, 0, 5, 10, 15, 20] })
  expect(evenTicks(12_345.1, 12_345.7, 5).ticks).toEqual([12_345, 12_345.2, 12_345.4, 12_345.6, 12_345.8])
  expect(evenTicks(0, 2, 5, true).ticks).toEqual([0, 1, 2])
  expect(evenTicks(7, 7, 5)).toEqual({ min: 2, max: 12, ticks: [2, 4, 6, 8, 10, 12] })
  expect(evenTicks(0, 0, 5).ticks.length).toBeGreaterThan(1)
  for (let i = 0; i < 2000; i++) {
    const low = Math.sin(i) * 10 ** ((i % 12) - 4)
    const high = low + Math.abs(Math.cos(i * 7)) * 10 ** ((i % 9) - 4) + 1e-7
    for (const most of [5, 8]) {
      const { min, max, ticks } = evenTicks(low, high, most)
      const slack = (high - low) * 1e-6
      expect(min <= low + slack && max >= high - slack).toBe(true)
      expect(ticks.length).toBeGreaterThan(1)
      expect(ticks.length).toBeLessThanOrEqual(most + 1)
    }
  }
})

it('inner ticks stay within the values', () => {
  expect(innerTicks(3, 21, 4)).toEqual([5, 10, 15, 20])
  expect(innerTicks(4, 4, 4)).toEqual([4])
})

it('the numbers of an axis have the same decimals and the same letter', () => {
  expect(tickWords([0, 0.5, 1, 1.5], MS)).toEqual(['0.0', '0.5', '1.0', '1.5'])
  expect(tickWords([0, 500_000, 1e6, 1.5e6], MS)).toEqual(['0.0', '0.5M', '1.0M', '1.5M'])
  expect(tickWords([0, 5000, 10_000], MS)).toEqual(['0', '5,000', '10,000'])
  expect(tickWords([0, 5000, 10_000], MS, { isShort: true })).toEqual(['0', '5k', '10k'])
  expect(tickWords([12_345, 12_345.2, 12_345.4], MS)).toEqual(['12,345.0', '12,345.2', '12,345.4'])
  expect(tickWords([-1, -0.5, 0], MS)).toEqual(['−1.0', '−0.5', '0.0'])
  expect(tickWords([0.5, 0.85, 0.9], MS)).toEqual(['0.50', '0.85', '0.90'])
  expect(tickWords([0, 1, 2], COUNTS)).toEqual(['0', '1', '2'])
  expect(tickWords([0.001, 0.002], { ...MS, scale: 1000 })).toEqual(['1', '2'])
  expect(tickWords([1e-9, 2e-9], MS)).toEqual(['1e−9', '2e−9'])
})

it('on a logarithmic axis of more than a decade each number is as short as possible', () => {
  expect(tickWords([0.1, 1, 10, 100], MS, { isLog: true })).toEqual(['0.1', '1', '10', '100'])
  expect(tickWords([0.1, 0.12, 0.15, 0.2], MS, { isLog: true })).toEqual(['0.10', '0.12', '0.15', '0.20'])
  expect(tickWords([1, 250_000, 1e6, 333_333_333_333, 1.25e12, 4e20], COUNTS, { isLog: true })).toEqual([
    '1',
    '250,000',
    '1M',
    '333.3G',
    '1.25T',
    '4e20',
  ])
})

it('times are round in UTC', () => {
  const iso = (ticks: number[]) => ticks.map((tick) => new Date(tick).toISOString().slice(0, 16))
  const at = Date.parse
  expect(iso(timeTicks(at('2026-11-19T05:10Z'), at('2026-11-19T09:50Z'), 5))).toEqual([
    '2026-11-19T06:00',
    '2026-11-19T07:00',
    '2026-11-19T08:00',
    '2026-11-19T09:00',
  ])
  expect(iso(timeTicks(at('2026-11-01T05:10Z'), at('2026-11-27T09:50Z'), 5))).toEqual([
    '2026-11-02T00:00',
    '2026-11-09T00:00',
    '2026-11-16T00:00',
    '2026-11-23T00:00',
  ])
  expect(iso(timeTicks(at('2025-10-19T00:00Z'), at('2026-11-19T00:00Z'), 5))).toEqual([
    '2026-01-01T00:00',
    '2026-04-01T00:00',
    '2026-07-01T00:00',
    '2026-10-01T00:00',
  ])
  expect(timeTicks(5, 5, 5)).toEqual([5])
})
