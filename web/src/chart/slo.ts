// The SLO of a scatter, a limit of a latency: its axis, the request for the best result within it, and the command of a
// result.
import type { ApplyRequest, Field, Filter, Sort } from '../api/types'
import { count, isNumeric } from '../format/number'
import type { ChartState } from '../url/chart'
import { type Chart, type Item, type Named, ownNameOf } from './items'
import { countKinds } from './guard'

type SloAxis = 'x' | 'y'

const VERDICT = 'quality.verdict'
const SIMULATED = 'environment.engine.simulated'
export const THROUGHPUT = 'results.output_throughput'

const isLatency = (field: Field) => isNumeric(field) && field.direction === 'lower' && field.unit === 'ms'

// The axes that may have a limit.
export function sloAxes({ answer, state, x, y }: Chart): SloAxis[] {
  if (!answer.marks || state.kind !== 'scatter') return []
  return [isLatency(x.field) && ('x' as const), y !== null && isLatency(y.field) && ('y' as const)].filter(
    (axis) => axis !== false,
  )
}

export const namedOf = ({ x, y }: Chart, axis: SloAxis) => (axis === 'x' ? x : y) as Named

export interface Slo {
  axis: SloAxis
  value: number // as stored
}

// null: none is set, or the chart shows another field.
export function sloOf(chart: Chart): Slo | null {
  const { slo } = chart.state
  const axis = slo && sloAxes(chart).find((one) => namedOf(chart, one).field.id === slo.field)
  return slo && axis ? { axis, value: slo.value } : null
}

export const withSlo = (chart: Chart, axis: SloAxis, value: number): Pick<ChartState, 'slo'> => ({
  slo: { field: namedOf(chart, axis).field.id, value },
})

// Three digits are as precise as a pointer.
export const rounded = (value: number) => Number(value.toPrecision(3))

// Returns the median of the marks.
export function usualSlo({ items }: Chart, axis: SloAxis): number {
  const values = Float64Array.from(items.flatMap((item) => item[axis] ?? [])).sort()
  return Number((values[Math.floor(values.length / 2)] ?? 1).toPrecision(2))
}

export const STEP = 0.01
export const LARGE_STEP = 0.1

// Returns the field that the best result is chosen by: the other axis, or throughput if that has no direction.
export function goalOf(chart: Chart, axis: SloAxis, throughput: Field): Field {
  const other = axis === 'x' ? chart.y?.field : chart.x.field
  return other && isNumeric(other) && other.direction !== 'neither' ? other : throughput
}

// Simulated results count where the chart has no others, or was asked for them.
const countsSimulated = ({ answer, state }: Chart) => state.withSimulated || answer.simulated === answer.count

export type Verdict = 'trusted' | null | 'any' // null: no verdict is recorded, as in vLLM's own files

// Ranks all results of the filter with the verdict, also those without a mark of their own. Without `value` there is no
// limit, and the result with the lowest latency is the best. `columns`: those that its name needs.
export function bestRequest(
  chart: Chart,
  { axis, value }: { axis: SloAxis; value: number | null },
  goal: Field,
  verdict: Verdict,
  columns: readonly string[] = [],
): ApplyRequest {
  const { filter } = chart.answer.request
  const limited = namedOf(chart, axis).field.id
  const ofVerdict: Filter =
    verdict === null
      ? { not: { field: VERDICT, op: 'not_null' } }
      : { field: VERDICT, op: 'eq', value: verdict as string }
  const and: Filter[] = [
    ...(filter ? [filter as Filter] : []),
    ...(value === null ? [] : [{ field: limited, op: 'le', value } as const]),
    { field: goal.id, op: 'not_null' },
    ...(verdict === 'any' ? [] : [ofVerdict]),
    ...(countsSimulated(chart) ? [] : [{ not: { field: SIMULATED, op: 'eq', value: true } } as const]),
  ]
  const sort: Sort =
    value === null
      ? { field: limited, dir: 'asc' }
      : { field: goal.id, dir: goal.direction === 'lower' ? 'asc' : 'desc' }
  return {
    filter: { and },
    sort: [sort],
    columns: [...new Set([...columns, goal.id, limited])],
    limit: 1,
    offset: 0,
    facets: [],
  }
}

export interface Best {
  id: number
  own: string | null // its own name
  goal: number
  limited: number
  count: number // results within the limit
}

// Whether the drawing has each result that matched cells keep, so that the best is found among its marks. The server
// ranks results of a filter only.
export const ranksMarks = ({ answer, state }: Chart) =>
  state.match && answer.matched !== null && answer.form === 'points'

// The best mark within the limit; null: no mark with the verdict is.
export function bestMark(chart: Chart, { axis, value }: Slo, goal: Field, verdict: 'trusted' | null): Best | null {
  const [own, other] = axis === 'x' ? (['x', 'y'] as const) : (['y', 'x'] as const)
  const isJudged = ({ at }: Item) => (chart.answer.marks?.verdict[at] ?? null) === verdict
  const within = chart.items.filter(
    (item) =>
      item.id !== null &&
      item[own] !== null &&
      item[own] <= value &&
      item[other] !== null &&
      isJudged(item) &&
      (countsSimulated(chart) || !item.isSimulated),
  )
  const way = goal.direction === 'lower' ? -1 : 1
  const [best] = within.toSorted((a, b) => way * ((b[other] as number) - (a[other] as number)))
  return best
    ? {
        id: best.id as number,
        own: ownNameOf(chart, best),
        goal: best[other] as number,
        limited: best[own] as number,
        count: within.length,
      }
    : null
}

const MIXED = { model: 'models', lengths: 'lengths' }

// "2 models and 4 lengths": results that are hardly comparable, so that the best one does not decide between
// configurations.
export function mixedWords({ answer, colours }: Chart): string {
  const shown = Object.entries(MIXED).flatMap(([kind, noun]) => {
    const caution = answer.cautions.find((one) => one.kind === kind)
    const colored =
      kind === 'model' && colours && /\.model$/.test(colours.field.id)
        ? colours.kinds.filter(({ state, count: n }) => state === 'value' && n > 0).length
        : 0
    const most = Math.max(caution ? countKinds(caution) : 0, colored)
    return most > 1 ? [`${count(most)} ${noun}`] : []
  })
  return shown.join(' and ')
}

const PLAIN_WORD = /^[\w@%+=:,./-]+$/
const quotedWord = (word: string) => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

// Returns a line for a shell. null: the run did not start the server.
export function commandOf(document: unknown): string | null {
  const argv = (document as { launch?: { argv?: unknown } } | undefined)?.launch?.argv
  return Array.isArray(argv) && argv.length > 0 ? argv.map((word) => quotedWord(String(word))).join(' ') : null
}
