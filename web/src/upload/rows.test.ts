import { expect, it } from 'vitest'

import type { Upload, UploadItem } from '../api/types'
import { countOf, placesOf, rowsOf, sectionsOf, sumOf } from './rows'
import type { Entry, EntryState } from './sender'

const NONE = { queued: 0, parsed: 0, valid: 0, stored: 0, duplicate: 0, conflict: 0, rejected: 0, cancelled: 0 }
const entry = (name: string, state: EntryState, artifact = false) => ({ name, state, artifact: artifact ? { kind: 'series', stem: '' } : null }) as Entry
const job = (counts: Partial<Upload['counts']>, part: Partial<Upload> = {}) => ({ state: 'running', counts: { ...NONE, ...counts }, expected: null, received: { files: 0, bytes: 0 }, ...part }) as Upload
const words = (sections: ReturnType<typeof sectionsOf>, only: Parameters<typeof rowsOf>[1] = 'all') => {
  const { count, at } = rowsOf(sections, only)
  return Array.from({ length: count }, (_, i) => at(i)).map((row) => (row?.of === 'page' ? row.entry.name : `${row?.state} ${row?.offset}`))
}

it('what needs somebody comes first', () => {
  const sections = sectionsOf({ ...NONE, stored: 2, conflict: 1, rejected: 1, queued: 1, valid: 1 }, [entry('a', 'waiting'), entry('b', 'passed'), entry('c', 'failed'), entry('d', 'sending')])
  expect(words(sections)).toEqual(['c', 'rejected 0', 'conflict 0', 'd', 'a', 'queued 0', 'queued 1', 'stored 0', 'stored 1', 'b'])
  expect(words(sections, 'conflict')).toEqual(['conflict 0'])
  expect(words(sections, 'unsent')).toEqual(['c'])
  expect(countOf(sections, 'duplicate')).toBe(0)
  expect(rowsOf(sections, 'all').at(10)).toBe(undefined)
})

it('an item is drawn once, where it was told last', () => {
  const told = (index: number, told: number) => ({ item: { index } as UploadItem, told })
  expect([...placesOf([told(0, 5), told(2, 5), undefined, told(0, 7), told(3, 7), told(2, 4)])].toSorted()).toEqual([1, 3, 4])
  expect([...placesOf([told(0, 7), told(0, 7)])]).toEqual([0])
  expect(placesOf([undefined]).size).toBe(0)
})

it('says how many there are in all, and how many are done', () => {
  expect(sumOf(job({ stored: 3, queued: 2 }), [entry('a', 'waiting'), entry('b', 'passed'), entry('r', 'waiting', true)], true)).toEqual({ files: 6, done: 3, missing: 0 })
  expect(sumOf(undefined, [entry('a', 'waiting')], true)).toEqual({ files: 1, done: 0, missing: 0 })
})

it('what was to come and does not come from here is missing', () => {
  const open = job({ stored: 180 }, { state: 'open', expected: { files: 300, bytes: 1 }, received: { files: 180, bytes: 1 } })
  expect(sumOf(open, [], false)).toEqual({ files: 300, done: 180, missing: 120 })
  expect(sumOf(open, [entry('a', 'waiting')], true).missing).toBe(0)
  expect(sumOf({ ...open, state: 'done' }, [], false).missing).toBe(0)
  // what is chosen again to go on with is there in part
  const again = Array.from({ length: 300 }, () => entry('a', 'waiting'))
  expect(sumOf(open, again, true, true)).toEqual({ files: 300, done: 180, missing: 0 })
})
