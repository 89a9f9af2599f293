import { describe, expect, it } from 'vitest'

import type { Field, Filter } from '../api/types'
import { readChoice } from '../url/explore'
import { choiceTree, fieldsWithChoice } from './model'
import { choiceWords } from './words'

const FIELD: Field = {
  id: 'server.b',
  label: 'B',
  help: '',
  group: '',
  unit: '',
  type: 'text',
  direction: 'neither',
  role: 'input',
  aggregation: 'none',
  column: true,
  words: false,
}
const is = (op: string, value?: unknown) => ({ field: 'a.b', op, ...(value === undefined ? {} : { value }) }) as Filter

it('null is not recorded in a field that a user does not set', () => {
  const ofHost: Field = { ...FIELD, id: 'system.b', role: 'host' }
  expect(['null', 'null,?', '!null,?', 'x,null,?'].map((text) => choiceWords(ofHost, readChoice(text)))).toEqual([
    'not recorded',
    'not recorded',
    'recorded',
    'x or not recorded',
  ])
})

// the address, the filter, the words of the chip
const CHOICES: [string, Filter, string][] = [
  ['fp8', is('in', ['fp8']), 'fp8'],
  [
    'fp8,null,?',
    { or: [is('in', ['fp8']), is('is_null'), { not: is('is_recorded') }] },
    'fp8 or unset or not recorded',
  ],
  ['!fp8', is('not_in', ['fp8']), 'not fp8'],
  ['!fp8,null', { and: [is('not_in', ['fp8']), is('not_null')] }, 'neither fp8 nor unset'],
  [
    '!fp8,null,?',
    { and: [is('not_in', ['fp8']), is('not_null'), is('is_recorded')] },
    'neither fp8, unset nor not recorded',
  ],
  ['!fp8,nvfp4', is('not_in', ['fp8', 'nvfp4']), 'neither fp8 nor nvfp4'],
  ['!a,b,c,d', is('not_in', ['a', 'b', 'c', 'd']), 'not 4 values'],
  ['!null', is('not_null'), 'not unset'],
  ['!?', is('is_recorded'), 'recorded'],
  ['!1..2', { and: [{ not: is('between', [1, 2]) }, is('not_null')] }, 'not 1 – 2'],
  ['!~x,y', { and: [is('not_in', ['y']), { not: is('contains', 'x') }, is('not_null')] }, 'neither y nor contains “x”'],
  ['!*,null', { not: is('is_recorded') }, 'neither any value nor unset'],
  ['!*', { not: is('not_null') }, 'not any value'],
]

describe('a choice as a filter and in words', () => {
  it.each(CHOICES)('%s', (text, tree, words) => {
    expect(choiceTree('a.b', readChoice(text))).toEqual(tree)
    expect(choiceWords(FIELD, readChoice(text))).toBe(words)
  })
})

it('offers the fields that have two values or more, or too many to count', () => {
  const options = { none: { distinct: 0 }, one: { distinct: 1 }, two: { distinct: 2 }, many: { distinct: null } }
  expect([...fieldsWithChoice(options)]).toEqual(['two', 'many'])
})
