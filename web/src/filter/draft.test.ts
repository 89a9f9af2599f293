import { describe, expect, it } from 'vitest'

import type { Filter } from '../api/types'
import { readChoice } from '../url/explore'
import {
  added,
  canMove,
  changed,
  compile,
  draftOf,
  type Group,
  isGroup,
  moved,
  newTest,
  nodeAt,
  type Node,
  removed,
  unwrapped,
  wrapped,
} from './draft'
import { type Choices, choiceTree, treeOf } from './model'
import { split } from './split'

const is = (field: string, op = 'eq', value: unknown = 1) =>
  ({ field, op, ...(value === null ? {} : { value }) }) as Filter
// A draft in short: "and(a or(b not c))"
const short = (node: Node): string =>
  `${node.isNot ? 'not ' : ''}${isGroup(node) ? `${node.op}(${node.children.map(short).join(' ')})` : node.field || '?'}`
const idOf = (root: Group, field: string): string => {
  const find = (node: Node): string | undefined =>
    isGroup(node) ? node.children.map(find).find(Boolean) : node.field === field ? node.id : undefined
  return find(root) as string
}
const TREE: Filter = { and: [is('a'), { or: [is('b'), { not: is('c') }] }] }

describe('a tree is taken apart and put together', () => {
  it('as it was', () => {
    expect(short(draftOf(TREE))).toBe('and(a or(b not c))')
    expect(compile(draftOf(TREE)).filter).toEqual(TREE)
  })

  it('with a single group as its root', () => {
    expect(short(draftOf({ and: [{ or: [is('a'), is('b')] }] }))).toBe('or(a b)')
    expect(short(draftOf({ and: [{ not: { or: [is('a'), is('b')] } }] }))).toBe('and(not or(a b))')
    expect(short(draftOf(is('a')))).toBe('and(a)')
    expect(short(draftOf(undefined))).toBe('and()')
  })

  it('without what is unfinished', () => {
    const root = draftOf(TREE)
    const more = added(added(root, root.id, newTest()), root.id, { ...newTest(), field: 'd', op: 'in', value: [] })
    expect(compile(more).filter).toEqual(TREE)
    expect(compile(removed(removed(root, idOf(root, 'b')), idOf(root, 'c'))).filter).toEqual({ and: [is('a')] })
    expect(compile(draftOf({ and: [] })).filter).toBeUndefined()
  })
})

describe('an edit', () => {
  const root = draftOf(TREE)
  const group = (root.children[1] as Group).id

  it('wraps, unwraps and negates', () => {
    expect(short(wrapped(root, idOf(root, 'a')))).toBe('and(or(a) or(b not c))')
    expect(short(wrapped(root, idOf(root, 'b')))).toBe('and(a or(and(b) not c))')
    expect(short(unwrapped(root, group))).toBe('and(a b not c)')
    expect(short(changed(root, group, { isNot: true }))).toBe('and(a not or(b not c))')
    expect(compile(changed(root, idOf(root, 'c'), { isNot: false })).filter).toEqual({
      and: [is('a'), { or: [is('b'), is('c')] }],
    })
  })

  // node, up or down, result
  it.each([
    ['a', 1, 'and(or(a b not c))'],
    ['b', -1, 'and(a b or(not c))'],
    ['b', 1, 'and(a or(not c b))'],
    ['c', -1, 'and(a or(not c b))'],
    ['c', 1, 'and(a or(b) not c)'],
  ] as const)('moves %s by %d', (field, by, then) => expect(short(moved(root, idOf(root, field), by))).toBe(then))

  it('stays where there is no way', () => {
    expect(canMove(root, idOf(root, 'a'), -1)).toBe(false)
    expect(canMove(root, group, 1)).toBe(false)
    expect(canMove(root, root.id, 1)).toBe(false)
  })
})

it('an error is at its node, although choices come first and incomplete conditions are left out', () => {
  const tree: Filter = { and: [{ or: [is('b', 'lt'), { not: is('c', 'gt') }] }, is('d', 'starts_with', 'x'), is('a')] }
  const root = added(draftOf(tree), 'none', newTest())
  const withGap = { ...root, children: [newTest(), ...root.children] }
  // asked: a (a choice), the group, d
  expect(treeOf(split(tree).choices, split(tree).where)).toEqual({
    and: [is('a', 'in', [1]), { or: [is('b', 'lt'), { not: is('c', 'gt') }] }, is('d', 'starts_with', 'x')],
  })
  expect(nodeAt(withGap, '/filter/and/0/value/0')).toBe(idOf(root, 'a'))
  expect(nodeAt(withGap, '/filter/and/1/or/1/not/field')).toBe(idOf(root, 'c'))
  expect(nodeAt(withGap, '/filter/and/1/or')).toBe(root.children[0]?.id)
  expect(nodeAt(withGap, '/filter/and/2/value')).toBe(idOf(root, 'd'))
  expect(nodeAt(withGap, '/sort/0/field')).toBeNull()
})

const TEXTS = [
  'fp8',
  '1,2',
  '!fp8',
  '!fp8,null',
  '!fp8,null,?',
  'fp8,null,?',
  'null',
  '?',
  '*',
  '!?',
  '!*',
  '!*,null',
  '1..2',
  '1..',
  '..2',
  '!1..2',
  '!1..',
  '~x',
  '~x,y',
  '!~x,y',
  '!~x',
  'now-30d..',
  '5,1..2,~x,*,null,?',
  '!5,1..2,~x,?',
]

describe('a choice is found again in a tree', () => {
  it.each(TEXTS)('%s', (text) => {
    const tree = choiceTree('a.b', readChoice(text))
    const { choices, where } = split({ and: [tree] })
    expect(where).toBeUndefined()
    expect(treeOf(choices)).toEqual({ and: [tree] })
  })

  it('and all of them next to each other, with a condition', () => {
    const choices: Choices = Object.fromEntries(
      TEXTS.map((text, i) => [`a.${String.fromCharCode(97 + i)}`, readChoice(text)]),
    )
    const where: Filter = { or: [is('x'), is('y')] }
    const tree = treeOf(choices, where)
    const again = split(tree)
    expect(treeOf(again.choices, again.where)).toEqual(tree)
    expect(again.where).toEqual(where)
  })

  it('but not in what only looks like one', () => {
    for (const odd of [
      { or: [is('a'), is('b')] },
      is('a', 'lt'),
      { not: is('a') },
      { or: [is('a', 'in', [1]), is('a', 'in', [2])] },
      { and: [] },
      { or: [] },
      is('a', 'in', []),
      is('a', 'eq', [1]),
    ] as Filter[]) {
      const { choices, where } = split({ and: [odd] })
      expect(choices).toEqual({})
      expect(where ?? { and: [] }).toEqual(odd)
    }
  })

  it('the second one of a field stays a condition', () => {
    const { choices, where } = split({ and: [is('a', 'ge'), is('a', 'le', 5)] })
    expect(choices).toEqual({ a: { range: [1, null] } })
    expect(where).toEqual(is('a', 'le', 5))
  })
})
