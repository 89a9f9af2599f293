import { expect, it } from 'vitest'

import { latestOf } from './held'
import type { Answer } from './model'

const answer = (at: number, part: object) => ({ at, request: { form: 'points' }, ...part }) as unknown as Answer

it('takes the latest answer that a chart can draw', () => {
  const old = answer(1, { marks: {} })
  const latest = answer(2, { groups: {} })
  expect(latestOf([latest, undefined, old])).toBe(latest)
  // a count of matches and the neighbors of a point come with the same key
  expect(
    latestOf([old, answer(3, { near: {} }), answer(4, { marks: {}, request: { form: 'points', count_only: true } })]),
  ).toBe(old)
  expect(latestOf([undefined])).toBeUndefined()
})
