// Where the lines of a chart end: at places that have a value on other lines and none on this one.
import { count } from '../format/number'
import { byKind } from './bands'
import { type Chart, type Item, placeWords } from './items'
import { KINDS } from './kind-rows'
import { lowerFirst, sum } from './model'

export interface Gap {
  kind: number // of the color
  places: number[] // of x, each without a value, in their order
}

const isNumber = ({ x }: Chart, at: number) =>
  x.kinds === null || typeof x.kinds[at]?.value === 'number' || x.kinds[at]?.state === 'range'

// Separates items on lines from others: a line connects numbers only, unless there are none.
export function splitOf(chart: Chart, items: Item[]): { along: Item[]; apart: Item[] } {
  const hasNumbers = chart.items.some(({ x }) => isNumber(chart, x))
  if (!hasNumbers) return { along: items, apart: [] }
  return { along: items.filter(({ x }) => isNumber(chart, x)), apart: items.filter(({ x }) => !isNumber(chart, x)) }
}

const placesOf = (items: Item[]) => new Set(items.filter(({ y }) => y !== null).map(({ x }) => x))

// A line that shares no place with another has places of its own: it has a gap only where its own results have no
// value.
export function gapsOf(chart: Chart): Gap[] {
  if (!KINDS[chart.state.kind].isLine || !chart.answer.groups || !chart.x.kinds) return []
  const lines = byKind(chart).map((items) => ({ kind: items[0]?.kind ?? 0, items: splitOf(chart, items).along }))
  const own = lines.map(({ items }) => placesOf(items))
  return lines.flatMap(({ kind, items }, line): Gap[] => {
    const has = own[line] as Set<number>
    const others = own.filter((_, at) => at !== line)
    const isShared = others.some((other) => [...has].some((place) => other.has(place)))
    const wanted = new Set([...items.map(({ x }) => x), ...(isShared ? others.flatMap((other) => [...other]) : [])])
    const [first, last] = [Math.min(...has), Math.max(...has)]
    const places = [...wanted].filter((place) => place > first && place < last && !has.has(place)).sort((a, b) => a - b)
    return places.length > 0 ? [{ kind, places }] : []
  })
}

// The pieces of a line between its gaps, each in the order of its places.
export function piecesOf(items: Item[], places: readonly number[]): Item[][] {
  const pieces: Item[][] = []
  let last = Infinity
  for (const item of items.filter(({ y }) => y !== null).toSorted((a, b) => a.x - b.x)) {
    if (pieces.length === 0 || places.some((place) => place > last && place < item.x)) pieces.push([item])
    else pieces.at(-1)?.push(item)
    last = item.x
  }
  return pieces
}

// Describes the breaks of lines: results without a value on one of parallel axes, and places of a line without a value.
// null: no line is broken.
export function gapWords(chart: Chart): { count: number; words: string[] } | null {
  const axes = chart.axes.filter(({ gaps }) => gaps > 0)
  const gaps = gapsOf(chart)
  const { x, colours } = chart
  const words = [
    ...axes.map(({ name, gaps: rows }) => `${count(rows)} without ${lowerFirst(name)}`),
    ...gaps.map(
      ({ kind, places }) =>
        `${colours ? `${colours.words[kind] ?? ''}: ` : ''}no value at ${places.map((at) => placeWords(x, at)).join(', ')}`,
    ),
  ]
  return words.length > 0
    ? { count: sum([...axes.map((axis) => axis.gaps), ...gaps.map(({ places }) => places.length)]), words }
    : null
}
