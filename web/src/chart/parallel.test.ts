import { expect, it } from 'vitest'

import { placesOf, strandsOf } from './parallel'

// Segments between the points, as the drawing connects them.
function segments(at: Float32Array) {
  const all: number[][] = []
  for (let i = 0; i + 3 < at.length; i += 2) {
    const own = [...at.subarray(i, i + 4)]
    if (!own.some(Number.isNaN)) all.push(own)
  }
  return all
}

it('no line crosses the labels of a middle axis; it leaves a column as high as it enters', () => {
  const frame = { xs: [0, 100, 200], bottom: 100, high: 100, gutters: [0, 30, 0] }
  const shares = [
    [0.1, 0.2, NaN],
    [0.5, NaN, 0.9],
    [1, 0.3, 0.4],
  ].map((own) => Float64Array.from(own))
  for (const isDouble of [false, true]) {
    const drawn = segments(strandsOf([0, 1, 2], shares, frame, isDouble))
    for (const [x0 = 0, , x1 = 0] of drawn)
      expect(Math.max(x0, x1) <= 71 || Math.min(x0, x1) >= 99, `${x0} – ${x1}`).toBe(true)
  }
  expect(segments(strandsOf([0], shares, frame, false))).toEqual([
    [0, 90, 70, 50],
    [100, 50, 200, 0],
  ])
  // the third has no value on the first axis, and the second none on the middle one
  expect(segments(strandsOf([2], shares, frame, false)).map((own) => own.map(Math.round))).toEqual([[100, 10, 200, 60]])
  expect(segments(strandsOf([1], shares, frame, false)).map((own) => own.map(Math.round))).toEqual([
    [-4, 80, 4, 80],
    [196, 70, 204, 70],
  ])
})

it('lines have the same room between all axes, whatever the labels of the axes need', () => {
  const { gutters, places } = placesOf([0, 100, 20, 0], 420)
  expect(gutters).toEqual([0, 100, 20, 0])
  expect(places).toEqual([0, 200, 320, 420])
  // too little room: labels get less, in proportion
  const narrow = placesOf([0, 100, 50, 0], 180)
  expect(narrow.gutters).toEqual([0, 40, 20, 0])
  expect(narrow.places.at(-1)).toBe(180)
})
