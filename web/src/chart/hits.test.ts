import { describe, expect, it } from 'vitest'

import { cornersOf } from './shapes'
import { boxOf, type Hits, nearest, outwards, placing } from './hits'

const hits: Hits = { x: new Float32Array([10, 20, 200]), y: new Float32Array([10, 10, 90]), count: 3 }

it('finds the nearest within reach', () => {
  expect(nearest(hits, 14, 10, false)).toBe(0)
  expect(nearest(hits, 16, 10, false)).toBe(1)
  expect(nearest(hits, 100, 50, false)).toBeNull()
})

it('finds the item at a place, however far away its value is', () => {
  expect(nearest(hits, 190, 400, true)).toBe(2)
  expect(nearest({ ...hits, count: 0 }, 0, 0, true)).toBeNull()
})

it('a region is one from whichever corner', () => expect(boxOf([5, 1], [2, 9])).toEqual({ x: [2, 5], y: [1, 9] }))

it.each<[[number, number], [number, number]]>([
  [
    [12.3456789, 98.7654321],
    [12.3, 98.8],
  ],
  [
    [-1.23456, 0.98765],
    [-1.24, 0.99],
  ],
  [
    [0.00012345, 0.00045678],
    [0.000123, 0.000457],
  ],
  [
    [5, 5],
    [5, 5],
  ],
])('%j is rounded outwards to %j', (ends, rounded) => {
  const [low, high] = outwards(ends)
  expect([low, high]).toEqual(rounded)
  expect(low <= ends[0] && high >= ends[1]).toBe(true)
})

it('corners of shapes are where the path has them', () => {
  expect(cornersOf(2)).toEqual([
    [0, -5],
    [5, 4],
    [-5, 4],
  ])
  expect(cornersOf(1)).toEqual([
    [-4.3, -4.3],
    [4.3, -4.3],
    [4.3, 4.3],
    [-4.3, 4.3],
  ])
  expect(cornersOf(5)).toHaveLength(12)
})

describe('positions of values on an axis', () => {
  const value = (one: number) => one
  it.each([
    ['evenly between the ends', [10, 20, 40], false, (at: number) => 100 + at * 2],
    ['downwards', [0, 1, 5], false, (at: number) => 300 - at * 40],
    ['by their logarithm', [1, 10, 1000], true, (at: number) => 50 + Math.log10(at) * 30],
    ['in one place where there is one value', [7, 7], false, (at: number) => at + 1],
  ] as [string, number[], boolean, (at: number) => number][])('%s', (_, list, onLog, ask) => {
    const place = placing(list, value, onLog, ask)
    for (const one of list) expect(place(one)).toBeCloseTo(ask(one), 9)
  })
})
