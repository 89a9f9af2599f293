import { expect, test } from 'vitest'

import { placesOfNames } from './frontier-names'

const BOX = { left: 60, right: 600, top: 10, bottom: 240 }

test('a name is at the end of its line, and none covers another', () => {
  const names = placesOfNames([{ words: 'llama', x: 100, y: 60 }, { words: 'qwen', x: 104, y: 62 }, { words: 'a-very-long-name-of-a-model', x: 590, y: 12 }], BOX, 12)
  expect(names.map(({ words, at, isLeft }) => [words, at, isLeft])).toEqual([['a-very-long…', 2, true], ['llama', 0, false], ['qwen', 1, false]])
  const [, one, two] = names
  expect((two?.y ?? 0) - (one?.y ?? 0)).toBeGreaterThanOrEqual(14)
})

test('names without room are left out', () => {
  const names = placesOfNames(Array.from({ length: 40 }, (_, at) => ({ words: `model-${at}`, x: 100, y: 120 })), BOX, 24)
  expect(names.length).toBeGreaterThan(4)
  expect(names.length).toBeLessThan(36)
})

test('a name covers no mark where there is room without', () => {
  const marks = [[100, 120], [130, 108], [150, 116]] as const
  const [name] = placesOfNames([{ words: 'llama-3', x: 100, y: 120 }], BOX, 24, { marks })
  expect(name?.isLeft === false && Math.abs((name?.y ?? 0) - 120) < 7).toBe(false)
  const top = name?.y ?? 0
  const [from, to] = name?.isLeft ? [50, 100] : [100, 150]
  expect(marks.slice(1).filter(([x, y]) => x > from && x < to && Math.abs(y - top) < 10)).toEqual([])
})

test('a name crosses no line where there is room without', () => {
  const lines = [[[100, 120], [100, 106], [400, 106]]] as const
  const [name] = placesOfNames([{ words: 'llama-3', x: 100, y: 120 }], BOX, 24, { lines })
  expect(name?.isLeft || Math.abs((name?.y ?? 0) - 106) >= 7).toBe(true)
})

test('a name is aside of its point where lines are on both sides', () => {
  const lines = [70, 130].map((x) => [[x, BOX.top], [x, BOX.bottom]] as const)
  const [name] = placesOfNames([{ words: 'llama-3', x: 100, y: 120 }], BOX, 24, { lines })
  expect([name?.x, name?.isLeft]).toEqual([170, false])
})
