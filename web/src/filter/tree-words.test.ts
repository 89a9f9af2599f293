import { expect, it } from 'vitest'

import type { Filter } from '../api/types'
import { Catalogue } from '../fields/catalogue'
import { choiceWords } from './words'
import { treePieces, treeWords } from './tree-words'

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
  [{ field: 'results.x', op: 'between', value: [1, 2] }, 'X from 1 ms to 2 ms'],
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
  [{ field: 'a.b', op: 'in', value: ['fp8'] }, 'a.b is fp8'],
  [{ field: 'a.b', op: 'not_in', value: ['fp8', 'awq'] }, 'a.b is none of fp8, awq'],
  [{ not: { field: 'a.b', op: 'in', value: ['fp8', 'awq'] } }, 'not (a.b is one of fp8, awq)'],
  // a list in a group ends before the next word of the group
  [
    {
      or: [
        { field: 'results.x', op: 'lt', value: 200 },
        { and: [{ not: { field: 'a.b', op: 'in', value: ['fp8', 'awq'] } }, { field: 'a.c', op: 'ge', value: 4 }] },
      ],
    },
    'X < 200 ms or (not (a.b is one of fp8, awq) and a.c ≥ 4)',
  ],
  [
    {
      not: {
        and: [
          { field: 'a.b', op: 'in', value: ['fp8', 'awq'] },
          { field: 'a.c', op: 'ge', value: 4 },
        ],
      },
    },
    'not ((a.b is one of fp8, awq) and a.c ≥ 4)',
  ],
  [
    { or: [{ and: [{ field: 'a.b', op: 'eq', value: 1 }] }, { field: 'a.c', op: 'not_null' }] },
    'a.b is 1 or a.c has a value',
  ],
  [
    { or: [{ and: [{ field: 'a.b', op: 'in', value: ['fp8', 'awq'] }] }, { field: 'a.c', op: 'not_null' }] },
    '(a.b is one of fp8, awq) or a.c has a value',
  ],
  [{ and: [{ or: [] }, { field: 'a.c', op: 'not_null' }] }, 'nothing and a.c has a value'],
  // a value that holds a comma or a word of the sentence is in quotation marks
  [
    { field: 'a.b', op: 'in', value: ['x, y', 'this or that', 'plain text'] },
    'a.b is one of “x, y”, “this or that”, plain text',
  ],
]

it.each(WORDS)('%j', (filter, words) => expect(treeWords(catalogue, filter)).toBe(words))

it('"and", "or" and "not" are apart from the words of conditions', () => {
  const both: Filter = {
    and: [
      { field: 'a.b', op: 'eq', value: 'x and y' },
      { field: 'a.c', op: 'not_null' },
    ],
  }
  const pieces = treePieces(catalogue, { not: both })
  expect(pieces.filter(({ isJoint }) => isJoint).map(({ text }) => text.trim())).toEqual(['not', 'and'])
})

it('a time since then is in the words that people use', () => {
  const field = catalogue.get('run.timestamp')
  expect(choiceWords(field, { range: ['now-30d', null] })).toBe('the last 30 days')
  expect(choiceWords(field, { range: ['now-1d', null] })).toBe('the last day')
  expect(choiceWords(field, { range: ['now-2w', 'now-1w'] })).toBe('2 weeks before now – 1 week before now')
})
