// The request of a chart, and its answer in words. Draws nothing.
import type { Field, Filter, PointsResponse, PointsAxis, PointsRequest } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { count, type Form, formOfScale } from '../format/number'
import { nullWord, UNSET } from '../format/value'
import { AXES_MIN, type ChartKind, type ChartState, type Spread, type Stat } from '../url/chart'
import { type AxisRole, type Choice, type Form as AnswerForm, isList, KINDS, OUTPUT, TP, USUAL_AXES } from './kind-rows'

export type Answer = PointsResponse & { request: PointsRequest; at: number }

const CHOICES_MAX = 24 // of the server
const AXES_USUALLY = 6

// The fields that a chart shows.
export interface Axes {
  x: string // '': the chart has none, or the server has not chosen it yet
  y: string
  value: string
  color: string
  axes: string[]
}

const formOf = (kind: ChartKind, x: string | null | undefined, catalogue: Catalogue) => {
  const { form, overTime } = KINDS[kind]
  return overTime && x && catalogue.get(x).type === 'time' ? overTime : form
}

const USUAL_KINDS: Record<AnswerForm, ChartKind> = {
  points: 'scatter',
  groups: 'bar',
  bins: 'histogram',
  grid: 'heat',
  parallel: 'parallel',
}

// The kind that can draw the answer: while the next answer loads, the last one remains.
export function drawnKind(kind: ChartKind, { bins, grid, lines, groups }: PointsResponse): ChartKind {
  const form = bins ? 'bins' : grid ? 'grid' : lines ? 'parallel' : groups ? 'groups' : 'points'
  return KINDS[kind].form === form || KINDS[kind].overTime === form ? kind : USUAL_KINDS[form]
}

const isChosenByUser = (chart: ChartState) => KINDS[chart.kind].roles.every((role) => chart[role] !== null)

// With the axes that the user chose in them.
export function choicesOf(chart: ChartState, catalogue: Catalogue): Choice[] {
  const roles = KINDS[chart.kind].roles
  const fixed = Object.fromEntries(roles.flatMap((role) => (chart[role] === null ? [] : [[role, chart[role]]])))
  const known = KINDS[chart.kind].choices
    .map((choice): Choice => ({ ...choice, ...fixed }))
    .filter(
      (choice) =>
        roles.every((role) => catalogue.byId.has(choice[role] ?? '')) &&
        new Set(roles.map((role) => choice[role])).size === roles.length,
    )
  const choices = known.map((choice) => ({
    form: formOf(chart.kind, choice.x, catalogue) as NonNullable<Choice['form']>,
    ...choice,
  }))
  return choices
    .filter((choice, at) => choices.findIndex((other) => roles.every((role) => other[role] === choice[role])) === at)
    .slice(0, CHOICES_MAX)
}

function parallelAxes(chart: ChartState, varying: ReadonlySet<string> | undefined) {
  if (chart.axes) return chart.axes
  const usual = USUAL_AXES.filter((id) => varying?.has(id)).slice(0, AXES_USUALLY)
  return usual.length >= AXES_MIN ? usual : [TP, OUTPUT]
}

// Returns the axes of the chart: the user's choice immediately, the server's after its response.
export function axesOf(
  chart: ChartState,
  varying: ReadonlySet<string> | undefined,
  answer: PointsResponse | undefined,
): Axes {
  const of = (role: AxisRole) =>
    KINDS[chart.kind].roles.includes(role) ? (chart[role] ?? answer?.[role]?.field ?? '') : ''
  return {
    x: of('x'),
    y: of('y'),
    value: of('value'),
    color: KINDS[chart.kind].codes.includes('color') ? (chart.color ?? answer?.color?.field ?? '') : '',
    axes: isList(chart.kind) ? parallelAxes(chart, varying) : [],
  }
}

export const needsVarying = (chart: ChartState) => isList(chart.kind) && chart.axes === null

const SELECTED_MAX = 200
export const RUN_ID = 'run.run_id' // the table names results without a name by it
const DRAWN_DIGITS = 7 // a plot of 10,000 pixels needs 5

export const canBeLogIn = (kind: ChartKind, axis: 'x' | 'y') => KINDS[kind].log[axis] !== false

function askedScale({ kind, logX, logY }: ChartState, axis: 'x' | 'y'): boolean | 'auto' {
  const scale = KINDS[kind].log[axis]
  return scale !== false && ((axis === 'x' ? logX : logY) ?? (scale === 'auto' && 'auto'))
}

export function requestOf(
  chart: ChartState,
  varying: ReadonlySet<string> | undefined,
  catalogue: Catalogue,
  tree: Filter | undefined,
  selected: number[],
): PointsRequest {
  const { kind } = chart
  const request: PointsRequest = { form: formOf(kind, chart.x, catalogue) }
  if (tree) request.filter = tree
  const choices = isChosenByUser(chart) ? [] : choicesOf(chart, catalogue)
  if (choices.length) request.choices = choices
  else for (const role of KINDS[kind].roles) if (chart[role]) request[role] = chart[role]
  if (isList(kind)) request.axes = parallelAxes(chart, varying)
  if (chart.color) request.color = chart.color
  else if (chart.color === null && KINDS[kind].colours.length)
    request.color_choices = KINDS[kind].colours.filter((id) => catalogue.byId.has(id))
  if (chart.withSimulated) request.simulated = true
  if (chart.match) request.match = true
  const [logX, logY] = [askedScale(chart, 'x'), askedScale(chart, 'y')]
  if (logX) request.x_log = logX
  if (logY) request.y_log = logY
  for (const code of ['shape', 'size'] as const)
    if (KINDS[kind].codes.includes(code) && chart[code]) request[code] = chart[code]
  if (KINDS[kind].isNamed) {
    request.labels = chart.asTable && catalogue.byId.has(RUN_ID) ? ['run.name', RUN_ID] : ['run.name']
    request.significant_digits = DRAWN_DIGITS
    const own = [...new Set([...(chart.point === null ? [] : [chart.point]), ...selected])].slice(0, SELECTED_MAX)
    if (own.length) request.selected = own
  }
  return request
}

// The request for a frame of a film. Marks have no tooltips there, so they need no labels. Axes, color and scales stay
// those of the drawing before the film: another scale in each frame would cost more than the marks, and two frames
// could not be compared.
export function filmRequestOf(
  { labels: _, choices, color_choices: colours, ...request }: PointsRequest,
  state: ChartState,
  answer: PointsResponse,
  catalogue: Catalogue,
): PointsRequest {
  const roles = Object.fromEntries(
    KINDS[state.kind].roles.flatMap((role) => (answer[role] ? [[role, answer[role].field]] : [])),
  )
  const isHeld = choices !== undefined && Object.keys(roles).length === KINDS[state.kind].roles.length
  return {
    ...request,
    ...(isHeld ? { ...roles, form: formOf(state.kind, answer.x?.field, catalogue) } : choices && { choices }),
    ...(colours && (answer.color ? { color: answer.color.field } : { color_choices: colours })),
    ...(request.x_log === 'auto' && answer.x && { x_log: answer.x.log }),
    ...(request.y_log === 'auto' && answer.y && { y_log: answer.y.log }),
  }
}

// The request of a chart with all digits, or null if its response has them.
export function exactOf({ significant_digits: digits, ...request }: PointsRequest): PointsRequest | null {
  return digits === undefined ? null : request
}

// Returns a request with the rows and axes of a drawn chart, for another question about them.
export function questionOf({ request, x, y, value, color }: Answer): PointsRequest {
  const {
    choices: _,
    color_choices: __,
    labels: ___,
    selected: ____,
    limit: _____,
    significant_digits: ______,
    ...rest
  } = request
  return {
    ...rest,
    ...(x && { x: x.field }),
    ...(y && { y: y.field }),
    ...(value && { value: value.field }),
    ...(color && { color: color.field }),
  }
}

// ---- words ------------------------------------------------------------------------------------------

export const STAT_WORDS: Record<Stat, string> = { median: 'median', mean: 'mean', p95: 'p95' }
export const SPREAD_WORDS: Record<Spread, string> = {
  iqr: 'quartiles (p25 – p75)',
  range: 'minimum to maximum',
  ci: '95 % CI of the mean',
  none: 'none',
}

// The CI of the mean does not apply to a median.
export const spreadsOf = (stat: Stat): Spread[] =>
  stat === 'mean' ? ['iqr', 'range', 'ci', 'none'] : ['iqr', 'range', 'none']
export const spreadOf = (chart: ChartState): Spread =>
  spreadsOf(chart.stat).includes(chart.spread) ? chart.spread : 'iqr'

const REASONS: [RegExp, (name: string, field?: Field) => string][] = [
  [/_missing$/, (name) => `without ${name}`],
  [/_null$/, (name, field) => (field && nullWord(field) === UNSET ? `with ${name} unset` : `without ${name}`)],
  [/_word$/, (name) => `with text instead of a number for ${name}`],
  [/_infinite$/, (name) => `with an infinite ${name}`],
  [/_other$/, (name) => `with a less frequent ${name}`],
  [/^simulated$/, () => 'simulated'],
]

export interface LeftOut {
  reason: string
  rows: number
  words: string
}

export const NOTHINGS = ['missing', 'null', 'word', 'infinite'] as const

// Rows of groups or cells without a number, by reason.
function withoutNumber({ groups, grid }: PointsResponse): [string, number][] {
  const figures = groups ?? grid
  if (!figures) return []
  return NOTHINGS.map((why): [string, number] => [`${grid ? 'value' : 'y'}_${why}`, sum(figures[why])]).filter(
    ([, rows]) => rows > 0,
  )
}

export const sum = (list: number[]) => list.reduce((all, one) => all + one, 0)

// Adds a reason to one with the same words: null and not recorded, of a field that a user does not set.
function withSameWords(all: LeftOut[], one: LeftOut): LeftOut[] {
  const at = all.findIndex(({ words }) => words === one.words)
  return at < 0 ? [...all, one] : all.map((other, i) => (i === at ? { ...other, rows: other.rows + one.rows } : other))
}

// Why results are not on the chart, the most frequent reason first.
export function leftOutOf(answer: PointsResponse, catalogue: Catalogue): LeftOut[] {
  return [...Object.entries(answer.excluded), ...withoutNumber(answer)]
    .map(([reason, rows]) => {
      if (reason === 'too_few') return { reason, rows, words: 'with values on fewer than two axes' }
      if (reason === 'unmatched') return { reason, rows, words: 'without a match in every group' }
      const axis = reason.startsWith('x_') ? answer.x : reason.startsWith('value_') ? answer.value : answer.y
      const field = axis ? catalogue.get(axis.field) : undefined
      const name = field ? lowerFirst(longName(field)) : ''
      const words = REASONS.find(([pattern]) => pattern.test(reason))?.[1](name, field) ?? reason
      return { reason, rows, words }
    })
    .reduce(withSameWords, [])
    .sort((a, b) => b.rows - a.rows)
}

// "Output per GPU" within a sentence; acronyms keep their capitals.
export const lowerFirst = (text: string) =>
  /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text

export function formOfAxis(field: Field, axis: PointsAxis | null, values: number[] = []): Form {
  const ends = [axis?.min, axis?.max].filter((end): end is number => typeof end === 'number')
  return formOfScale(field, values.length ? values : ends)
}

// A number of the answer. JSON has words for infinite values: null.
export const finite = (value: number | string | null | undefined) => (typeof value === 'number' ? value : null)

export const statKey = (stat: Stat) => (stat === 'median' ? 'p50' : stat) as 'p50' | 'mean' | 'p95'
export const SPREAD_KEYS = { iqr: ['p25', 'p75'], range: ['min', 'max'], ci: ['low', 'high'] } as const

// Describes the chart for users who do not see it.
export function chartWords(chart: ChartState, answer: Answer, catalogue: Catalogue, drawn = answer.drawn) {
  const name = (id: string | undefined) => (id ? lowerFirst(longName(catalogue.get(id))) : '')
  const { x, y, color } = { x: name(answer.x?.field), y: name(answer.y?.field), color: name(answer.color?.field) }
  const by = color ? `, by ${color}` : ''
  const of = `${count(drawn)} ${drawn === 1 ? 'experiment' : 'experiments'}`
  if (answer.lines)
    return `Parallel axes of ${of}: ${(answer.axes ?? []).map((axis) => name(axis?.field)).join(', ')}${by}`
  if (answer.grid) return `Heat map: ${STAT_WORDS[chart.stat]} ${name(answer.value?.field)} by ${x} and ${y} of ${of}`
  if (answer.form === 'bins') return `Histogram of ${x} of ${of}${by}`
  if (answer.form === 'groups')
    return `${KINDS[chart.kind].words}: ${KINDS[chart.kind].stat ? `${STAT_WORDS[chart.stat]} ` : ''}${y} by ${x} of ${of}${by}`
  return `${KINDS[chart.kind].words} of ${of}: ${y} against ${x}${by}`
}
