// The position of values on a vertical axis: linear from zero, or logarithmic if all values are above zero.
export interface Axis {
  ticks: number[]
  refused: number // values at or below zero, for which there is no logarithm
  isLog: boolean
  share: (value: number) => number // of the height; 0 is below
}

const STEPS = [1, 2, 5, 10]
const FEW_DECADES = 3

// Round numbers from the one at or below `low` to the one at or above `high`: 1, 2, 5 of each power of ten, or of many
// powers those alone.
export function logTicks(low: number, high: number): number[] {
  const steps = Math.log10(high / low) <= FEW_DECADES ? STEPS.slice(0, 3) : [1]
  const all: number[] = []
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
    for (const step of steps) all.push(Number((step * 10 ** power).toPrecision(12)))
  const from = all.findLastIndex((tick) => tick <= low)
  const to = all.findIndex((tick) => tick >= high)
  return all.slice(Math.max(0, from), to < 0 ? undefined : to + 1)
}

// Four to six round numbers from 0 to the one at or above `top`, with the least room above it.
export function ticksOver(top: number): number[] {
  const power = 10 ** Math.floor(Math.log10(top))
  const axes = [0.2, 0.25, 0.5, 1, 2, 2.5]
    .map((step) => ({ step: step * power, pieces: Math.ceil(top / (step * power) - 1e-9) }))
    .filter(({ pieces }) => pieces >= 3 && pieces <= 5)
  const { step, pieces } = axes.sort((a, b) => a.step * a.pieces - b.step * b.pieces || a.pieces - b.pieces)[0] ?? {
    step: top / 4,
    pieces: 4,
  }
  return Array.from({ length: pieces + 1 }, (_, i) => Number((i * step).toPrecision(12)))
}

// `ends` are those of intervals: they have room, but what of them is at or below zero ends at the edge of a logarithmic
// axis.
export function axisOf(values: number[], ends: number[], asksLog: boolean): Axis {
  const refused = values.filter((value) => value <= 0).length
  const isLog = asksLog && refused === 0 && values.length > 0
  const all = [...values, ...ends]
  if (!isLog) {
    const top = Math.max(0, ...all) || 1
    const ticks = ticksOver(top)
    const last = ticks.at(-1) ?? 1
    return { ticks, refused, isLog, share: (value) => Math.max(0, value) / last }
  }
  const above = all.filter((value) => value > 0)
  const found = logTicks(Math.min(...above), Math.max(...above))
  // an axis has at least two ticks
  const ticks = found.length > 1 ? found : [...found, (found[0] ?? 1) * 10]
  const [low, high] = [ticks[0] ?? 1, ticks.at(-1) ?? 10]
  return { ticks, refused, isLog, share: (value) => (value <= low ? 0 : Math.log(value / low) / Math.log(high / low)) }
}

export const refusedText = (refused: number) =>
  `No logarithmic axis: ${refused} ${refused === 1 ? 'value is' : 'values are'} at or below zero.`
