import { expect, it } from 'vitest'

import { repeatedOf } from './catalogue'

it('a field is repeated if it has no value and no result more than the other', () => {
  const of = (server: [string, number][] | null, benchmark: [string, number][] | null) => {
    const facet = (list: [string, number][] | null) =>
      list ? { values: list.map(([value, count]) => ({ value, count })), more_count: 0 } : undefined
    const facets: Record<string, ReturnType<typeof facet>> = {
      'server.model': facet(server),
      'benchmark.model': facet(benchmark),
    }
    return repeatedOf((id) => facets[id]).filter((id) => id in facets)
  }
  expect(
    of(
      [
        ['a', 3],
        ['b', 2],
      ],
      [
        ['a', 3],
        ['b', 1],
      ],
    ),
  ).toEqual(['benchmark.model'])
  expect(
    of(
      [['a', 3]],
      [
        ['a', 3],
        ['served-name', 1],
      ],
    ),
  ).toEqual([])
  expect(of([['a', 3]], [['a', 4]])).toEqual([])
  expect(of(null, [['a', 4]])).toEqual([])
  expect(of([['a', 3]], null)).toEqual(['benchmark.model'])
  expect(of(null, null)).toEqual(['benchmark.model'])
})
