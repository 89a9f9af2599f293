import { expect, test } from 'vitest'

import { runFilter } from './run-filter'

const partsOf = (words: string) =>
  (runFilter(words) as { and: { or: { field: string; op: string; value: unknown }[] }[] }).and

test('each word is looked for in every field that names a run', () => {
  const [first, second, ...more] = partsOf(' llama  TP4 ')
  expect(more).toEqual([])
  expect(first?.or.map(({ field }) => field)).toEqual(
    expect.arrayContaining(['run.name', 'run.run_id', 'server.model']),
  )
  expect(first?.or.every(({ op, value }) => op === 'contains' && value === 'llama')).toBe(true)
  expect(second?.or).toContainEqual({ field: 'server.tensor_parallel_size', op: 'eq', value: 4 })
  expect(second?.or).toContainEqual({ field: 'run.name', op: 'contains', value: 'TP4' })
})

test('short forms are numbers of their field, other words are words', () => {
  for (const [word, field, value] of [
    ['c256', 'benchmark.max_concurrency', 256],
    ['tp=2', 'server.tensor_parallel_size', 2],
    ['dp8', 'server.data_parallel_size', 8],
  ])
    expect(partsOf(String(word))[0]?.or).toContainEqual({ field, op: 'eq', value })
  for (const word of ['h100', 'c', 'tp4x', 'qwen3'])
    expect(partsOf(word)[0]?.or.every(({ op }) => op === 'contains')).toBe(true)
})
