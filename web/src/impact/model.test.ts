import { expect, it, test } from 'vitest'

import type { ImpactContrast, ImpactEffect, ImpactRest } from '../api/types'
import { Catalogue } from '../fields/catalogue'
import { NO_IMPACT } from '../url/impact'
import {
  axisOf,
  changeOf,
  changeWords,
  contrastOf,
  effectName,
  intervalWords,
  pairsRequestOf,
  ratioWords,
  reasonWords,
  requestOf,
} from './model'

const catalogue = new Catalogue([])
const input = (field: string, host = false) => ({ field, label: field, unit: '', host })

const contrast = (from: unknown[], to: unknown[]): ImpactContrast => ({
  from: from as ImpactContrast['from'],
  to: to as ImpactContrast['to'],
  ratio: 1.1,
  low: 1.05,
  high: 1.15,
  p: 0.01,
  method: 'signed_rank',
  cell_count: 8,
  pair_count: 9,
  with: [],
  plain: { ratio: 1.3, from_mean: 1, to_mean: 1.3, from_count: 9, to_count: 9 },
})
const effect = (...contrasts: ImpactContrast[]): ImpactEffect => ({
  inputs: [input('a'), input('b')],
  finding: 'better',
  q: 0.01,
  importance: 0.2,
  contrasts,
  more_level_count: 0,
})

test.each([
  [1.1214, '+12.1 %'],
  [0.95, '−5.0 %'],
  [1, '0.0 %'],
  [1.0004, '0.0 %'],
  [0.9996, '0.0 %'],
  [2.4, '×2.4'],
  [0.25, '×0.25'],
  [null, '–'],
])('the ratio %s is %s', (ratio, words) => expect(ratioWords(ratio)).toBe(words))

it('names inputs that vary together, and their values', () => {
  const one = effect(contrast([64, null], [256, 'fp8']))
  expect(effectName(one, catalogue)).toBe('a + b')
  expect(changeWords(one.inputs, contrast([64, 'x'], [256, 'y']), catalogue)).toBe('64 → 256, x → y')
  expect(intervalWords({ low: null, high: null })).toBe('no interval')
})

it('names a contrast in the address unless it is the first', () => {
  const [first, second] = [contrast([1, 'x'], [4, 'y']), contrast([1, 'x'], [2, 'z'])]
  const one = effect(first, second)
  expect(changeOf(one, first)).toBeNull()
  expect(changeOf(one, second)).toEqual([1, 2])
  expect(contrastOf(one, [1, 2])).toBe(second)
  expect(contrastOf(one, null)).toBe(first)
  expect(contrastOf(one, [7, 8])).toBe(first)
})

it('asks for pairs only of an opened effect', () => {
  expect(pairsRequestOf(NO_IMPACT)).toBeNull()
  const state = { ...NO_IMPACT, input: 'a', change: [1, 2] as [number, number], vary: ['c'], withSimulated: true }
  expect(pairsRequestOf(state)).toEqual({ ...requestOf(state), pairs_of: { field: 'a', from: 1, to: 2 } })
  expect(requestOf(state)).toEqual({ metric: NO_IMPACT.metric, effect: 0.05, vary: ['c'], simulated: true })
})

it('says why an effect cannot be identified', () => {
  const rest = (part: Partial<ImpactRest>): ImpactRest => ({
    ...input('a'),
    reason: 'together',
    with: [],
    with_more_count: 0,
    from: null,
    to: null,
    plain: null,
    ...part,
  })
  expect(reasonWords(rest({ with: [input('host', true)] }), catalogue)).toBe(
    'Varies only together with host: a difference between hosts is credited to no input.',
  )
  expect(reasonWords(rest({ with: [input('b')], with_more_count: 2 }), catalogue)).toBe(
    'Varies only together with b, 2 more.',
  )
  expect(reasonWords(rest({ reason: 'no_pairs', with: [input('b')] }), catalogue)).toContain('also differ in b')
})

it('places ratios on a logarithmic axis around no effect, and cuts very wide intervals', () => {
  const axis = axisOf(
    [
      { ratio: 1.12, low: 1.1, high: 1.14, plain: 1.3 },
      { ratio: 0.95, low: 0.001, high: 50, plain: null },
    ],
    9,
  )
  expect(axis.ticks.some(({ ratio, words }) => ratio === 1 && words === '0')).toBe(true)
  expect(axis.ticks.length).toBeLessThanOrEqual(9)
  expect(axis.at(1.3)).toBeGreaterThan(axis.at(1.12))
  expect(axis.at(1.12) - axis.at(1)).toBeCloseTo(axis.at(1) - axis.at(1 / 1.12), 6)
  expect([axis.isCut(0.001), axis.isCut(50), axis.isCut(1.3)]).toEqual([true, true, false])
  expect([axis.at(0.001), axis.at(50)]).toEqual([0, 100])
  const none = axisOf([{ ratio: 1, low: null, high: null, plain: null }], 9)
  expect(none.at(1)).toBeGreaterThan(20)
})
