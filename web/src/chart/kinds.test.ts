import { expect, it } from 'vitest'

import type { Field, Kind } from '../api/types'
import { kindsInWords, legendOf, OTHER, slotsOf } from './kinds'

const field = (part: Partial<Field> = {}): Field => ({
  id: 'server.model',
  label: 'Model',
  help: '',
  group: '',
  unit: '',
  type: 'text',
  direction: 'neither',
  role: 'input',
  aggregation: 'none',
  column: true,
  words: false,
  ...part,
})
const value = (of: unknown, rank?: number, count = 1): Kind => ({
  state: 'value',
  value: of,
  count,
  ...(rank !== undefined && { rank }),
})

it('a value has the color of its rank, whatever else is drawn', () => {
  expect(slotsOf([value('a', 3), value('b', 0), value('c', 7)])).toEqual([3, 0, 7])
  expect(slotsOf([value('c', 7)])).toEqual([7])
})

it('of values that would share a color, the later one takes the next free one', () => {
  expect(slotsOf([value('a', 20), value('b', 1), value('c', 9)])).toEqual([4, 1, 2])
})

it('values that are uploaded later change no color, however many results have them', () => {
  const before = [value('a', 2, 5), value('b', 9, 3), value('c', 1, 1)]
  const colors = slotsOf(before)
  expect(slotsOf([...before, value('d', 10, 900), value('e', 17, 70)]).slice(0, 3)).toEqual(colors)
  expect(slotsOf(before.map((kind) => ({ ...kind, count: 100 - kind.count })))).toEqual(colors)
})

it('beyond eight the most frequent seven have a color; the rest is grey', () => {
  const kinds = Array.from({ length: 10 }, (_, rank) => value(`v${rank}`, rank, 100 - rank))
  const slots = slotsOf(kinds)
  expect(slots.slice(0, 7)).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(slots.slice(7)).toEqual([OTHER, OTHER, OTHER])
  expect(new Set(slots.filter((slot) => slot !== OTHER)).size).toBe(7)
  expect(legendOf(field(), kinds).at(-1)).toEqual({
    slot: OTHER,
    words: 'other',
    count: 93 + 92 + 91,
    kinds: [7, 8, 9],
  })
})

it('a missing value is gray and has a word', () => {
  const kinds: Kind[] = [value('a', 0), { state: 'null', count: 2 }, { state: 'missing', count: 3 }]
  expect(slotsOf(kinds)).toEqual([0, OTHER, OTHER])
  expect(kindsInWords(field(), kinds)).toEqual(['a', 'unset', 'not recorded'])
})

it('null of a field that no user sets has words of its own next to missing values, and one entry with them', () => {
  const gpu = field({ id: 'system.hardware_info.gpu_name', role: 'provenance' })
  const nothing: Kind = { state: 'null', count: 2 }
  const missing: Kind = { state: 'missing', count: 3 }
  expect(kindsInWords(gpu, [value('H100', 0), nothing, missing])).toEqual(['H100', 'recorded as null', 'not recorded'])
  expect(kindsInWords(gpu, [value('H100', 0), nothing])).toEqual(['H100', 'not recorded'])
  expect(legendOf(gpu, [value('H100', 0), nothing, missing]).at(-1)?.words).toBe('not recorded')
})

it('ranges have colours in their order and words with one unit', () => {
  const kinds: Kind[] = [
    { state: 'range', low: 0, high: 0.5, count: 1 },
    { state: 'range', low: 0.5, high: 1, count: 9 },
  ]
  expect(slotsOf(kinds)).toEqual([0, 1])
  expect(kindsInWords(field({ type: 'number', unit: 'share', role: 'output' }), kinds)).toEqual(['0 – 50', '50 – 100'])
})

it('names with the same short form appear in full', () => {
  expect(kindsInWords(field(), [value('a/Llama'), value('b/Llama'), value('b/Qwen')])).toEqual([
    'a/Llama',
    'b/Llama',
    'Qwen',
  ])
})
