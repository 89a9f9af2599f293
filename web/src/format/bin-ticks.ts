// Which edges of a histogram get a number under them: round ones, as many as there is room for.
const GAP_PX = 6
const EVEN = 1e-6 // bins of one width differ by rounding only

// Bins of different widths grow by ratios: 1, 2, 5, 10, 20, 50.
export function isEven(edges: number[]) {
  const widths = edges.slice(1).map((edge, i) => edge - (edges[i] as number))
  return Math.max(...widths) - Math.min(...widths) < Math.max(...widths) * EVEN
}

const isPower = (edge: number) => edge > 0 && /^1(\.0*)?e/.test(edge.toExponential(6))

// Candidates from the most numbers to the fewest, each as places of edges.
function candidates(edges: number[]): number[][] {
  const all = edges.map((_, i) => i)
  const last = edges.length - 1
  if (isEven(edges)) {
    const steps = all.slice(1).map((step) => all.filter((i) => (i - firstRound(edges, step)) % step === 0))
    return [all, ...steps]
  }
  const powers = all.filter((i) => isPower(edges[i] as number))
  const zero = all.filter((i) => edges[i] === 0)
  const thinned = powers.slice(1).map((_, n) => powers.filter((_power, i) => i % (n + 2) === 0))
  return [all, all.slice(0, -1), [...zero, ...powers], powers, ...thinned, [0, last]]
}

// Every nth edge, from one that is a whole number of steps: 0, 100, 200 and not 20, 120, 220.
function firstRound(edges: number[], step: number) {
  const wide = ((edges[1] ?? 1) - (edges[0] ?? 0)) * step
  const first = edges.findIndex((edge) => Math.abs(edge / wide - Math.round(edge / wide)) < EVEN)
  return first < 0 ? 0 : first % step
}

// The places of the edges that are numbered on an axis this long; `widthOf` is that of an edge's number.
export function numberedEdges(edges: number[], px: number, widthOf: (edge: number) => number): number[] {
  const bins = edges.length - 1
  const centre = (i: number) => {
    const half = widthOf(edges[i] as number) / 2
    return Math.min(px - half, Math.max(half, (i / bins) * px)) // the outer ones stay inside
  }
  const fits = (places: number[]) =>
    places.every((i, n) => {
      const next = places[n + 1]
      return (
        next === undefined ||
        centre(next) - centre(i) >= (widthOf(edges[i] as number) + widthOf(edges[next] as number)) / 2 + GAP_PX
      )
    })
  return candidates(edges).find((places) => places.length > 1 && fits(places)) ?? [0, bins]
}
