// The chart in an address: only values that differ from the automatic ones.
//
//   chart=bar|…|off   x= y= value= color= shape= size=   fields; color, shape, size may be empty: none
//   axes=a,b,c        of parallel axes
//   log=x,-y (a logarithmic x, a linear y; an axis that is not named is chosen by its values)
//   stat=mean  spread=iqr  base=data  simulated=1  match=1  point=ID  as=table  slo=FIELD:VALUE
//   baselines=1,2     public results that are drawn in gray

export const CHART_KINDS = ['scatter', 'line', 'bar', 'box', 'histogram', 'heat', 'parallel'] as const
export type ChartKind = (typeof CHART_KINDS)[number]
export const STATS = ['median', 'mean', 'p95'] as const
export type Stat = (typeof STATS)[number]
export const SPREADS = ['iqr', 'range', 'ci', 'none'] as const
export type Spread = (typeof SPREADS)[number]

export const AXES_MIN = 2
export const AXES_MAX = 8

export interface ChartState {
  isOpen: boolean
  kind: ChartKind
  x: string | null // null: chosen automatically for the kind
  y: string | null
  value: string | null // the value of the cells of a heat map
  axes: string[] | null // of parallel axes
  color: string | null // '': none
  shape: string
  size: string
  logX: boolean | null // null: chosen by the values
  logY: boolean | null
  stat: Stat
  spread: Spread
  fromData: boolean // bars: the axis begins where the data do, not at zero
  withSimulated: boolean
  match: boolean // only results whose other inputs occur in every group
  point: number | null // the pinned experiment
  asTable: boolean
  slo: { field: string; value: number } | null // a limit of latency, as stored
  baselines: number[]
}

export const CHART: ChartState = {
  isOpen: true,
  kind: 'scatter',
  x: null,
  y: null,
  value: null,
  axes: null,
  color: null,
  shape: '',
  size: '',
  logX: null,
  logY: null,
  stat: 'median',
  spread: 'iqr',
  fromData: false,
  withSimulated: false,
  match: false,
  point: null,
  asTable: false,
  slo: null,
  baselines: [],
}

export const CHART_NAMES = [
  'chart',
  'x',
  'y',
  'value',
  'axes',
  'color',
  'shape',
  'size',
  'log',
  'stat',
  'spread',
  'base',
  'simulated',
  'match',
  'point',
  'as',
  'slo',
  'baselines',
]

export function writeChart(chart: ChartState): [string, string][] {
  const pairs: [string, string][] = []
  if (!chart.isOpen) pairs.push(['chart', `off${chart.kind === CHART.kind ? '' : `,${chart.kind}`}`])
  else if (chart.kind !== CHART.kind) pairs.push(['chart', chart.kind])
  for (const name of ['x', 'y', 'value', 'color'] as const) if (chart[name] !== null) pairs.push([name, chart[name]])
  if (chart.axes !== null) pairs.push(['axes', chart.axes.join(',')])
  for (const name of ['shape', 'size'] as const) if (chart[name]) pairs.push([name, chart[name]])
  const scales = (
    [
      ['x', chart.logX],
      ['y', chart.logY],
    ] as const
  ).flatMap(([axis, isLog]) => (isLog === null ? [] : [isLog ? axis : `-${axis}`]))
  if (scales.length) pairs.push(['log', scales.join(',')])
  if (chart.stat !== CHART.stat) pairs.push(['stat', chart.stat])
  if (chart.spread !== CHART.spread) pairs.push(['spread', chart.spread])
  if (chart.fromData) pairs.push(['base', 'data'])
  if (chart.withSimulated) pairs.push(['simulated', '1'])
  if (chart.match) pairs.push(['match', '1'])
  if (chart.point !== null) pairs.push(['point', String(chart.point)])
  if (chart.asTable) pairs.push(['as', 'table'])
  if (chart.slo) pairs.push(['slo', `${chart.slo.field}:${chart.slo.value}`])
  if (chart.baselines.length) pairs.push(['baselines', chart.baselines.join()])
  return pairs
}

const among = <T extends string>(list: readonly T[], word: string | null | undefined, usual: T): T =>
  list.find((one) => one === word) ?? usual

// Fewer than two axes count as none, because a line needs two.
function readAxes(text: string | null) {
  const axes = (text ?? '').split(',').filter(Boolean).slice(0, AXES_MAX)
  return axes.length >= AXES_MIN ? axes : null
}

function readSlo(text: string | null): ChartState['slo'] {
  const [, field = '', number] = /^([^:]+):(.+)$/.exec(text ?? '') ?? []
  const value = Number(number)
  return field && value > 0 && Number.isFinite(value) ? { field, value } : null
}

const BASELINES_MOST = 20

export const readBaselines = (text: string | null) =>
  [...new Set((text ?? '').split(',').map(Number))]
    .filter((id) => Number.isSafeInteger(id) && id > 0)
    .slice(0, BASELINES_MOST)

const readScale = (words: string[], axis: string) =>
  words.includes(axis) ? true : words.includes(`-${axis}`) ? false : null

export function readChart(query: URLSearchParams): ChartState {
  const words = (query.get('chart') ?? '').split(',')
  const log = (query.get('log') ?? '').split(',')
  const point = Number(query.get('point'))
  return {
    isOpen: words[0] !== 'off',
    kind: among(CHART_KINDS, words.at(-1), CHART.kind),
    x: query.get('x') || null,
    y: query.get('y') || null,
    value: query.get('value') || null,
    axes: readAxes(query.get('axes')),
    color: query.get('color'),
    shape: query.get('shape') ?? '',
    size: query.get('size') ?? '',
    logX: readScale(log, 'x'),
    logY: readScale(log, 'y'),
    stat: among(STATS, query.get('stat'), CHART.stat),
    spread: among(SPREADS, query.get('spread'), CHART.spread),
    fromData: query.get('base') === 'data',
    withSimulated: query.get('simulated') === '1',
    match: query.get('match') === '1',
    point: Number.isSafeInteger(point) && point > 0 ? point : null,
    asTable: query.get('as') === 'table',
    slo: readSlo(query.get('slo')),
    baselines: readBaselines(query.get('baselines')),
  }
}
