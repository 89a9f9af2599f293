import { expect, it } from 'vitest'

import { canShift, type Columns, dropped, hidden, pinTurned, recorded, shifted, shown } from './columns-model'

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
  expect([canShift(from('ab|cd'), 'a', -1), canShift(from('ab|cd'), 'b', 1), canShift(from('ab|cd'), 'c', -1), canShift(from('ab|cd'), 'd', 1)]).toEqual([false, false, false, false])
})

it('leaves out the usual columns that no row records, where all rows are here', () => {
  const row = (...ids: string[]) => ({ cells: Object.fromEntries(ids.map((id) => [id, id === 'unset' ? null : 1])) })
  const rows = [row('a', 'unset'), row('a')]
  expect(recorded(['a', 'b', 'unset'], rows, 2, [])).toEqual(['a', 'unset'])
  expect(recorded(['a', 'b', 'unset'], rows, 2, ['b'])).toEqual(['a', 'b', 'unset'])
  expect(recorded(['a', 'b', 'unset'], rows, 3, [])).toEqual(['a', 'b', 'unset'])
  expect(recorded(['a', 'b'], [], 0, [])).toEqual(['a', 'b'])
})
