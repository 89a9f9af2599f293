import { expect, it } from 'vitest'

import { momentText, readMoment } from './facet-dates'

it('a day is its date, and the upper bound includes all of it', () => {
  expect([
    readMoment('2026-11-19', 0),
    readMoment('2026-11-19', 1),
    readMoment(' 2026-11-19 14:12 ', 1),
    readMoment('now-7d', 0),
    readMoment('', 1),
  ]).toEqual(
    ['2026-11-19T00:00:00Z', '2026-11-19T23:59:59.999Z', '2026-11-19T14:12:00Z', 'now-7d', null].map((value) => ({
      value,
    })),
  )
  for (const text of ['11/19/2026', '2026-11', '2026-02-30']) expect(readMoment(text, 0)).toHaveProperty('fault')
  for (const text of ['2026-11-19', '2026-11-19 14:12', '2026-11-19 14:12:30', 'now-7d', '']) {
    for (const at of [0, 1] as const) {
      const read = readMoment(text, at)
      expect('value' in read && momentText(read.value, at)).toBe(text)
    }
  }
})
