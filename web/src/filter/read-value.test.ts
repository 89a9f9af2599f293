import { expect, it } from 'vitest'

import type { Field } from '../api/types'
import { readValue } from './read-value'

const field = (type: Field['type'], words = false, column = true, unit = ''): Field => ({
  id: 'results.b',
  label: 'B',
  help: '',
  group: '',
  unit,
  type,
  direction: 'neither',
  role: 'output',
  aggregation: 'none',
  column,
  words,
})

it.each<[Field, string, unknown]>([
  [field('number'), ' 1,500 ', 1500],
  [field('number', false, true, 'ms'), '0.5 s', 500],
  [field('number'), '-inf', '-inf'],
  [field('count', true), 'auto', 'auto'],
  [field('yes'), 'Yes', true],
  [field('yes'), 'false', false],
  [field('time'), '2026-11-19', '2026-11-19T00:00:00Z'],
  [field('time'), 'now-30d', 'now-30d'],
  [field('text'), '8', '8'],
  [field('text'), ' padded ', ' padded '],
  [field('text', false, false), '8', 8],
  [field('json'), 'true', true],
  [field('text'), '  ', undefined],
])('%j reads %j', (of, typed, value) => expect(readValue(of, typed)).toEqual({ value }))

it.each<[Field, string]>([
  [field('number'), '150,5'],
  [field('number'), 'auto'],
  [field('count', true), '8x'],
  [field('yes'), 'maybe'],
  [field('time'), '11/19/2026'],
])('%j refuses %j', (of, typed) => expect(readValue(of, typed)).toHaveProperty('fault'))
