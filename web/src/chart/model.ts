// What a chart asks for and what its answer says, without drawing it.
import type { Field, Filter, PointsAnswer, PointsAxis, PointsRequest } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { count, type Form, formOfScale } from '../format/number'
import { AXES_MIN, type ChartKind, type ChartState, type Spread, type Stat } from '../url/chart'

export type Answer = PointsAnswer & { request: PointsRequest; at: number }

export type Role = 'x' | 'y' | 'value' | 'colour'

const GPU = 'system.hardware_info.gpu_name'
const TP = 'server.tensor_parallel_size'
const MODEL = 'server.model'
const QUANTIZATION = 'server.quantization'
const PER_GPU = 'derived.output_throughput_per_gpu'
const PER_USER = 'derived.tokens_per_s_per_user'
const OUTPUT = 'results.output_throughput'
const P99_TTFT = 'results.p99_ttft_ms'
const MEDIAN_TTFT = 'results.median_ttft_ms'
const CONCURRENCY = 'benchmark.max_concurrency'
const RATE = 'benchmark.request_rate'
const BENCH = 'benchmark.kind'
// the metrics of `vllm bench throughput` and `vllm bench latency`
const OFFLINE = ['results.tokens_per_second', 'results.avg_latency']
const FAST = [PER_GPU, OUTPUT, P99_TTFT]
const GROUPS = [TP, MODEL, QUANTIZATION, BENCH]
const COLOURS = [MODEL, GPU, TP]
const CHOICES_MAX = 24 // of the server

type Choice = NonNullable<PointsRequest['choices']>[number]

const against = (ys: string[], xs: string[]): Choice[] => ys.flatMap((y) => xs.map((x) => ({ x, y })))

// The axes of each kind of chart that the user did not choose, the preferred ones first: the server draws the first that the
// filtered results have.
const USUAL: Record<ChartKind, { choices: Choice[]; colours: string[] }> = {
  scatter: {
    choices: [
      { x: PER_USER, y: PER_GPU }, { x: MEDIAN_TTFT, y: OUTPUT }, { x: P99_TTFT, y: OUTPUT }, { x: PER_USER, y: OUTPUT }, { x: 'results.median_tpot_ms', y: OUTPUT },
      { x: CONCURRENCY, y: OUTPUT }, { x: RATE, y: OUTPUT }, { x: 'run.timestamp', y: OUTPUT }, { x: CONCURRENCY, y: MEDIAN_TTFT }, { x: 'run.timestamp', y: MEDIAN_TTFT },
      ...against([...OFFLINE, OUTPUT, MEDIAN_TTFT], [BENCH]),
    ],
    colours: COLOURS,
  },
  line: { choices: against([...FAST, ...OFFLINE], [CONCURRENCY, RATE, TP, 'run.timestamp']), colours: COLOURS },
  bar: { choices: [...against(FAST, [...GROUPS, CONCURRENCY, RATE]), ...against(OFFLINE, GROUPS.slice(-2))], colours: [GPU, MODEL, QUANTIZATION] },
  box: { choices: [...against([P99_TTFT, MEDIAN_TTFT, OUTPUT], [...GROUPS, CONCURRENCY, RATE]), ...against(OFFLINE, GROUPS.slice(-2))], colours: [GPU, MODEL, QUANTIZATION] },
  histogram: { choices: [P99_TTFT, MEDIAN_TTFT, OUTPUT, ...OFFLINE].map((x) => ({ x })), colours: [GPU, MODEL] },
  heat: { choices: FAST.flatMap((value) => against([TP, GPU, MODEL, RATE], [CONCURRENCY, RATE]).map((choice) => ({ ...choice, value }))), colours: [] },
  parallel: { choices: [], colours: [OUTPUT, P99_TTFT, GPU] },
}
const USUAL_AXES = [MODEL, GPU, TP, QUANTIZATION, CONCURRENCY, RATE, P99_TTFT, 'results.median_tpot_ms', OUTPUT]
const AXES_USUALLY = 6

// The fields that a chart shows.
export interface Axes {
  x: string // '': the chart has none, or the server has not chosen it yet
  y: string
  value: string
  colour: string
  axes: string[]
}

type AxisRole = 'x' | 'y' | 'value'
const ROLES: Record<ChartKind, AxisRole[]> = { scatter: ['x', 'y'], line: ['x', 'y'], bar: ['x', 'y'], box: ['x', 'y'], histogram: ['x'], heat: ['x', 'y', 'value'], parallel: [] }

const FORMS = { scatter: 'points', line: 'groups', bar: 'groups', box: 'groups', histogram: 'bins', heat: 'grid', parallel: 'parallel' } as const

// A line over time goes through single runs, in their order.
const formOf = (kind: ChartKind, x: string | null | undefined, catalogue: Catalogue) => (kind === 'line' && x && catalogue.get(x).type === 'time' ? 'points' : FORMS[kind])

export const isChosenByUser = (chart: ChartState) => ROLES[chart.kind].every((role) => chart[role] !== null)

// With the axes that the user chose in them.
export function choicesOf(chart: ChartState, catalogue: Catalogue): Choice[] {
  const roles = ROLES[chart.kind]
  const fixed = Object.fromEntries(roles.flatMap((role) => (chart[role] === null ? [] : [[role, chart[role]]])))
  const known = USUAL[chart.kind].choices.map((choice): Choice => ({ ...choice, ...fixed }))
    .filter((choice) => roles.every((role) => catalogue.byId.has(choice[role] ?? '')) && new Set(roles.map((role) => choice[role])).size === roles.length)
  const choices = known.map((choice) => ({ form: formOf(chart.kind, choice.x, catalogue) as NonNullable<Choice['form']>, ...choice }))
  return choices.filter((choice, at) => choices.findIndex((other) => roles.every((role) => other[role] === choice[role])) === at).slice(0, CHOICES_MAX)
}

function parallelAxes(chart: ChartState, varying: ReadonlySet<string> | undefined) {
  if (chart.axes) return chart.axes
  const usual = USUAL_AXES.filter((id) => varying?.has(id)).slice(0, AXES_USUALLY)
  return usual.length >= AXES_MIN ? usual : [TP, OUTPUT]
}

// What the chart shows: the user's choice at once, the server's as soon as its response is there.
export function axesOf(chart: ChartState, varying: ReadonlySet<string> | undefined, answer: PointsAnswer | undefined): Axes {
  const of = (role: AxisRole) => (ROLES[chart.kind].includes(role) ? (chart[role] ?? answer?.[role]?.field ?? '') : '')
  return { x: of('x'), y: of('y'), value: of('value'), colour: chart.kind === 'heat' ? '' : (chart.colour ?? answer?.colour?.field ?? ''), axes: chart.kind === 'parallel' ? parallelAxes(chart, varying) : [] }
}

export const needsVarying = (chart: ChartState) => chart.kind === 'parallel' && chart.axes === null

const SELECTED_MAX = 200
const DRAWN_DIGITS = 7 // a plot of 10,000 pixels needs 5

// Charts whose axis may be logarithmic. Bars have a length, so only the user makes their axis logarithmic.
const CAN_BE_LOG: Record<'x' | 'y', ChartKind[]> = { x: ['scatter', 'line'], y: ['scatter', 'line', 'bar', 'box'] }
export const canBeLogIn = (kind: ChartKind, axis: 'x' | 'y') => CAN_BE_LOG[axis].includes(kind)

function askedScale({ kind, logX, logY }: ChartState, axis: 'x' | 'y'): boolean | 'auto' {
  if (!canBeLogIn(kind, axis)) return false
  return (axis === 'x' ? logX : logY) ?? (kind === 'bar' ? false : 'auto')
}

export function requestOf(chart: ChartState, varying: ReadonlySet<string> | undefined, catalogue: Catalogue, tree: Filter | undefined, selected: number[]): PointsRequest {
  const { kind } = chart
  const request: Partial<PointsRequest> = { form: formOf(kind, chart.x, catalogue) }
  if (tree) request.filter = tree as PointsRequest['filter'] & object
  const choices = isChosenByUser(chart) ? [] : choicesOf(chart, catalogue)
  if (choices.length) request.choices = choices
  else for (const role of ROLES[kind]) if (chart[role]) request[role] = chart[role]
  if (kind === 'parallel') request.axes = parallelAxes(chart, varying)
  if (chart.colour) request.colour = chart.colour
  else if (chart.colour === null && USUAL[kind].colours.length) request.colour_choices = USUAL[kind].colours.filter((id) => catalogue.byId.has(id))
  if (chart.withSimulated) request.simulated = true
  if (chart.match) request.match = true
  const [logX, logY] = [askedScale(chart, 'x'), askedScale(chart, 'y')]
  if (logX) request.x_log = logX
  if (logY) request.y_log = logY
  if (kind === 'scatter') {
    if (chart.shape) request.shape = chart.shape
    if (chart.size) request.size = chart.size
  }
  if (kind === 'scatter' || kind === 'line' || kind === 'parallel') {
    request.labels = ['run.name']
    request.significant_digits = DRAWN_DIGITS
    const own = [...new Set([...(chart.point === null ? [] : [chart.point]), ...selected])].slice(0, SELECTED_MAX)
    if (own.length) request.selected = own
  }
  return request as PointsRequest
}

// The request for a frame of a film. Marks have no tooltips there, so they need no labels. Axes, color and scales stay those of the drawing
// before the film: another scale in each frame would cost more than the marks, and nobody could compare two frames.
export function filmRequestOf({ labels: _, choices, colour_choices: colours, ...request }: PointsRequest, state: ChartState, answer: PointsAnswer, catalogue: Catalogue): PointsRequest {
  const roles = Object.fromEntries(ROLES[state.kind].flatMap((role) => (answer[role] ? [[role, answer[role].field]] : [])))
  const isHeld = choices !== undefined && Object.keys(roles).length === ROLES[state.kind].length
  return {
    ...request,
    ...(isHeld ? { ...roles, form: formOf(state.kind, answer.x?.field, catalogue) } : choices && { choices }),
    ...(colours && (answer.colour ? { colour: answer.colour.field } : { colour_choices: colours })),
    ...(request.x_log === 'auto' && answer.x && { x_log: answer.x.log }),
    ...(request.y_log === 'auto' && answer.y && { y_log: answer.y.log }),
  } as PointsRequest
}

// The request of a chart with all digits, or null if its response has them.
export function exactOf({ significant_digits: digits, ...request }: PointsRequest): PointsRequest | null {
  return digits === undefined ? null : (request as PointsRequest)
}

// The same rows and axes as a chart that is drawn, for another question about them.
export function questionOf({ request, x, y, value, colour }: Answer): PointsRequest {
  const { choices: _, colour_choices: __, labels: ___, selected: ____, limit: _____, significant_digits: ______, ...rest } = request
  return { ...rest, ...(x && { x: x.field }), ...(y && { y: y.field }), ...(value && { value: value.field }), ...(colour && { colour: colour.field }) } as PointsRequest
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
  [/^simulated$/, () => 'simulated'],
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
