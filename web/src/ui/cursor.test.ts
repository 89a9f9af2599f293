import { expect, it } from 'vitest'

import { moved, nearest } from './cursor'

const KEYS: [string, number | null, number | null | undefined][] = [
  ['ArrowRight', null, 0],
  ['ArrowRight', 3, 4],
  ['ArrowRight', 20, 20],
  ['ArrowLeft', null, 20],
  ['ArrowLeft', 0, 0],
  ['PageUp', 3, 13],
  ['PageUp', 15, 20],
  ['PageDown', 15, 5],
  ['Home', 7, 0],
  ['End', null, 20],
  ['Escape', 7, null],
  ['Escape', null, undefined],
  ['j', 7, undefined],
]

it.each(KEYS)('%s at %s of 0 … 20', (key, at, to) => expect(moved(key, at, 20)).toBe(to))

it('the place next to a point', () =>
  expect([nearest([0, 10, 30], 19), nearest([0, 10, 30], 21), nearest([0, 10, 30], -5), nearest([], 3)]).toEqual([
    1, 2, 0, 0,
  ]))
