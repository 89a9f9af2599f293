import { expect, it } from 'vitest'

import { gapOf, sampleAt } from './over-time'

const sampledEach = (ms: number) =>
  ({ fields: { 'series.interval_ms': { value: ms } } }) as unknown as Parameters<typeof gapOf>[0]

it('a line ends at missing samples, or at missing bins if those are longer', () => {
  expect(gapOf(sampledEach(1000), 'gpu', [0.05, 0.15])).toBe(3.5)
  expect(gapOf(undefined, 'gpu', [])).toBe(3.5)
  expect(gapOf(sampledEach(1000), 'gpu', [6, 18, 30])).toBe(42) // an hour in 300 bins
})

it('the sample next to a time, not that of a gap', () => {
  const line = { t: [1, 2, 3, 10], values: [5, null, 7, 8] }
  expect([1.4, 2.4, 6.9, 9].map((seconds) => sampleAt(line, seconds, 7))).toEqual([0, 2, 3, 3])
  expect(sampleAt(line, 6, 2)).toBe(-1)
})
