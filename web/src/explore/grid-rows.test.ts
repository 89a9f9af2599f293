import { expect, it } from 'vitest'

import { pagesOf } from './grid-rows'

it.each<[number, number, number, number[]]>([
  [0, 30, 150, []],
  [0, 199, 100_000, []],
  [0, 205, 100_000, [1]],
  [1, 101, 100_000, [1]],
  [0, 30, 100_000, []],
  [80, 110, 100_000, [1]],
  [190, 220, 100_000, [1]],
  [250, 310, 100_000, [1, 2]],
  [99_970, 99_999, 100_000, [499]],
  [210, 229, 230, [1]],
])('rows %d to %d of %d', (first, last, count, pages) => expect(pagesOf(first, last, 200, count)).toEqual(pages))
