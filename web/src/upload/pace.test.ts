import { expect, it } from 'vitest'

import { leftWords, Pace } from './pace'

it('says nothing before it has seen enough, and nothing while nothing moves', () => {
  const pace = new Pace()
  pace.note(0, 0)
  pace.note(1000, 10)
  expect(pace.left(100)).toBe(null)
  pace.note(2000, 20)
  expect(pace.rate()).toBe(10)
  expect(pace.left(100)).toBe(10)
  for (let at = 3000; at <= 40_000; at += 1000) pace.note(at, 20)
  expect(pace.rate()).toBe(0)
  expect(pace.left(100)).toBe(null)
})

it('goes by what was seen last, not by all of it', () => {
  const pace = new Pace()
  for (let s = 0; s <= 60; s++) pace.note(s * 1000, s)
  for (let s = 61; s <= 80; s++) pace.note(s * 1000, 60 + (s - 60) * 100)
  expect(pace.rate()).toBeCloseTo(100)
})

it('restarts when the count restarts', () => {
  const pace = new Pace()
  pace.note(0, 0)
  pace.note(5000, 500)
  pace.note(6000, 0)
  expect(pace.rate()).toBe(null)
})

it.each([
  [0, 'a few seconds remaining'],
  [12, 'about 15 s remaining'],
  [59.9, 'about 60 s remaining'],
  [61, 'about 1 min remaining'],
  [5400, 'about 1.5 h remaining'],
])('%d s', (seconds, words) => expect(leftWords(seconds)).toBe(words))
