// Lines of binned telemetry: where they end, and which sample is at a time.
export interface Line {
  t: number[] // middles of the bins, in seconds
  values: (number | null)[]
  gap: number // pause without samples after which the line ends, in seconds
}

const GAP = 3.5 // samples, or bins, that are missing one after the other

// Bins may be shorter than the interval between samples; bins of long runs are longer. null: there is one sample.
export const gapAfter = (intervalS: number | null, t: number[]) =>
  Math.max(intervalS ?? 0, (t[1] ?? 0) - (t[0] ?? 0)) * GAP

// The index of the sample nearest to a time; -1 if none is near.
export function sampleAt({ t, values, gap }: Line, seconds: number) {
  let best = -1
  for (const [i, value] of values.entries())
    if (
      value !== null &&
      Math.abs((t[i] ?? 0) - seconds) < Math.min(gap / 2, best < 0 ? Infinity : Math.abs((t[best] ?? 0) - seconds))
    )
      best = i
  return best
}

// The indexes of the samples, one list per stretch without a gap.
export function stretches({ t, values, gap }: Line) {
  const found: number[][] = []
  let before = -Infinity
  for (const [i, value] of values.entries()) {
    if (value === null) continue
    const at = t[i] ?? 0
    if (at - before > gap || found.length === 0) found.push([])
    found.at(-1)?.push(i)
    before = at
  }
  return found
}

type Scale = (value: number) => number

// Lines of one drawing mostly share their times, so the positions of the last ones are kept.
let last: { t: number[]; toX: Scale; texts: string[] } | undefined
function xTexts(t: number[], toX: Scale) {
  if (last?.t !== t || last.toX !== toX) last = { t, toX, texts: t.map((seconds) => toX(seconds).toFixed(1)) }
  return last.texts
}

// A stretch of one sample is drawn as a dot: a line of no length with round ends.
export function linePath(line: Line, toX: Scale, toY: Scale) {
  const x = xTexts(line.t, toX)
  return stretches(line)
    .map((stretch) => {
      const points = stretch.map((i) => `${x[i]} ${toY(line.values[i] ?? 0).toFixed(1)}`)
      return `M${points.join('L')}${points.length === 1 ? 'h0' : ''}`
    })
    .join('')
}

// The area between the smallest and the largest sample of each bin.
export function bandPath(line: Line, low: (number | null)[], high: (number | null)[], toX: Scale, toY: Scale) {
  const x = xTexts(line.t, toX)
  const point = (values: (number | null)[]) => (i: number) => `${x[i]} ${toY(values[i] ?? 0).toFixed(1)}`
  return stretches(line)
    .filter((stretch) => stretch.some((i) => (high[i] ?? 0) > (low[i] ?? 0)))
    .map((stretch) => `M${[...stretch.map(point(high)), ...stretch.toReversed().map(point(low))].join('L')}Z`)
    .join('')
}
