// What a chart asks for and what its answer says, without drawing it.
import type { Field, Filter, PointsAnswer, PointsAxis, PointsRequest } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { count, type Form, formFor, isNumeric } from '../format/number'
import type { ChartKind, ChartState, Spread, Stat } from '../url/chart'

export type Answer = PointsAnswer & { request: PointsRequest; at: number }

// The first that varies among the results is the page's choice for an axis that nobody chose.
const USUAL: Record<'x' | 'y' | 'colour', Record<ChartKind, string[]>> = {
  x: {
    scatter: ['derived.tokens_per_s_per_user', 'results.median_tpot_ms', 'results.p99_ttft_ms'],
    line: ['benchmark.max_concurrency', 'benchmark.request_rate', 'server.tensor_parallel_size', 'run.timestamp'],
    bar: ['server.tensor_parallel_size', 'server.model', 'server.quantization'],
    box: ['server.tensor_parallel_size', 'server.model', 'server.quantization'],
    histogram: ['results.p99_ttft_ms', 'results.median_ttft_ms', 'results.output_throughput'],
  },
  y: {
    scatter: ['derived.output_throughput_per_gpu', 'results.output_throughput', 'results.p99_ttft_ms'],
    line: ['derived.output_throughput_per_gpu', 'results.output_throughput', 'results.p99_ttft_ms'],
    bar: ['derived.output_throughput_per_gpu', 'results.output_throughput', 'results.p99_ttft_ms'],
    box: ['results.p99_ttft_ms', 'results.median_ttft_ms', 'results.output_throughput'],
    histogram: [],
  },
  colour: {
    scatter: ['system.hardware_info.gpu_name', 'server.model', 'server.tensor_parallel_size'],
    line: ['system.hardware_info.gpu_name', 'server.model', 'server.tensor_parallel_size'],
    bar: ['system.hardware_info.gpu_name', 'server.model', 'server.quantization'],
    box: ['system.hardware_info.gpu_name', 'server.model', 'server.quantization'],
    histogram: ['system.hardware_info.gpu_name', 'server.model'],
  },
}

export interface Axes {
  x: string
  y: string // '' of a histogram
  colour: string // '': none
}

export function axesOf(chart: ChartState, varying: ReadonlySet<string>): Axes {
  const usual = (name: 'x' | 'y' | 'colour', not: string[]) => {
    const list = USUAL[name][chart.kind].filter((id) => !not.includes(id))
    return list.find((id) => varying.has(id)) ?? (name === 'colour' ? '' : (list[0] ?? ''))
  }
  const y = chart.kind === 'histogram' ? '' : (chart.y ?? usual('y', chart.x ? [chart.x] : []))
  const x = chart.x ?? usual('x', [y])
  return { x, y, colour: chart.colour ?? usual('colour', [x]) }
}

export const needsVarying = (chart: ChartState) => chart.x === null || chart.colour === null || (chart.y === null && chart.kind !== 'histogram')

// Runs over time stand each for itself, and a line goes through them in their order.
export const isOverTime = (chart: ChartState, axes: Axes, catalogue: Catalogue) => chart.kind === 'line' && catalogue.get(axes.x).type === 'time'

const SELECTED_MAX = 200

export function requestOf(chart: ChartState, axes: Axes, catalogue: Catalogue, tree: Filter | undefined, selected: number[]): PointsRequest {
  const isPoints = chart.kind === 'scatter' || isOverTime(chart, axes, catalogue)
  const request: Partial<PointsRequest> = { form: isPoints ? 'points' : chart.kind === 'histogram' ? 'bins' : 'groups', x: axes.x }
  if (tree) request.filter = tree as PointsRequest['filter'] & object
  if (axes.y) request.y = axes.y
  if (axes.colour) request.colour = axes.colour
  if (chart.withSimulated) request.simulated = true
  if (chart.logY && axes.y) request.y_log = true
  if (isPoints) {
    if (chart.logX) request.x_log = true
    if (chart.shape) request.shape = chart.shape
    if (chart.size) request.size = chart.size
    request.labels = ['run.name']
    const own = [...new Set([...(chart.point === null ? [] : [chart.point]), ...selected])].slice(0, SELECTED_MAX)
    if (own.length) request.selected = own
  }
  return request as PointsRequest
}

// ---- words ------------------------------------------------------------------------------------------

export const STAT_WORDS: Record<Stat, string> = { median: 'median', mean: 'mean', p95: 'p95' }
export const SPREAD_WORDS: Record<Spread, string> = { iqr: 'quartiles (p25 – p75)', range: 'least to greatest', ci: '95 % interval of the mean', none: 'no spread' }
export const KIND_WORDS: Record<ChartKind, string> = { scatter: 'Scatter', line: 'Line', bar: 'Bars', box: 'Boxes', histogram: 'Histogram' }

// An interval of the mean says nothing of a median.
export const spreadsOf = (stat: Stat): Spread[] => (stat === 'mean' ? ['iqr', 'range', 'ci', 'none'] : ['iqr', 'range', 'none'])
export const spreadOf = (chart: ChartState): Spread => (spreadsOf(chart.stat).includes(chart.spread) ? chart.spread : 'iqr')

const REASONS: [RegExp, (name: string) => string][] = [
  [/_missing$/, (name) => `without ${name}`],
  [/_null$/, (name) => `with ${name} unset`],
  [/_word$/, (name) => `with a word as ${name}`],
  [/_infinite$/, (name) => `with an infinite ${name}`],
  [/_other$/, (name) => `of rarer values of ${name}`],
]

export interface LeftOut {
  reason: string
  rows: number
  words: string
}

// Why results are not on the chart, the most frequent reason first.
export function leftOutOf(answer: PointsAnswer, catalogue: Catalogue): LeftOut[] {
  return Object.entries(answer.left_out).map(([reason, rows]) => {
    const axis = reason.startsWith('x_') ? answer.x : answer.y
    const name = axis ? lowerFirst(longName(catalogue.get(axis.field))) : ''
    const words = REASONS.find(([pattern]) => pattern.test(reason))?.[1](name) ?? reason
    return { reason, rows, words }
  }).sort((a, b) => b.rows - a.rows)
}

// "Output per GPU" within a sentence; what begins with an acronym stays.
export const lowerFirst = (text: string) => (/^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text)

export function formOfAxis(field: Field, axis: PointsAxis | null, values: number[] = []): Form {
  const ends = [axis?.min, axis?.max].filter((end): end is number => typeof end === 'number')
  return formFor({ ...field, role: 'output' }, values.length ? values : ends)
}

// Of a figure in the answer: what JSON cannot say is a word.
export const finite = (value: number | string | null | undefined) => (typeof value === 'number' ? value : null)

export const statKey = (stat: Stat) => (stat === 'median' ? 'p50' : stat) as 'p50' | 'mean' | 'p95'
export const SPREAD_KEYS = { iqr: ['p25', 'p75'], range: ['min', 'max'], ci: ['low', 'high'] } as const

// What the chart is, for who does not see it.
export function chartWords(chart: ChartState, answer: Answer, catalogue: Catalogue) {
  const name = (id: string | undefined) => (id ? lowerFirst(longName(catalogue.get(id))) : '')
  const { x, y, colour } = { x: name(answer.x?.field), y: name(answer.y?.field), colour: name(answer.colour?.field) }
  const by = colour ? `, by ${colour}` : ''
  const of = `${count(answer.drawn)} experiments`
  if (answer.form === 'bins') return `Histogram of ${x} of ${of}${by}`
  if (answer.form === 'groups') return `${KIND_WORDS[chart.kind]}: ${chart.kind === 'box' ? '' : `${STAT_WORDS[chart.stat]} `}${y} by ${x} of ${of}${by}`
  return `${KIND_WORDS[chart.kind]} of ${of}: ${y} against ${x}${by}`
}

export const canBeLog = (field: Field) => isNumeric(field)
