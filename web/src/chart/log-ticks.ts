// A logarithmic axis: round ends around all values, and round ticks, as many as have room.

import type { Ticks } from '../format/ticks'

const PER_DECADE = [[1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8], [1, 1.5, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]]
const COARSEST_ENDS = 2 // of the sets: a whole decade more would leave much of the axis empty
const FEWEST = 3 // fewer ticks do not show the scale
const EVEN_BELOW = 3 // of the greatest to the least value: the axis hardly bends there
const NARROWEST = 1.001 // of the greatest to the least value: nearer values are one
const EXACT = 1 + 1e-9

const round = (value: number) => Number(value.toPrecision(6))

// All of a set from a decade below to a decade above.
const around = (low: number, high: number, set: number[]) => {
  const [first, last] = [Math.floor(Math.log10(low)) - 1, Math.ceil(Math.log10(high)) + 1]
  return Array.from({ length: last - first + 1 }, (_, i) => set.map((times) => round(times * 10 ** (first + i)))).flat()
}

// Steps of one width, for values within a part of a decade.
function evenly(low: number, high: number, most: number): Ticks {
  const rough = (high - low) / Math.max(1, most - 1)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5].find((times) => times * power >= rough) ?? 10)
  const [begin, end] = [Math.max(1, Math.floor(low / step)), Math.ceil(high / step - 1e-9)]
  const ticks = Array.from({ length: end - begin + 1 }, (_, i) => round((begin + i) * step))
  return { min: ticks[0] as number, max: ticks.at(-1) as number, ticks }
}

// Both ends are above zero.
export function logAxis(least: number, greatest: number, most: number): Ticks {
  const [low, high] = greatest > least * NARROWEST ? [least, greatest] : [least / 2, greatest * 2]
  for (const [at, set] of PER_DECADE.entries()) {
    const ends = around(low, high, PER_DECADE[Math.min(at, COARSEST_ENDS)] as number[])
    const min = ends.findLast((tick) => tick <= low * EXACT) as number
    const max = ends.find((tick) => tick * EXACT >= high) as number
    const ticks = around(low, high, set).filter((tick) => tick >= min && tick <= max)
    if (ticks.length <= most)
      return ticks.length < FEWEST && high < low * EVEN_BELOW ? evenly(low, high, most) : { min, max, ticks }
    if (set.length > 1) continue
    const every = Math.ceil(ticks.length / most)
    return { min, max, ticks: ticks.filter((tick) => Math.round(Math.log10(tick)) % every === 0) }
  }
  return evenly(low, high, most)
}
