// What a chart asks for and what its answer says, without drawing it.
import type { Field, Filter, PointsAnswer, PointsAxis, PointsRequest } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { count, type Form, formOfScale, isNumeric } from '../format/number'
import { AXES_MIN, type ChartKind, type ChartState, type Spread, type Stat } from '../url/chart'

export type Answer = PointsAnswer & { request: PointsRequest; at: number }

export type Role = 'x' | 'y' | 'value' | 'colour'

const GPU = 'system.hardware_info.gpu_name'
const TP = 'server.tensor_parallel_size'
const FAST = ['derived.output_throughput_per_gpu', 'results.output_throughput', 'results.p99_ttft_ms']
const GROUPS = [TP, 'server.model', 'server.quantization']
const ENTITIES = [GPU, 'server.model', 'server.quantization']
const LOADS = ['benchmark.max_concurrency', 'benchmark.request_rate', 'benchmark.random_input_len']

// A row for each kind of chart: what it takes, and of each the page's choice where nobody chose: the first that varies
// among the results.
const USUAL: Record<ChartKind, Partial<Record<Role, string[]>>> = {
  scatter: { x: ['derived.tokens_per_s_per_user', 'results.median_tpot_ms', 'results.p99_ttft_ms'], y: FAST, colour: [GPU, 'server.model', TP] },
  line: { x: ['benchmark.max_concurrency', 'benchmark.request_rate', TP, 'run.timestamp'], y: FAST, colour: [GPU, 'server.model', TP] },
  bar: { x: GROUPS, y: FAST, colour: ENTITIES },
  box: { x: GROUPS, y: ['results.p99_ttft_ms', 'results.median_ttft_ms', 'results.output_throughput'], colour: ENTITIES },
  histogram: { x: ['results.p99_ttft_ms', 'results.median_ttft_ms', 'results.output_throughput'], colour: [GPU, 'server.model'] },
  heat: { x: LOADS, y: [TP, 'server.quantization', GPU, 'server.model'], value: FAST },
  parallel: { colour: ['results.output_throughput', 'results.p99_ttft_ms', GPU] },
}
const USUAL_AXES = ['server.model', GPU, TP, 'server.quantization', 'benchmark.max_concurrency', 'benchmark.request_rate', 'results.p99_ttft_ms', 'results.median_tpot_ms', 'results.output_throughput']
const AXES_USUALLY = 6

export interface Axes {
  x: string // '': the chart has none, as of the others
  y: string
  value: string
  colour: string
  axes: string[]
}

const takes = (chart: ChartState, role: Role) => USUAL[chart.kind][role] !== undefined

export function axesOf(chart: ChartState, varying: ReadonlySet<string>): Axes {
  const of = (role: Role, not: string[]) => {
    if (!takes(chart, role)) return ''
    const list = (USUAL[chart.kind][role] ?? []).filter((id) => !not.includes(id))
    return chart[role] ?? list.find((id) => varying.has(id)) ?? (role === 'colour' ? '' : (list[0] ?? ''))
  }
  const y = of('y', chart.x ? [chart.x] : [])
  const x = of('x', [y])
  const usual = USUAL_AXES.filter((id) => varying.has(id)).slice(0, AXES_USUALLY)
  const axes = chart.kind !== 'parallel' ? [] : (chart.axes ?? (usual.length >= AXES_MIN ? usual : [TP, 'results.output_throughput']))
  return { x, y, value: of('value', [x, y]), colour: of('colour', [x]), axes }
}

export const needsVarying = (chart: ChartState) => (chart.kind === 'parallel' && chart.axes === null) || (['x', 'y', 'value', 'colour'] as const).some((role) => takes(chart, role) && chart[role] === null)

// Runs over time stand each for itself, and a line goes through them in their order.
export const isOverTime = (chart: ChartState, axes: Axes, catalogue: Catalogue) => chart.kind === 'line' && catalogue.get(axes.x).type === 'time'

const SELECTED_MAX = 200

const FORMS = { scatter: 'points', line: 'groups', bar: 'groups', box: 'groups', histogram: 'bins', heat: 'grid', parallel: 'parallel' } as const

export function requestOf(chart: ChartState, axes: Axes, catalogue: Catalogue, tree: Filter | undefined, selected: number[]): PointsRequest {
  const form = isOverTime(chart, axes, catalogue) ? 'points' : FORMS[chart.kind]
  const request: Partial<PointsRequest> = { form }
  if (tree) request.filter = tree as PointsRequest['filter'] & object
  for (const role of ['x', 'y', 'value', 'colour'] as const) if (axes[role]) request[role] = axes[role]
  if (axes.axes.length) request.axes = axes.axes
  if (chart.withSimulated) request.simulated = true
  if (chart.match) request.match = true
  if (chart.logY && axes.y && form !== 'grid') request.y_log = true
  if (form === 'points') {
    if (chart.logX) request.x_log = true
    if (chart.shape) request.shape = chart.shape
    if (chart.size) request.size = chart.size
  }
  if (form === 'points' || form === 'parallel') {
    request.labels = ['run.name']
    const own = [...new Set([...(chart.point === null ? [] : [chart.point]), ...selected])].slice(0, SELECTED_MAX)
    if (own.length) request.selected = own
  }
  return request as PointsRequest
}

// ---- words ------------------------------------------------------------------------------------------

export const STAT_WORDS: Record<Stat, string> = { median: 'median', mean: 'mean', p95: 'p95' }
export const SPREAD_WORDS: Record<Spread, string> = { iqr: 'quartiles (p25 – p75)', range: 'least to greatest', ci: '95 % interval of the mean', none: 'no spread' }
export const KIND_WORDS: Record<ChartKind, string> = { scatter: 'Scatter', line: 'Line', bar: 'Bars', box: 'Boxes', histogram: 'Histogram', heat: 'Heat map', parallel: 'Parallel axes' }

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

export const NOTHINGS = ['missing', 'null', 'word', 'infinite'] as const

// Rows that a group or a cell has and its figures are not of: they have no number.
function withoutNumber({ groups, grid }: PointsAnswer): [string, number][] {
  const figures = groups ?? grid
  if (!figures) return []
  return NOTHINGS.map((why): [string, number] => [`${grid ? 'value' : 'y'}_${why}`, sum(figures[why])]).filter(([, rows]) => rows > 0)
}

export const sum = (list: number[]) => list.reduce((all, one) => all + one, 0)

// Why results are not on the chart, the most frequent reason first.
export function leftOutOf(answer: PointsAnswer, catalogue: Catalogue): LeftOut[] {
  return [...Object.entries(answer.left_out), ...withoutNumber(answer)].map(([reason, rows]) => {
    if (reason === 'too_few') return { reason, rows, words: 'with fewer than two of the axes' }
    if (reason === 'unmatched') return { reason, rows, words: 'without a match in every group' }
    const axis = reason.startsWith('x_') ? answer.x : reason.startsWith('value_') ? answer.value : answer.y
    const name = axis ? lowerFirst(longName(catalogue.get(axis.field))) : ''
    const words = REASONS.find(([pattern]) => pattern.test(reason))?.[1](name) ?? reason
    return { reason, rows, words }
  }).sort((a, b) => b.rows - a.rows)
}

// "Output per GPU" within a sentence; what begins with an acronym stays.
export const lowerFirst = (text: string) => (/^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text)

export function formOfAxis(field: Field, axis: PointsAxis | null, values: number[] = []): Form {
  const ends = [axis?.min, axis?.max].filter((end): end is number => typeof end === 'number')
  return formOfScale(field, values.length ? values : ends)
}

// Of a figure in the answer: what JSON cannot say is a word.
export const finite = (value: number | string | null | undefined) => (typeof value === 'number' ? value : null)

export const statKey = (stat: Stat) => (stat === 'median' ? 'p50' : stat) as 'p50' | 'mean' | 'p95'
export const SPREAD_KEYS = { iqr: ['p25', 'p75'], range: ['min', 'max'], ci: ['low', 'high'] } as const

// What the chart is, for who does not see it.
export function chartWords(chart: ChartState, answer: Answer, catalogue: Catalogue, drawn = answer.drawn) {
  const name = (id: string | undefined) => (id ? lowerFirst(longName(catalogue.get(id))) : '')
  const { x, y, colour } = { x: name(answer.x?.field), y: name(answer.y?.field), colour: name(answer.colour?.field) }
  const by = colour ? `, by ${colour}` : ''
  const of = `${count(drawn)} ${drawn === 1 ? 'experiment' : 'experiments'}`
  if (answer.lines) return `Parallel axes of ${of}: ${(answer.axes ?? []).map((axis) => name(axis?.field)).join(', ')}${by}`
  if (answer.grid) return `Heat map: ${STAT_WORDS[chart.stat]} ${name(answer.value?.field)} by ${x} and ${y} of ${of}`
  if (answer.form === 'bins') return `Histogram of ${x} of ${of}${by}`
  if (answer.form === 'groups') return `${KIND_WORDS[chart.kind]}: ${chart.kind === 'box' ? '' : `${STAT_WORDS[chart.stat]} `}${y} by ${x} of ${of}${by}`
  return `${KIND_WORDS[chart.kind]} of ${of}: ${y} against ${x}${by}`
}

export const canBeLog = (field: Field) => isNumeric(field)
