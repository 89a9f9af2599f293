import { expect, test } from 'vitest'

import { placesOfNames } from './name-places'

const BOX = { left: 60, right: 600, top: 10, bottom: 240 }

test('a name is at the end of its line, and none covers another', () => {
  const names = placesOfNames(
    [
      { words: 'llama', x: 100, y: 60 },
      { words: 'qwen', x: 104, y: 62 },
      { words: 'a-very-long-name-of-a-model', x: 590, y: 12 },
    ],
    BOX,
    12,
  )
  expect(names.map(({ words, at, isLeft }) => [words, at, isLeft])).toEqual([
    ['a-very-long…', 2, true],
    ['llama', 0, false],
    ['qwen', 1, false],
  ])
  const [, one, two] = names
  expect((two?.y ?? 0) - (one?.y ?? 0)).toBeGreaterThanOrEqual(14)
})

test('names without room are left out', () => {
  const names = placesOfNames(
    Array.from({ length: 40 }, (_, at) => ({ words: `model-${at}`, x: 100, y: 120 })),
    BOX,
    24,
  )
  expect(names.length).toBeGreaterThan(4)
  expect(names.length).toBeLessThan(36)
})

const boxOf = ({ words, x, y, isLeft }: { words: string; x: number; y: number; isLeft: boolean }) => {
  const wide = words.length * 6.2 + 23
  return { from: isLeft ? x - wide : x, to: isLeft ? x : x + wide, top: y - 7, bottom: y + 7 }
}

test('no name is over a mark, its own one included, or over the edge of the plot', () => {
  // marks close to each other, as of a chart on a phone
  const box = { left: 40, right: 360, top: 10, bottom: 220 }
  const marks = Array.from({ length: 60 }, (_, i) => [46 + ((i * 83) % 310), 16 + ((i * 47) % 200)] as const)
  const ends = marks.slice(0, 12).map(([x, y], at) => ({ words: `model-${at}-of-a-maker`, x, y }))
  const names = placesOfNames(ends, box, 12, { marks })
  for (const name of names) {
    const { from, to, top, bottom } = boxOf(name)
    expect(marks.filter(([x, y]) => x > from - 5 && x < to + 5 && y > top - 5 && y < bottom + 5)).toEqual([])
    expect([from >= box.left, to <= box.right, top >= box.top, bottom <= box.bottom]).toEqual([true, true, true, true])
  }
  expect(names.length).toBeLessThan(12)
  // no free place at all: no name
  const all = Array.from({ length: 32 * 21 }, (_, i) => [40 + (i % 32) * 10, 10 + Math.floor(i / 32) * 10] as const)
  expect(placesOfNames(ends, box, 12, { marks: all })).toEqual([])
})

test('a name next to a few marks is kept', () => {
  const marks = [
    [100, 120],
    [130, 108],
    [150, 116],
  ] as const
  expect(placesOfNames([{ words: 'llama-3', x: 100, y: 120 }], BOX, 24, { marks })).toHaveLength(1)
})

test('a name crosses no line where there is room without', () => {
  const lines = [
    [
      [100, 120],
      [100, 106],
      [400, 106],
    ],
  ] as const
  const [name] = placesOfNames([{ words: 'llama-3', x: 100, y: 120 }], BOX, 24, { lines })
  expect(name?.isLeft || Math.abs((name?.y ?? 0) - 106) >= 7).toBe(true)
})

test('a name is aside of its point where lines are on both sides', () => {
  const lines = [70, 130].map(
    (x) =>
      [
        [x, BOX.top],
        [x, BOX.bottom],
      ] as const,
  )
  const [name] = placesOfNames([{ words: 'llama-3', x: 100, y: 120 }], BOX, 24, { lines })
  expect([name?.x, name?.isLeft]).toEqual([180, false])
})
