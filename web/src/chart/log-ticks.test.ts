import { expect, it } from 'vitest'

import { logAxis } from './log-ticks'

it('ticks are round, as many as have room; the ends are round and close to the values', () => {
  expect(logAxis(3, 40_000, 8)).toEqual({ min: 2, max: 50_000, ticks: [10, 100, 1000, 10_000] })
  expect(logAxis(3, 4e9, 5)).toEqual({ min: 2, max: 5e9, ticks: [100, 10_000, 1e6, 1e8] })
  expect(logAxis(12, 480, 8)).toEqual({ min: 10, max: 500, ticks: [10, 20, 50, 100, 200, 500] })
  expect(logAxis(110, 190, 8)).toEqual({ min: 100, max: 200, ticks: [100, 120, 150, 200] })
  expect(logAxis(1, 1000, 8)).toEqual({ min: 1, max: 1000, ticks: [1, 3, 10, 30, 100, 300, 1000] })
  expect(logAxis(100.2, 100.9, 5)).toEqual({ min: 100.2, max: 101, ticks: [100.2, 100.4, 100.6, 100.8, 101] })
  for (let i = 0; i < 2000; i++) {
    const low = 10 ** (Math.sin(i) * 9)
    const high = low * 10 ** (Math.abs(Math.cos(i * 7)) * (i % 12))
    for (const most of [5, 8]) {
      const { min, max, ticks } = logAxis(low, high, most)
      expect(ticks.length).toBeGreaterThan(1)
      expect(ticks.length).toBeLessThanOrEqual(most + 1)
      expect(min <= low * (1 + 1e-5) && max >= high * (1 - 1e-5) && min <= ticks[0]! && max >= ticks.at(-1)!).toBe(true)
      expect(ticks).toEqual([...new Set(ticks)].sort((a, b) => a - b))
    }
  }
})
