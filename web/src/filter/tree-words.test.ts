import { expect, it } from 'vitest'

import type { Filter } from '../api/types'
import { Catalogue } from '../fields/catalogue'
import { choiceWords } from './words'
import { treeWords } from './tree-words'

const catalogue = new Catalogue([
  {
    id: 'results.x',
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
  {
    id: 'run.timestamp',
    label: 'Started',
    help: '',
    group: '',
    unit: '',
    type: 'time',
    direction: 'neither',
    role: 'provenance',
    aggregation: 'none',
    column: true,
    words: false,
  },
])

const WORDS: [Filter, string][] = [
  [{ field: 'results.x', op: 'lt', value: 1500 }, 'X < 1,500 ms'],
  [{ field: 'a.b', op: 'starts_with', value: 'q' }, 'a.b starts with “q”'],
  [{ field: 'a.b', op: 'in', value: [1, 2, 3, 4] }, 'a.b is one of 4 values'],
  [{ field: 'results.x', op: 'between', value: [1, 2] }, 'X between 1 ms and 2 ms'],
  [
    {
      or: [
        { field: 'a.b', op: 'is_null' },
        {
          not: {
            and: [
              { field: 'a.c', op: 'eq', value: 'y' },
              { field: 'a.d', op: 'not_null' },
            ],
          },
        },
      ],
    },
    'a.b is unset or not (a.c is y and a.d has a value)',
  ],
  [{ field: 'run.timestamp', op: 'lt', value: 'now-2w' }, 'Started < 2 weeks before now'],
  [{ or: [] }, 'nothing'],
]

it.each(WORDS)('%j', (filter, words) => expect(treeWords(catalogue, filter)).toBe(words))

it('a time since then is in the words that people use', () => {
  const field = catalogue.get('run.timestamp')
  expect(choiceWords(field, { range: ['now-30d', null] })).toBe('the last 30 days')
  expect(choiceWords(field, { range: ['now-1d', null] })).toBe('the last day')
  expect(choiceWords(field, { range: ['now-2w', 'now-1w'] })).toBe('2 weeks before now – 1 week before now')
})
