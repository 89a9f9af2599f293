import { expect, it } from 'vitest'

import { bandPath, gapAfter, linePath, sampleAt, stretches } from './samples'

it('a line ends at missing samples, or at missing bins if those are longer', () => {
  expect(gapAfter(1, [0.05, 0.15])).toBe(3.5)
  expect(gapAfter(1, [])).toBe(3.5)
  expect(gapAfter(1, [6, 18, 30])).toBe(42) // an hour in 300 bins
  expect(gapAfter(null, [6, 18, 30])).toBe(42) // a single sample
})

it('the sample next to a time, not that of a gap', () => {
  const line = { t: [1, 2, 3, 10], values: [5, null, 7, 8], gap: 7 }
  expect([1.4, 2.4, 6.9, 9].map((seconds) => sampleAt(line, seconds))).toEqual([0, 2, 3, 3])
  expect(sampleAt({ ...line, gap: 2 }, 6)).toBe(-1)
})

const same = (value: number) => value

it('bins between two samples are not a gap; missing samples are', () => {
  const line = { t: [1, 2, 3, 4, 9, 10], values: [5, null, 7, null, 8, 9], gap: 3 }
  expect(stretches(line)).toEqual([
    [0, 2],
    [4, 5],
  ])
  expect(linePath(line, same, same)).toBe('M1.0 5.0L3.0 7.0M9.0 8.0L10.0 9.0')
})

it('a single sample is a dot', () =>
  expect(linePath({ t: [1, 9], values: [5, 6], gap: 2 }, same, same)).toBe('M1.0 5.0h0M9.0 6.0h0'))

it('a band goes along the largest samples and back along the smallest; none without a spread', () => {
  const line = { t: [1, 2, 9], values: [5, 6, 7], gap: 3 }
  expect(bandPath(line, [4, 5, 7], [6, 8, 7], same, same)).toBe('M1.0 6.0L2.0 8.0L2.0 5.0L1.0 4.0Z')
})
