import { expect, it } from 'vitest'

import { readRequests } from '../url/requests'
import { readTimeline } from '../url/timeline'
import { binsOf, conditionsOf, rangeNs, rowsQuestion, timelineQuestion, USUAL } from './asked'

it('a timeline has fewer bins than pixels, and more in a wider window', () => {
  expect([320, 390, 800, 1024, 1440, 2560, 20_000].map(binsOf)).toEqual([150, 150, 200, 250, 450, 450, 450])
})

it('a range of the address is in ns after the start of the run; an impossible one is none', () => {
  expect(rangeNs([1, 2.5], 4e9)).toEqual([5e9, 6.5e9])
  expect(rangeNs([-9, -8], 4e9)).toBe(null) // before the clock
  expect(rangeNs([1, 2], null)).toBe(null)
  expect(rangeNs(null, 4e9)).toBe(null)
})

it('questions have only what the address sets', () => {
  expect(timelineQuestion(readTimeline(''), null, 1440)).toEqual({ bins: 450, series: USUAL })
  expect(timelineQuestion(readTimeline('t=1,2&series=all'), 0, 1440)).toEqual({ from: 1e9, to: 2e9, bins: 450 })
  const conditions = conditionsOf(readRequests('rmin=ttft_ms:5&rstatus=failed'), [1, 2])
  const { from_s, to_s, status, min, limit, offset } = rowsQuestion(conditions, '-ttft_ms', 3)
  expect({ from_s, to_s, status, min, limit, offset }).toEqual({
    from_s: 1,
    to_s: 2,
    status: 'failed',
    min: 'ttft_ms:5',
    limit: 50,
    offset: 100,
  })
})
