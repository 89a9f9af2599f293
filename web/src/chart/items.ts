// The items of any chart: a mark, a group, a bin. Drawing, hit tests, the reading, the table and the files are made of
// them, so all of them show the same data.
import type { Field, Kind } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { count, COUNTS, type Form, formOfScale, plainNumber, showNumber } from '../format/number'
import { lowEnd } from '../format/unit'
import { NOT_RECORDED, verdictWord } from '../format/value'
import { time } from '../format/time'
import type { ChartState, Spread, Stat } from '../url/chart'
import { KINDS } from './kind-rows'
import { kindsInWords, OTHER, slotsOf } from './kinds'
import {
  type Answer,
  finite,
  formOfAxis,
  lowerFirst,
  NOTHINGS,
  SPREAD_KEYS,
  SPREAD_WORDS,
  spreadOf,
  STAT_WORDS,
  statKey,
  sum,
} from './model'

export interface Item {
  x: number // as on the axis
  y: number | null // null: there is none, and nothing is drawn
  value: number | null // of a cell, whose x and y are places
  low: number | null
  high: number | null
  openLow: boolean // it reaches further than it is drawn
  openHigh: boolean
  kind: number // of color; 0 where there is none
  slot: number
  shape: number
  n: number // rows
  at: number // in the answer's lists
  id: number | null // an experiment
  isHollow: boolean // not trusted
  isSimulated: boolean
  size: number | null
}

export interface Named {
  field: Field
  name: string
  form: Form
  kinds: Kind[] | null // where places of kinds are positions
  words: string[] // of the kinds
  shown: number // of the kinds have a place on the axis, the first ones
}

// One of parallel axes.
export interface Axis extends Named {
  least: number
  most: number
  gaps: number // rows without a place on it
}

export interface Chart {
  state: ChartState
  answer: Answer
  items: Item[]
  x: Named
  y: Named | null // null of a histogram, and of parallel axes
  value: Named | null // of a heat map
  axes: Axis[] // parallel ones
  size: Named | null // of marks
  spread: Spread
  beside: Beside
  colours: { field: Field; kinds: Kind[]; words: string[]; slots: number[] } | null
}

// Bars or boxes next to each other in one place, by the kinds of their color; none if no two of them are in one place.
interface Beside {
  kinds: number[]
  fell: { kinds: number; rows: number } | null // for them there is no room
}

const BESIDE_MAX = 24 // more could not be distinguished

// Chooses the colors that fit: those with the most results, in the order of all. A color without a value needs no room.
function besideOf(state: ChartState, items: Item[]): Beside {
  if (!KINDS[state.kind].isBeside) return { kinds: [], fell: null }
  if (new Set(items.map(({ x }) => x)).size === items.length) return { kinds: [], fell: null }
  const rows = new Map<number, number>()
  for (const { kind, n, y } of items) if (y !== null) rows.set(kind, (rows.get(kind) ?? 0) + n)
  const byRows = [...rows.entries()].sort(([a, n], [b, m]) => m - n || a - b)
  const kinds = byRows
    .slice(0, BESIDE_MAX)
    .map(([kind]) => kind)
    .sort((a, b) => a - b)
  const fallen = byRows.slice(BESIDE_MAX)
  return { kinds, fell: fallen.length ? { kinds: fallen.length, rows: sum(fallen.map(([, n]) => n)) } : null }
}

function named(catalogue: Catalogue, axis: Answer['x'], values: number[] = []): Named | null {
  if (!axis) return null
  const field = catalogue.get(axis.field)
  const kinds = axis.kinds?.kinds ?? null
  return {
    field,
    name: longName(field),
    form: formOfAxis(field, axis, values),
    kinds,
    words: kinds ? kindsInWords(field, kinds) : [],
    shown: kinds?.length ?? 0,
  }
}

const BARE = {
  value: null,
  low: null,
  high: null,
  openLow: false,
  openHigh: false,
  id: null,
  isHollow: false,
  isSimulated: false,
  size: null,
}

function marksOf({ marks, shape }: Answer, slots: number[]): Item[] {
  if (!marks) return []
  const shapes = shape ? slotsOf(shape.kinds) : null
  return marks.id.map((id, at) => {
    const kind = marks.color?.[at] ?? 0
    const slot = slots[kind] ?? 0
    return {
      ...BARE,
      at,
      id,
      kind,
      slot,
      x: marks.x[at] ?? NaN,
      y: marks.y[at] ?? null,
      n: marks.count[at] ?? 1,
      shape: shapes ? (shapes[marks.shape?.[at] ?? 0] ?? OTHER) : slot,
      isHollow: marks.verdict[at] !== 'trusted',
      isSimulated: marks.simulated[at] === true,
      size: finite(marks.size?.[at]),
    }
  })
}

// Moves places without a value to the end of the axis of bars and boxes, where they are not drawn.
function withoutEmpty(state: ChartState, x: Named, items: Item[]): { x: Named; items: Item[] } {
  const drawn = new Set(items.filter(({ y }) => y !== null).map(({ x: at }) => at))
  if (!KINDS[state.kind].isBeside || !x.kinds || drawn.size === 0 || drawn.size === x.kinds.length) return { x, items }
  const order = [...x.kinds.keys()].sort((a, b) => Number(drawn.has(b)) - Number(drawn.has(a)) || a - b)
  const to = new Map(order.map((from, at) => [from, at]))
  return {
    x: {
      ...x,
      kinds: order.map((at) => x.kinds?.[at] as Kind),
      words: order.map((at) => x.words[at] as string),
      shown: drawn.size,
    },
    items: items.map((item) => ({ ...item, x: to.get(item.x) ?? item.x })),
  }
}

const INTERVAL_FROM = 3 // an interval over two runs is too wide to be useful

// Clips confidence intervals. An interval over few runs may extend below zero, although its metric cannot, or so far
// above all values that the others would be flat. A clipped end is drawn open.
function withOpenEnds(items: Item[], { groups, y }: Answer): Item[] {
  const values = items.flatMap((item) => item.y ?? [])
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const above = y?.log ? most * FAR_ON_LOG : most + (most - Math.min(0, least))
  return items.map((item) => {
    if (item.low === null || item.high === null) return item
    const openLow = item.low < 0 && (finite(groups?.min[item.at]) ?? -1) >= 0
    const openHigh = item.high > above
    return openLow || openHigh
      ? { ...item, openLow, openHigh, low: openLow ? 0 : item.low, high: openHigh ? above : item.high }
      : item
  })
}

const FAR_ON_LOG = 10

function groupsOf(state: ChartState, { groups }: Answer, slots: number[], spread: Spread): Item[] {
  if (!groups) return []
  const [low, high] = spread === 'none' ? [null, null] : SPREAD_KEYS[spread]
  return groups.n.map((n, at) => {
    const kind = groups.color?.[at] ?? 0
    const slot = slots[kind] ?? 0
    const y = finite(groups[statKey(statOf(state))][at])
    const isTold = spread !== 'ci' || n >= INTERVAL_FROM
    return {
      ...BARE,
      at,
      kind,
      slot,
      shape: slot,
      x: groups.x?.[at] ?? 0,
      y,
      n,
      low: low && isTold ? finite(groups[low][at]) : null,
      high: high && isTold ? finite(groups[high][at]) : null,
    }
  })
}

function cellsOf(state: ChartState, { grid }: Answer, spread: Spread): Item[] {
  if (!grid) return []
  const [low, high] = spread === 'none' ? [null, null] : SPREAD_KEYS[spread]
  return grid.n.map((n, at) => ({
    ...BARE,
    at,
    kind: 0,
    slot: 0,
    shape: 0,
    x: grid.x?.[at] ?? 0,
    y: grid.y?.[at] ?? 0,
    n,
    value: finite(grid[statKey(state.stat)][at]),
    low: low ? finite(grid[low][at]) : null,
    high: high ? finite(grid[high][at]) : null,
  }))
}

function linesOfAnswer({ lines }: Answer, slots: number[]): Item[] {
  if (!lines) return []
  return lines.id.map((id, at) => {
    const kind = lines.color?.[at] ?? 0
    const slot = slots[kind] ?? 0
    return {
      ...BARE,
      at,
      id,
      kind,
      slot,
      shape: slot,
      x: 0,
      y: 0,
      n: lines.count[at] ?? 1,
      isHollow: lines.verdict[at] !== 'trusted' && lines.verdict[at] !== null,
      isSimulated: lines.simulated[at] === true,
    }
  })
}

// Stacks the colors of a bin on each other.
function binsOf({ bins }: Answer, slots: number[]): Item[] {
  if (!bins) return []
  const width = bins.counts[0]?.length ?? 0
  const items: Item[] = []
  for (let x = 0; x < width; x++) {
    let low = 0
    bins.counts.forEach((counts, kind) => {
      const n = counts[x] ?? 0
      const slot = slots[kind] ?? 0
      if (n > 0) items.push({ ...BARE, at: x, kind, slot, shape: slot, x, y: low + n, low, high: low + n, n })
      low += n
    })
  }
  return items
}

function axesOfAnswer(catalogue: Catalogue, { axes, gaps, lines }: Answer): Axis[] {
  return (axes ?? []).flatMap((axis, at): Axis[] => {
    const own = named(
      catalogue,
      axis,
      (lines?.at[at] ?? []).filter((value) => value !== null),
    )
    if (!own || !axis) return []
    return [
      {
        ...own,
        least: axis.min ?? 0,
        most: axis.max ?? 0,
        gaps: Object.values(gaps?.[at] ?? {}).reduce((sum, rows) => sum + rows, 0),
      },
    ]
  })
}

function itemsOf(state: ChartState, answer: Answer, slots: number[], spread: Spread): Item[] {
  if (answer.groups)
    return spread === 'ci'
      ? withOpenEnds(groupsOf(state, answer, slots, spread), answer)
      : groupsOf(state, answer, slots, spread)
  if (answer.bins) return binsOf(answer, slots)
  if (answer.grid) return cellsOf(state, answer, spread)
  return answer.lines ? linesOfAnswer(answer, slots) : marksOf(answer, slots)
}

function sizeOf(field: Field, items: Item[]): Named {
  return {
    field,
    name: longName(field),
    form: formOfScale(
      field,
      items.map(({ size }) => size),
    ),
    kinds: null,
    words: [],
    shown: 0,
  }
}

// The statistic of a group. Kinds of charts without a choice use the median.
const statOf = ({ kind, stat }: ChartState): Stat => (KINDS[kind].stat ? stat : 'median')

export const boxKeys = (spread: Spread) => (spread === 'range' ? (['min', 'max'] as const) : (['p5', 'p95'] as const))

// All that is drawn along the axis of y, ends of spreads among them.
export function drawnValues(state: ChartState, { groups }: Answer, items: Item[], spread: Spread): (number | null)[] {
  const keys = boxKeys(spread)
  if (groups && KINDS[state.kind].spread === 'whiskers')
    return items.flatMap(({ at }) => keys.map((key) => finite(groups[key][at])))
  return items.flatMap(({ y, low, high, openLow }) => [y, openLow ? null : low, high])
}

const NOWHERE = { name: '', form: COUNTS, kinds: null, words: [], shown: 0 }

export function chartOf(state: ChartState, answer: Answer, catalogue: Catalogue): Chart {
  const kinds = answer.color?.kinds ?? []
  const slots = slotsOf(kinds, answer.lines !== undefined)
  const spread = spreadOf(state)
  const all = itemsOf(state, answer, slots, spread)
  const beside = besideOf(state, all)
  const along = named(catalogue, answer.x, answer.bins?.edges ?? answer.marks?.x) ?? {
    ...NOWHERE,
    field: catalogue.get(''),
  }
  const { x, items } = withoutEmpty(
    state,
    along,
    beside.fell ? all.filter(({ kind }) => beside.kinds.includes(kind)) : all,
  )
  const field = answer.color && catalogue.get(answer.color.field)
  const known = (values: (number | null)[]) => values.filter((value) => value !== null)
  return {
    state,
    answer,
    items,
    spread,
    beside,
    x,
    y: named(catalogue, answer.y, known(items.map(({ y }) => y))),
    value: named(catalogue, answer.value ?? null, known(items.map(({ value }) => value))),
    axes: axesOfAnswer(catalogue, answer),
    size: answer.marks?.size && answer.request.size ? sizeOf(catalogue.get(answer.request.size), items) : null,
    colours: field ? { field, kinds, words: kindsInWords(field, kinds), slots } : null,
  }
}

// ---- words of one item ----------------------------------------------------------------------------------

const isTime = ({ field }: Named) => field.type === 'time'

export function placeWords(axis: Named, value: number, exact = false): string {
  if (axis.kinds) return axis.words[value] ?? NOT_RECORDED
  if (isTime(axis)) return time(new Date(value).toISOString())
  return exact ? showNumber(value, axis.form) : plainNumber(value, axis.form)
}

export const unitOf = (axis: Named) => (axis.kinds ? '' : axis.form.unit)

export function binWords({ x, answer }: Chart, at: number) {
  const edges = answer.bins?.edges
  return edges
    ? `${plainNumber(edges[at] ?? 0, x.form)} – ${plainNumber(edges[at + 1] ?? 0, x.form)}`
    : placeWords(x, at)
}

// The number of rows that are drawn: rows without a number are not.
export const drawnOf = ({ answer, items }: Chart) =>
  answer.groups || answer.grid ? sum(items.map(({ n }) => n)) : answer.drawn

// The frontiers that have a color. Gray ones could not be distinguished.
export const frontiersOf = ({ answer, colours }: Chart) =>
  (answer.frontier ?? []).filter(({ color }) => !colours || colours.slots[color] !== OTHER)

export const isSameFrontier = (trusted: number[], all: number[]) =>
  trusted.length === all.length && trusted.every((at, i) => at === all[i])

// The part of an answer that lists single experiments.
export const aboutOf = ({ marks, lines }: Answer) => marks ?? lines

// The own name of an experiment; null: it has none.
export function ownNameOf({ answer }: Chart, item: Item) {
  const name = aboutOf(answer)?.labels['run.name']?.[item.at]
  return typeof name === 'string' && name.trim() ? name : null
}

export function nameOf(chart: Chart, item: Item) {
  if (item.id !== null) return ownNameOf(chart, item) ?? `result ${item.id}`
  if (chart.answer.grid && chart.y) return `${placeWords(chart.x, item.x)}, ${placeWords(chart.y, item.y ?? 0)}`
  const parts = [
    chart.answer.bins ? binWords(chart, item.at) : chart.answer.groups?.x ? placeWords(chart.x, item.x) : 'all',
  ]
  if (chart.colours) parts.push(chart.colours.words[item.kind] ?? '')
  return parts.join(', ')
}

const figure = (axis: Named, value: number | null) =>
  value === null ? NOT_RECORDED : `${placeWords(axis, value, true)}${unitOf(axis) ? ` ${unitOf(axis)}` : ''}`

const NOTHING_WORDS = { missing: 'not recorded', null: 'unset', word: 'text', infinite: 'infinite' } as const

// The number of experiments with a value, and of those without, by reason.
function countLines(figures: NonNullable<Answer['groups']>, item: Item): [string, string][] {
  const rows = NOTHINGS.map((why): [string, number] => [NOTHING_WORDS[why], figures[why][item.at] ?? 0])
  const shown = [
    ['experiments', item.n] as [string, number],
    ...[...rows, ['failed runs', figures.failed[item.at] ?? 0] as [string, number]].filter(([, n]) => n > 0),
  ]
  return shown.map(([what, n]) => [what, count(n)])
}

// The spread as the answer has it, even if the drawing clips it.
function spreadLine({ spread, answer }: Chart, axis: Named, { at, low, high, openLow }: Item): [string, string][] {
  if (low === null || spread === 'none') return []
  const end = finite((answer.groups ?? answer.grid)?.[SPREAD_KEYS[spread][1]][at]) ?? high
  return [
    [
      SPREAD_WORDS[spread],
      `${figure({ ...axis, form: { ...axis.form, unit: '' } }, openLow ? 0 : lowEnd(axis.field, low))} – ${figure(axis, end)}`,
    ],
  ]
}

// Said where figures are of several runs.
export const OVER_RUNS =
  'Statistics are over runs, because requests of one run are not independent samples of a configuration.'
export const isOverRuns = ({ answer }: Chart) => answer.groups !== undefined || answer.grid !== undefined

// Items of a scatter at the same place, one list per place. None in a thinned chart, whose mark sizes show the number
// of results, or if a field sets the size.
const stacks = new WeakMap<Item[], number[][]>()
export function stacksOf({ items, answer, size }: Chart): number[][] {
  const known = stacks.get(items)
  if (known) return known
  const places = new Map<string, number[]>()
  if (answer.marks && answer.form !== 'thinned' && !size) {
    items.forEach(({ x, y }, at) => {
      if (y === null) return
      const own = places.get(`${x} ${y}`)
      if (own) own.push(at)
      else places.set(`${x} ${y}`, [at])
    })
  }
  const found = [...places.values()].filter(({ length }) => length > 1)
  stacks.set(items, found)
  return found
}

function standsFor(chart: Chart, item: Item): [string, string][] {
  if (item.n > 1) return [['represents', `${count(item.n)} results`]]
  const stack = stacksOf(chart).find((own) => own.some((at) => chart.items[at] === item))
  return stack ? [['at this point', `${count(stack.length)} results`]] : []
}

// [what, value]: a line each.
export function linesOf(chart: Chart, item: Item): [string, string][] {
  const { x, y, value, axes, answer, state } = chart
  if (answer.bins)
    return [
      [x.name, `${binWords(chart, item.at)} ${x.form.unit}`.trim()],
      ['experiments', count(item.n)],
    ]
  if (answer.lines)
    return [
      ...axes.map((axis, at): [string, string] => [axis.name, figure(axis, answer.lines?.at[at]?.[item.at] ?? null)]),
      ...standsFor(chart, item),
    ]
  if (answer.grid && value && y)
    return [
      [`${STAT_WORDS[state.stat]} ${lowerFirst(value.name)} over runs`, figure(value, item.value)],
      ...spreadLine(chart, value, item),
      [x.name, placeWords(x, item.x)],
      [y.name, placeWords(y, item.y ?? 0)],
      ...countLines(answer.grid, item),
    ]
  if (!y) return []
  if (!answer.groups) return [[y.name, figure(y, item.y)], [x.name, figure(x, item.x)], ...standsFor(chart, item)]
  return [
    [`${STAT_WORDS[statOf(state)]} ${lowerFirst(y.name)} over runs`, figure(y, item.y)],
    ...spreadLine(chart, y, item),
    ...countLines(answer.groups, item),
  ]
}

export const verdictOf = (chart: Chart, item: Item) => verdictWord(aboutOf(chart.answer)?.verdict[item.at] ?? null)
