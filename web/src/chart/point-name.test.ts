import { expect, it } from 'vitest'

import type { Field, Row } from '../api/types'
import { Catalogue } from '../fields/catalogue'
import { nameAmong, sameNameFilter } from './point-name'

const field: Field = {
  id: 'benchmark.max_concurrency',
  label: 'Concurrency',
  help: '',
  group: '',
  unit: '',
  type: 'count',
  direction: 'neither',
  role: 'input',
  aggregation: 'none',
  column: true,
  words: false,
}
const catalogue = new Catalogue([field])
const rows = [
  ['nightly', 8],
  ['nightly', 64],
  ['alone', 8],
].map(
  ([name, load], at): Row => ({
    id: at + 1,
    run_id: `exp_${at}`,
    simulated: false,
    verdict: null,
    cells: { 'run.name': name as string, 'benchmark.max_concurrency': load as number },
  }),
)

it('a point is called as its row is', () => {
  expect(rows.map(({ id }) => nameAmong(rows, id, catalogue)?.short)).toEqual(['c8', 'c64', 'alone'])
  expect(nameAmong(rows, 2, catalogue)).toEqual({ short: 'c64', own: 'nightly', full: 'nightly: concurrency 64' })
  expect(nameAmong(rows, 9, catalogue)).toBeNull()
})

it('requests the results of the same name within the filter', () => {
  const tree = { field: 'server.model', op: 'eq', value: 'm' } as const
  expect(sameNameFilter('nightly', tree)).toEqual({ and: [tree, { field: 'run.name', op: 'eq', value: 'nightly' }] })
  expect(sameNameFilter(null, undefined)).toEqual({ not: { field: 'run.name', op: 'not_null' } })
})
