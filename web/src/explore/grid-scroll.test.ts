import { expect, it } from 'vitest'

import { barAt, heightsOf, rowsAt, seenAt } from './grid-scroll'

const ROW = 30

it('of what a browser can show a pixel of the bar is a pixel of the rows', () => {
  const heights = heightsOf(1_000_000, ROW)
  for (const at of [0, 1, 29_999_000]) expect([rowsAt(at, heights), barAt(at, heights)]).toEqual([at, at])
})

it.each([1_000_001, 5_000_000, 200_000_000])(
  'of %d rows each is reached, and the bar goes back to where it was',
  (count) => {
    const heights = heightsOf(count, ROW)
    expect(heights.bar).toBe(30_000_000)
    const view = 600
    expect(rowsAt(0, heights)).toBe(0)
    expect(rowsAt(heights.bar - view, heights)).toBe(count * ROW - view)
    let before = -1
    for (let bar = 0; bar <= heights.bar; bar += 7_777) {
      const rows = rowsAt(bar, heights)
      expect(rows).toBeGreaterThan(before)
      expect(barAt(rows, heights)).toBeCloseTo(bar, 3)
      before = rows
    }
  },
)

it.each<[number, number, number[]]>([
  [0, 1000, [0, 17, 0, 10]],
  [45, 1000, [0, 19, 1, 12]],
  [3000, 1000, [94, 117, 100, 110]],
  [29_700, 1000, [984, 1000, 990, 999]],
  [0, 3, [0, 3, 0, 2]],
  [9_000, 3, [0, 3, 2, 2]],
])('%d px down of %d rows', (top, count, want) => {
  const { from, to, first, last } = seenAt(top, 320, count, ROW)
  expect([from, to, first, last]).toEqual(want)
})
