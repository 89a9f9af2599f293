import { expect, it } from 'vitest'

import type { Caution } from '../api/types'
import { countKinds, fieldsOf, mixedList } from './guard'

const caution = (kind: string, distinct: number, unset: number, missing: number) =>
  ({
    kind,
    title: `the ${kind}`,
    fields: [{ sides: [{ values: [], distinct, null: unset, not_recorded: missing }] }],
  }) as unknown as Caution

it('counts values: a value that is missing is none', () => {
  expect([caution('gpu', 3, 2, 1), caution('gpu', 2, 0, 0)].map(countKinds)).toEqual([3, 2])
  // no limit, no quantization and no verdict are choices
  expect(['load', 'precision', 'verdict'].map((kind) => countKinds(caution(kind, 2, 5, 1)))).toEqual([3, 3, 3])
})

it('names inputs that some results do not record, without a count', () => {
  expect(mixedList([caution('load', 2, 0, 0), caution('gpu', 1, 1, 0), caution('failures', 0, 0, 0)])).toBe(
    '2 loads, the failures; not recorded by some results: the gpu',
  )
  expect(mixedList([caution('engine', 1, 0, 2)])).toBe('not recorded by some results: the engine')
  expect(mixedList([caution('model', 4, 0, 2)])).toBe('4 models')
  // also for a kind without a noun: one known value is not a mixture
  expect(mixedList([caution('simulated', 1, 0, 1)])).toBe('not recorded by some results: the simulated')
  expect(mixedList([caution('simulated', 2, 0, 0)])).toBe('the simulated')
})

it('fields with several known values come first, in the order of their kinds; all others are folded', () => {
  const of = (kind: string, field: string, distinct: number, unset: number) =>
    ({
      kind,
      title: kind,
      text: '',
      fields: [{ field, sides: [{ values: [], distinct, null: unset, not_recorded: 1 }] }],
    }) as unknown as Caution
  const { differing, unknown } = fieldsOf([
    of('dataset', 'hf', 0, 112),
    of('load', 'concurrency', 6, 1),
    of('load', 'rate', 0, 112),
    of('model', 'model', 4, 0),
    of('status', 'status', 1, 0),
  ])
  expect(differing.map(({ field }) => field)).toEqual(['model', 'concurrency'])
  expect(unknown.map(({ field }) => field)).toEqual(['rate', 'hf', 'status'])
})
