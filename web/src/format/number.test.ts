import { expect, it } from 'vitest'

import type { Field } from '../api/types'
import { formFor, readNumber, showNumber } from './number'
import { showValue } from './value'

const field = (unit: string, part: Partial<Field> = {}): Field => ({
  id: 'results.x', label: 'X', help: '', group: '', unit, type: 'number', direction: 'lower', role: 'output', one: 'none', column: true, words: false, ...part,
})

// unit of the field, values of the column, what stands there
const COLUMNS: [string, number[], string, string[]][] = [
  ['ms', [353.21, 225.6, 1177.04], 'ms', ['353.2', '225.6', '1,177.0']],
  ['ms', [9999, 1177], 'ms', ['9,999', '1,177']],
  ['ms', [16750, 9000, 73450.5], 's', ['16.75', '9.00', '73.45']],
  ['share', [0.9941, 0.5], '%', ['99.41', '50.00']],
  ['J/tok', [0.4512, 0.4581], 'J/tok', ['0.451', '0.458']],
  ['tok/s', [1957, 1924.4], 'tok/s', ['1,957', '1,924']],
  ['B', [80e9, 40e9], 'GB', ['80', '40']],
  ['', [1, 20, 300], '', ['1', '20', '300']],
  ['ms', [-3.5, 2], 'ms', ['−3.500', '2.000']],
]

it.each(COLUMNS)('%s %j', (unit, values, shownUnit, texts) => {
  const form = formFor(field(unit), values)
  expect(form.unit).toBe(shownUnit)
  expect(values.map((value) => showNumber(value, form))).toEqual(texts)
})

it('shows parameters as they were written', () => {
  const parameter = field('tok', { id: 'server.max_model_len', role: 'input', type: 'count' })
  const form = formFor(parameter, [8192, 131072])
  expect([8192, 0.92, 'inf', 'auto', false].map((value) => showValue(parameter, value, form))).toEqual(['8192', '0.92', 'inf', 'auto', 'false'])
})

it.each<[string, number | null]>([
  ['', null], ['  ', null], ['150', 150], [' 150.5 ', 150.5], ['.5', 0.5], ['1e3', 1000], ['-7', -7], ['−7', -7],
  ['1,505', 1505], ['-1,234,567.25', -1234567.25], ['inf', Infinity], ['-inf', -Infinity],
  ['150,5', NaN], ['1,50', NaN], ['1,5055', NaN], ['1505,000', NaN], ['1,000.5,5', NaN], [',5', NaN], ['1,,000', NaN], ['1.500,25', NaN], ['1,', NaN], ['0x10', NaN], ['ten', NaN], ['Infinity', NaN],
])('%j is read as %d', (text, number) => expect(readNumber(text)).toBe(number))
