import { expect, it } from 'vitest'

import type { Filter } from '../api/types'
import { type CompareState, moved, readCompare, readSide, type Side, writeCompare, writeSide } from './compare'

const filter: Filter = { and: [{ field: 'run.suite', op: 'eq', value: 'nightly & "more", 50%' }] }
const SIDES: [string, Side][] = [
  ['17', { ids: [17] }],
  ['17,18', { ids: [17, 18] }],
  [JSON.stringify(filter), { filter }],
  ['{"label":"before: {1}","ids":[3]}', { label: 'before: {1}', ids: [3] }],
  [`{"label":"","filter":${JSON.stringify(filter)}}`, { label: '', filter }],
]

it.each(SIDES)('a side %s', (text, side) => {
  expect(writeSide(side)).toBe(text)
  expect(readSide(text)).toEqual(side)
})

it('an address comes back', () => {
  const state: CompareState = {
    sides: SIDES.map(([, side]) => side),
    match: true,
    withSimulated: false,
    withEqual: true,
    onlyClear: false,
    logCurves: true,
    logTime: false,
  }
  expect(readCompare(`?${writeCompare(state)}`)).toEqual(state)
})

it('text that is not a side is ignored, and of nine sides the first eight are used', () => {
  expect(readCompare('?side=x&side={}&side={"ids":[]}&side=[1]&side={"a&side=-1,0&side=4').sides).toEqual([
    { ids: [4] },
  ])
  expect(readCompare(`?${'side=1&'.repeat(9)}`).sides.length).toBe(8)
})

it('moves one to another place', () =>
  expect([moved(['a', 'b', 'c'], 2, 0), moved(['a', 'b', 'c'], 0, 1)]).toEqual([
    ['c', 'a', 'b'],
    ['b', 'a', 'c'],
  ]))
