// Throughput-latency curves of a sweep: one line per configuration, in the order of the load.
import { type Cell, type Input, isLoad, meanOf, same } from './model'

export interface CurvePoint {
  cell: Cell
  load: unknown
  x: number
  y: number
  n: number // runs that x is the mean of
  isTrusted: boolean
}

export interface Line {
  id: string
  slot: number // color and shape; -1: grey, beyond the first ones
  values: Record<string, unknown> // what varies, apart from the load
  points: CurvePoint[]
}

export interface Curves {
  load: Input | undefined
  lines: Line[]
  slotOf: (cell: Cell) => number | undefined
}

const USUAL_LOADS = /(^|\.)(max_concurrency|request_rate)$/
const SLOTS = 8

const loadOf = (inputs: Input[]) =>
  inputs.find(({ key }) => USUAL_LOADS.test(key)) ??
  inputs.find((input) => isLoad(input) && input.values.every((value) => typeof value === 'number'))

const size = (load: unknown) => (typeof load === 'number' ? load : Infinity) // "inf" is the largest rate

// Keys that follow from the load alone, as a seed per load, are not part of a configuration.
function configurationKeys(cells: Cell[], inputs: Input[], load: Input | undefined) {
  const of = (keys: string[]) => new Set(cells.map(({ point }) => keys.map((key) => same(point[key])).join('\n'))).size
  return inputs
    .filter((input) => input !== load && !(load && of([load.key, input.key]) === load.values.length))
    .map(({ key }) => key)
}

export function curvesOf(cells: Cell[], inputs: Input[], x: string, y: string): Curves {
  const load = loadOf(inputs)
  const keys = configurationKeys(cells, inputs, load)
  const idOf = (cell: Cell) => keys.map((key) => same(cell.point[key])).join('\n')
  const byId = Map.groupBy(cells, idOf)
  const coloured = byId.size > SLOTS ? SLOTS - 1 : SLOTS
  const slots = new Map([...byId.keys()].map((id, at) => [id, at < coloured ? at : -1]))
  const lines = [...byId].map(
    ([id, own]): Line => ({
      id,
      slot: slots.get(id) as number,
      values: Object.fromEntries(keys.map((key) => [key, own[0]?.point[key]])),
      points: own
        .flatMap((cell) => {
          const [right, up] = [meanOf(cell.runs, x), meanOf(cell.runs, y)]
          if (right.value === null || up.value === null) return []
          return [
            {
              cell,
              load: load && cell.point[load.key],
              x: right.value,
              y: up.value,
              n: right.n,
              isTrusted: cell.runs.every(({ verdict }) => verdict === null || verdict === 'trusted'),
            },
          ]
        })
        .sort((a, b) => size(a.load) - size(b.load)),
    }),
  )
  return { load, lines, slotOf: (cell) => slots.get(idOf(cell)) }
}

export const isWithin = ({ x }: { x: number }, limit: number, isLower: boolean) => (isLower ? x <= limit : x >= limit)

// The trusted point with the most throughput within the limit.
export function bestOf(lines: Line[], limit: number | null, isLower: boolean): CurvePoint | undefined {
  if (limit === null) return undefined
  const within = lines
    .flatMap(({ points }) => points)
    .filter((point) => point.isTrusted && isWithin(point, limit, isLower))
  return within.reduce<CurvePoint | undefined>((best, point) => (best && best.y >= point.y ? best : point), undefined)
}

// The cells that do not meet the limit.
export const beyondOf = (lines: Line[], limit: number | null, isLower: boolean) =>
  new Set(
    limit === null
      ? []
      : lines
          .flatMap(({ points }) => points)
          .filter((point) => !isWithin(point, limit, isLower))
          .map(({ cell }) => cell.id),
  )

// ---- axes ----------------------------------------------------------------------------------------------------

export interface Axis {
  low: number
  high: number
  isLog: boolean
  ticks: number[]
  at: (value: number) => number // 0 … 1
}

const LOG_FROM = 20 // times the least
const TICKS = 6
const MARGIN = 1.2 // times, at both ends of a log axis

function steps(high: number) {
  const rough = high / TICKS
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((part) => part * power).find((one) => one >= rough) ?? rough
  const count = Math.ceil(high / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)))
}

function ratios(low: number, high: number) {
  const parts = high / low > 200 ? [1] : [1, 2, 5]
  const ticks: number[] = []
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
    for (const part of parts) ticks.push(Number((part * 10 ** power).toPrecision(12)))
  return ticks.filter((tick) => tick >= low && tick <= high)
}

// Linear from zero, or logarithmic if the values span a wide range.
export function axisOf(values: number[], mayBeLog: boolean): Axis {
  const least = values.reduce((low, value) => Math.min(low, value), Infinity)
  const most = values.reduce((high, value) => Math.max(high, value), 0)
  const isLog = mayBeLog && least > 0 && most / least > LOG_FROM
  const ticks = isLog ? ratios(least / MARGIN, most * MARGIN) : steps(most || 1)
  const [low, high] = isLog ? [least / MARGIN, most * MARGIN] : [0, ticks.at(-1) ?? 1]
  return {
    low,
    high,
    isLog,
    ticks,
    at: isLog ? (value) => Math.log(value / low) / Math.log(high / low) : (value) => (value - low) / (high - low),
  }
}
