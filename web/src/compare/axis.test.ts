import { expect, it } from 'vitest'

import { axisOf, logTicks, refusedText, ticksOver } from './axis'

const LOG_TICKS: [number, number, number[]][] = [
  [12, 480, [10, 20, 50, 100, 200, 500]],
  [10, 100, [10, 20, 50, 100]],
  [0.004, 3, [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]],
  [3, 2e6, [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000]],
  [7, 7, [5, 10]],
  [10, 10, [10]],
]

it.each(LOG_TICKS)('round numbers around %d … %d', (low, high, ticks) => expect(logTicks(low, high)).toEqual(ticks))

it('from zero to a round number at or above the largest value', () => {
  expect([ticksOver(80), ticksOver(340), ticksOver(0.011)]).toEqual([
    [0, 20, 40, 60, 80],
    [0, 100, 200, 300, 400],
    [0, 0.0025, 0.005, 0.0075, 0.01, 0.0125],
  ])
  for (const top of [1e-9, 1, 1.01, 1.6, 2, 3, 4.9, 5.1, 7.7, 9.99, 12345, 1e12]) {
    const ticks = ticksOver(top)
    expect([ticks.length >= 4, ticks.length <= 6, (ticks.at(-1) ?? 0) >= top * 0.999999]).toEqual([true, true, true])
  }
})

it('from zero', () => {
  const axis = axisOf([50, -3], [100], false)
  expect([axis.ticks, axis.share(50), axis.share(-3), axis.isLog]).toEqual([[0, 25, 50, 75, 100], 0.5, 0, false])
  expect(axisOf([], [], true)).toMatchObject({ ticks: [0, 0.25, 0.5, 0.75, 1], isLog: false, refused: 0 })
})

it('by the logarithm: each power of ten is as high as the next', () => {
  const axis = axisOf([10, 1000], [-5], true)
  expect([axis.isLog, axis.share(10), axis.share(100), axis.share(1000), axis.share(-5)]).toEqual([
    true,
    0,
    expect.closeTo(0.5),
    1,
    0,
  ])
  expect(axisOf([10], [], true).ticks).toEqual([10, 100])
})

it('no logarithm of what is at or below zero', () => {
  const axis = axisOf([0, -1, 8], [], true)
  expect([axis.isLog, axis.refused]).toEqual([false, 2])
  expect([refusedText(1), refusedText(2)]).toEqual([
    'No logarithmic axis: 1 value is at or below zero.',
    'No logarithmic axis: 2 values are at or below zero.',
  ])
})
