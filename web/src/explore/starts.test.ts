import { expect, it } from 'vitest'

import { readExplore, writeExplore } from '../url/explore'
import { filterOf, STARTS } from './starts'

it('every view to start from is an address that the page keeps as it is', () => {
  expect(new Set(STARTS.map(({ name }) => name)).size).toBe(STARTS.length)
  for (const { address } of STARTS) {
    const state = readExplore(address)
    expect(readExplore(writeExplore(state))).toEqual(state)
    // the whole address was read
    const names = [...new URLSearchParams(address).keys()].sort()
    expect([...new URLSearchParams(writeExplore(state)).keys()].sort()).toEqual(names)
  }
})

it('a view counts the results that have a place on its axes', () => {
  const fields = STARTS.map((start) => JSON.stringify(filterOf(start)).match(/"field":"[^"]+"/g)?.length)
  expect(fields).toEqual([3, 2, 2, 2, 3])
})
