import { expect, it } from 'vitest'

import type { Row } from '../api/types'
import { keysOf, pagesOf } from './grid-rows'

it.each<[number, number, number, number[]]>([
  [0, 30, 150, []],
  [0, 30, 100_000, []],
  [80, 110, 100_000, [1]],
  [190, 220, 100_000, [1]],
  [250, 310, 100_000, [1, 2]],
  [99_970, 99_999, 100_000, [499]],
  [210, 229, 230, [1]],
])('rows %d to %d of %d', (first, last, count, pages) => expect(pagesOf(first, last, 200, count)).toEqual(pages))

it('a row that two pages have is drawn twice', () => {
  const row = (id: number) => ({ id }) as Row
  expect(keysOf([row(1), row(2), undefined, row(2), row(3)], 7)).toEqual(['1', '2', 'bone 9', 'again 10', '3'])
})
