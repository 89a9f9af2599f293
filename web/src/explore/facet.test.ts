import { describe, expect, it } from 'vitest'

import type { Facet, Field } from '../api/types'
import { besideRange, mostOf, nothingsOf } from './facet'
import { edgeOf } from './facet-range'

const facet = (part: Partial<Facet>): Facet => ({
  count: 0,
  recorded: 0,
  null: 0,
  missing: 0,
  explicit: 0,
  distinct: 0,
  values: [],
  more_count: 0,
  ...part,
})

describe('values next to a range', () => {
  it('are words and infinite numbers, with their counts', () => {
    const words = [{ value: 'auto', count: 3 }]
    const listed = facet({
      recorded: 40,
      words,
      values: [
        { value: 1, count: 5 },
        { value: 'inf', count: 7 },
      ],
      min: 1,
      max: 'inf',
    })
    expect(besideRange(listed)).toEqual([...words, { value: 'inf', count: 7 }])
  })

  it('an infinite one that is too rare to be listed is counted, too', () => {
    const cut = facet({
      recorded: 70,
      null: 2,
      words: [{ value: 'auto', count: 3 }],
      values: [{ value: 1, count: 5 }],
      min: 1,
      max: 'inf',
      histogram: { edges: [1, 2, 3], counts: [40, 24] },
    })
    expect(besideRange(cut)).toEqual([
      { value: 'auto', count: 3 },
      { value: 'inf', count: 1 },
    ])
  })

  it('are empty if all numbers are finite', () =>
    expect(besideRange(facet({ recorded: 2, values: [{ value: 1, count: 2 }], min: 1, max: 1 }))).toEqual([]))
})

it('bars of a field have one scale', () => {
  const some = facet({
    recorded: 60,
    null: 20,
    missing: 45,
    distinct: 2,
    values: [
      { value: 'a', count: 30 },
      { value: 'b', count: 10 },
    ],
  })
  expect(mostOf(some, undefined)).toBe(45)
  expect(mostOf({ ...some, missing: 0 }, undefined)).toBe(30)
  expect(mostOf({ ...some, missing: 1 }, { present: true })).toBe(40)
  expect(mostOf(facet({}), undefined)).toBe(1)
})

it('an end that is not finite is the outermost edge', () => {
  const edges = [0, 10, 20, 30]
  expect([-Infinity, 4, 6, 19, 99, Infinity].map((end) => edgeOf(edges, end))).toEqual([0, 0, 1, 2, 3, 3])
})

it('null has a line of its own only where a user can set the field', () => {
  const some = facet({ recorded: 60, null: 20, missing: 45, distinct: 2 })
  const field = (id: string, role: string) => ({ id, role }) as Field
  expect(nothingsOf(some, undefined, field('server.quantization', 'input'))).toEqual([
    ['unset', 'unset', 20],
    ['missing', 'not recorded', 45],
  ])
  expect(nothingsOf(some, undefined, field('quality.verdict', 'output'))).toEqual([
    ['unset', 'no verdict', 20],
    ['missing', 'not recorded', 45],
  ])
  expect(nothingsOf(some, undefined, field('system.hardware_info.gpu_name', 'host'))).toEqual([
    ['absent', 'not recorded', 65],
  ])
  expect(nothingsOf(facet({}), { missing: true }, field('system.hardware_info.gpu_name', 'host'))).toEqual([
    ['absent', 'not recorded', 0],
  ])
})
