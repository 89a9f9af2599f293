import { expect, it } from 'vitest'

import type { Field } from '../api/types'
import { readValue } from './read-value'

const field = (type: Field['type'], words = false, column = true): Field => ({ id: 'a.b', label: 'B', help: '', group: '', unit: '', type, direction: 'neither', role: 'input', one: 'none', column, words })

it.each<[Field, string, unknown]>([
  [field('number'), ' 1,500 ', 1500],
  [field('number'), '-inf', '-inf'],
  [field('number'), '150,5', undefined],
  [field('number'), 'auto', undefined],
  [field('count', true), 'auto', 'auto'],
  [field('count', true), '8x', undefined],
  [field('yes'), 'Yes', true],
  [field('yes'), 'false', false],
  [field('yes'), 'maybe', undefined],
  [field('time'), '2026-11-19', '2026-11-19T00:00:00Z'],
  [field('time'), 'now-30d', 'now-30d'],
  [field('text'), '8', '8'],
  [field('text'), ' padded ', ' padded '],
  [field('text', false, false), '8', 8],
  [field('json'), 'true', true],
  [field('text'), '  ', undefined],
])('%j %j', (of, typed, value) => expect(readValue(of, typed)).toBe(value))
