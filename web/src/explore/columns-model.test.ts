import { expect, it } from 'vitest'

import { canShift, type Columns, dropped, hidden, pinTurned, shifted, shown, usualColumns } from './columns-model'

const from = (text: string): Columns => {
  const [pins = '', rest = ''] = text.split('|')
  return { ids: [...pins, ...rest], pinned: pins.length }
}
const short = ({ ids, pinned }: Columns) => `${ids.slice(0, pinned).join('')}|${ids.slice(pinned).join('')}`

it.each<[string, (columns: Columns) => Columns, string]>([
  ['ab|cd', (columns) => pinTurned(columns, 'd'), 'abd|c'],
  ['ab|cd', (columns) => pinTurned(columns, 'a'), 'b|acd'],
  ['|cd', (columns) => pinTurned(columns, 'd'), 'd|c'],
  ['ab|cd', (columns) => hidden(columns, 'a'), 'b|cd'],
  ['ab|cd', (columns) => hidden(columns, 'd'), 'ab|c'],
  ['ab|cd', (columns) => hidden(columns, 'x'), 'ab|cd'],
  ['ab|cd', (columns) => shown(columns, 'e'), 'ab|cde'],
  ['ab|cd', (columns) => shifted(columns, 'b', -1), 'ba|cd'],
  ['ab|cd', (columns) => shifted(columns, 'b', 1), 'ab|cd'],
  ['ab|cd', (columns) => shifted(columns, 'c', -1), 'ab|cd'],
  ['ab|cd', (columns) => shifted(columns, 'c', 1), 'ab|dc'],
  ['ab|cde', (columns) => dropped(columns, new Set(['e']), 'c', false), 'ab|ecd'],
  ['ab|cde', (columns) => dropped(columns, new Set(['c', 'd']), 'e', true), 'ab|ecd'],
  ['ab|cde', (columns) => dropped(columns, new Set(['a']), 'e', true), 'ab|cde'],
  ['ab|cde', (columns) => dropped(columns, new Set(['c']), 'c', true), 'ab|cde'],
])('%s', (before, edit, after) => expect(short(edit(from(before)))).toBe(after))

it('the ends of a block are ends', () => {
  expect([
    canShift(from('ab|cd'), 'a', -1),
    canShift(from('ab|cd'), 'b', 1),
    canShift(from('ab|cd'), 'c', -1),
    canShift(from('ab|cd'), 'd', 1),
  ]).toEqual([false, false, false, false])
})

const USUAL = ['quality.verdict', 'model', 'load', 'm.out', 'm.ttft', 'rate']
const usual = (
  cells: Record<string, unknown>[],
  more: { count?: number; sorted?: string[]; leading?: string[]; varying?: string[] } = {},
) =>
  usualColumns({
    columns: USUAL,
    rows: cells.map((one, id) => ({ id, run_id: null, simulated: false, verdict: null, cells: one })),
    count: more.count ?? cells.length,
    sorted: more.sorted ?? [],
    leading: more.leading ?? [],
    varying: more.varying && new Set(more.varying),
    parameters: ['rate', 'seqs', 'a', 'b', 'c'],
    isMetric: (id) => id.startsWith('m.'),
  })

it('the parameters that vary come before the metrics, and columns without any value come last', () => {
  const swept = [1, 2, 3].map((rate) => ({
    'quality.verdict': null,
    model: 'one',
    load: null,
    'm.out': rate,
    'm.ttft': rate,
    rate,
    seqs: 8,
  }))
  expect(usual(swept)).toEqual(['model', 'rate', 'm.out', 'm.ttft', 'quality.verdict', 'load'])
  expect(usual(swept.map((one, at) => ({ ...one, seqs: at })))).toEqual([
    'model',
    'rate',
    'seqs',
    'm.out',
    'm.ttft',
    'quality.verdict',
    'load',
  ])
  expect(usual(swept, { sorted: ['load'] })).toEqual(['model', 'load', 'rate', 'm.out', 'm.ttft', 'quality.verdict'])
  // the verdict column shows which run failed
  expect(usual([{ ...swept[0], 'run.status': 'launch_failed' }, { ...swept[1] }])).toEqual([
    'quality.verdict',
    'model',
    'rate',
    'm.out',
    'm.ttft',
    'load',
  ])
  // no more than there is room for
  expect(
    usual([1, 2].map((at) => ({ model: at, load: at, 'm.out': at, rate: at, seqs: at, a: at, b: at, c: at }))),
  ).toEqual(['model', 'load', 'rate', 'seqs', 'm.out'])
})

it('a metric that leads comes before the other metrics, and no parameter moves', () => {
  const rows = [1, 2].map((rate) => ({ model: rate, load: 1, 'm.out': rate, 'm.ttft': rate, rate }))
  expect(usual(rows, { sorted: ['m.ttft'], leading: ['m.ttft', 'load'] })).toEqual([
    'model',
    'load',
    'rate',
    'm.ttft',
    'm.out',
  ])
  expect(usual(rows, { sorted: ['m.ttft'] })).toEqual(['model', 'load', 'rate', 'm.out', 'm.ttft'])
})

it('of rows that are not all loaded the server knows what varies', () => {
  const rows = [{ model: 'one', load: null, 'm.out': 1, 'm.ttft': 1, rate: 1 }]
  expect(usual(rows, { count: 2 })).toEqual(['model', 'm.out', 'm.ttft', 'rate', 'quality.verdict', 'load'])
  expect(usual(rows, { count: 2, varying: ['rate', 'load'] })).toEqual([
    'model',
    'load',
    'rate',
    'm.out',
    'm.ttft',
    'quality.verdict',
  ])
})

it('leaves out the usual columns that no row records, where all rows are here', () => {
  expect(usual([{ model: 1, rate: null }])).toEqual(['model', 'rate'])
  expect(usual([{ model: 1 }], { sorted: ['m.out'] })).toEqual(['model', 'm.out'])
  expect(usual([])).toEqual(USUAL)
})
