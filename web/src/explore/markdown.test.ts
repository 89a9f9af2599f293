import { expect, it } from 'vitest'

import type { Experiment, Row } from '../api/types'
import { Catalogue } from '../fields/catalogue'
import { markdownOf, rowOf } from './markdown'

const catalogue = new Catalogue([
  {
    id: 'results.x_ms',
    label: 'X',
    help: '',
    group: '',
    unit: 'ms',
    type: 'number',
    direction: 'lower',
    role: 'output',
    aggregation: 'none',
    column: true,
    words: false,
  },
])
const row = (part: Partial<Row>): Row => ({ id: 7, run_id: 'run', simulated: false, verdict: null, cells: {}, ...part })

it('is a table of what rows have, in full and harmless', () => {
  const rows = [
    row({ cells: { 'run.name': 'a|b\n<b>*x*', 'results.x_ms': 1.0000001 } }),
    row({ simulated: true, cells: { 'results.x_ms': null } }),
    row({}),
  ]
  expect(markdownOf(catalogue, ['results.x_ms'], rows).split('\n')).toEqual([
    '| Experiment | X (ms) |',
    '| --- | ---: |',
    '| a\\|b \\<b\\>\\*x\\* | 1.0000001 |',
    '| run (simulated) | unset |',
    '| run | – |',
  ])
})

it('a row is made of a result', () => {
  const one = {
    id: 7,
    run_id: 'run',
    simulated: null,
    verdict: 'trusted',
    fields: { 'a.b': { state: 'value', value: 1 }, 'a.c': { state: 'null' }, 'a.d': { state: 'not_recorded' } },
  } as unknown as Experiment
  expect(rowOf(one)).toEqual({
    id: 7,
    run_id: 'run',
    simulated: null,
    verdict: 'trusted',
    cells: { 'a.b': 1, 'a.c': null },
  })
})
