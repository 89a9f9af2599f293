import { expect, it } from 'vitest'

import type { Preset } from '../api/types'
import { readExplore, writeExplore } from '../url/explore'
import { ALL, bodyOf, copyName, isChanged, stateOf } from './preset-state'

const NAMED = { name: 'x', description: '', is_default: false }
const presetOf = (state: typeof ALL, id = 3) =>
  ({ ...bodyOf(state, NAMED), id, created: '', changed: '' }) as unknown as Preset
const SEARCH =
  '?server.tensor_parallel_size=2,4&results.p99_ttft_ms=..2000&where={"or":[{"field":"a.b","op":"is_null"},{"field":"a.c","op":"lt","value":1}]}&sort=-results.p99_ttft_ms&columns=server.model,run.name&differ=1&pin=1'

it('is kept and comes back whole', () => {
  const state = { ...readExplore(SEARCH), preset: 3 }
  const preset = presetOf(state)
  expect(stateOf(preset)).toEqual(state)
  expect(isChanged(preset, state)).toBe(false)
  expect(readExplore(`?${writeExplore(stateOf(preset))}`)).toEqual(state)
})

it('is changed by what it keeps and by nothing else', () => {
  const state = { ...readExplore(SEARCH), preset: 3 }
  const preset = presetOf(state)
  expect(isChanged(preset, { ...state, page: 4, selected: [1], onlyVarying: false })).toBe(false)
  for (const part of [
    { pinned: 0 },
    { onlyDiffering: false },
    { sort: [] },
    { columns: null },
    { where: undefined },
    { choices: {} },
  ])
    expect(isChanged(preset, { ...state, ...part })).toBe(true)
  expect(isChanged(null, ALL)).toBe(false)
  expect(isChanged(null, { ...ALL, pinned: 1 })).toBe(true)
})

it('a copy has a name that is not taken', () => {
  expect(copyName('x', ['x'])).toBe('Copy of x')
  expect(copyName('x', ['x', 'copy of X', 'Copy of x 2'])).toBe('Copy of x 3')
})
