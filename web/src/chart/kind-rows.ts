// One row per kind of chart, with all that is known about it except how it is drawn (the table DRAWINGS of option.ts).
// The picker, the address, the requests, the axes on offer, the options, the empty state, the table view and the tests
// are made from these rows.
import type { Field, PointsRequest } from '../api/types'
import { isNumeric } from '../format/number'
import type { ChartKind } from '../url/chart'

export type Choice = NonNullable<PointsRequest['choices']>[number]
export type AxisRole = 'x' | 'y' | 'value'
type Code = 'color' | 'shape' | 'size'
export type Form = 'points' | 'groups' | 'bins' | 'grid' | 'parallel' // of the server's answers

export interface KindRow {
  words: string // in the picker
  icon: { lines: string; dots?: string; solid?: string } // paths in a box of 16 × 16
  nouns: [one: string, several: string] // what the user selects
  form: Form
  overTime?: Form // instead of `form`, if x is a time
  roles: readonly AxisRole[] // its axes; none: a list of axes of any length
  fits?: Partial<Record<AxisRole, (field: Field) => boolean>> // which fields an axis takes; missing: all
  codes: readonly Code[] // what else a field can be shown by
  // a logarithmic scale: never, if the values need it, only if the user asks
  log: { x: false | 'auto'; y: false | 'auto' | 'asked' }
  stat?: 'group' | 'cell' // what the aggregate that the user chooses is the value of
  spread?: 'bars' | 'whiskers'
  isBeside?: true // marks of several colors in one place are next to each other
  isFromZero?: true // a mark is a length, which counts from zero
  isLine?: true // lines through places: numbers are at their values, a line ends at a missing one
  isNamed?: true // marks are single experiments, with their names
  // axes that the user did not choose, the preferred ones first: the server draws the first that the results have
  choices: Choice[]
  colours: string[] // the same for the color
}

const GPU = 'system.hardware_info.gpu_name'
export const TP = 'server.tensor_parallel_size'
const MODEL = 'server.model'
const QUANTIZATION = 'server.quantization'
const PER_GPU = 'derived.output_throughput_per_gpu'
const PER_USER = 'derived.tokens_per_s_per_user'
export const OUTPUT = 'results.output_throughput'
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

const against = (ys: string[], xs: string[]): Choice[] => ys.flatMap((y) => xs.map((x) => ({ x, y })))
const NO_LOG = { x: false, y: false } as const

export const KINDS: Record<ChartKind, KindRow> = {
  scatter: {
    words: 'Scatter',
    nouns: ['point', 'points'],
    icon: { lines: 'M2.5 2.5v11h11', dots: 'M6 9.5v.01M8.5 6.5v.01M11.5 8v.01M11.5 4v.01' },
    form: 'points',
    roles: ['x', 'y'],
    codes: ['color', 'shape', 'size'],
    log: { x: 'auto', y: 'auto' },
    isNamed: true,
    choices: [
      { x: PER_USER, y: PER_GPU },
      { x: MEDIAN_TTFT, y: OUTPUT },
      { x: P99_TTFT, y: OUTPUT },
      { x: PER_USER, y: OUTPUT },
      { x: 'results.median_tpot_ms', y: OUTPUT },
      { x: CONCURRENCY, y: OUTPUT },
      { x: RATE, y: OUTPUT },
      { x: 'run.timestamp', y: OUTPUT },
      { x: CONCURRENCY, y: MEDIAN_TTFT },
      { x: 'run.timestamp', y: MEDIAN_TTFT },
      ...against([...OFFLINE, OUTPUT, MEDIAN_TTFT], [BENCH]),
    ],
    colours: COLOURS,
  },
  line: {
    words: 'Line',
    nouns: ['point', 'points'],
    icon: { lines: 'M2.5 2.5v11h11M4.5 10.5l3-3.5 2.2 1.8L13 4.5' },
    form: 'groups',
    overTime: 'points', // over time it goes through single runs, in their order
    roles: ['x', 'y'],
    fits: { y: isNumeric },
    codes: ['color'],
    log: { x: 'auto', y: 'auto' },
    stat: 'group',
    spread: 'bars',
    isLine: true,
    isNamed: true,
    choices: against([...FAST, ...OFFLINE], [CONCURRENCY, RATE, TP, 'run.timestamp']),
    colours: COLOURS,
  },
  bar: {
    words: 'Bars',
    nouns: ['bar', 'bars'],
    icon: { lines: 'M2.5 2.5v11h11M5.5 13.5V9M8.5 13.5V5M11.5 13.5V7.5' },
    form: 'groups',
    roles: ['x', 'y'],
    fits: { y: isNumeric },
    codes: ['color'],
    log: { x: false, y: 'asked' },
    stat: 'group',
    spread: 'bars',
    isBeside: true,
    isFromZero: true,
    choices: [...against(FAST, [...GROUPS, CONCURRENCY, RATE]), ...against(OFFLINE, GROUPS.slice(-2))],
    colours: [GPU, MODEL, QUANTIZATION],
  },
  box: {
    words: 'Boxes',
    nouns: ['box', 'boxes'],
    icon: { lines: 'M8 2v2.5M8 11v3M5.5 4.5h5V11h-5zM5.5 8h5' },
    form: 'groups',
    roles: ['x', 'y'],
    fits: { y: isNumeric },
    codes: ['color'],
    log: { x: false, y: 'auto' },
    spread: 'whiskers',
    isBeside: true,
    choices: [
      ...against([P99_TTFT, MEDIAN_TTFT, OUTPUT], [...GROUPS, CONCURRENCY, RATE]),
      ...against(OFFLINE, GROUPS.slice(-2)),
    ],
    colours: [GPU, MODEL, QUANTIZATION],
  },
  histogram: {
    words: 'Histogram',
    nouns: ['bar', 'bars'],
    icon: { lines: 'M2.5 13.5h11M3.5 13.5V10h3v3.5M6.5 13.5V5h3v8.5M9.5 13.5V8h3v5.5' },
    form: 'bins',
    roles: ['x'],
    codes: ['color'],
    log: NO_LOG,
    choices: [P99_TTFT, MEDIAN_TTFT, OUTPUT, ...OFFLINE].map((x) => ({ x })),
    colours: [GPU, MODEL],
  },
  heat: {
    words: 'Heat map',
    nouns: ['cell', 'cells'],
    icon: {
      lines: 'M2.5 2.5h11v11h-11zM2.5 6.2h11M2.5 9.8h11M6.2 2.5v11M9.8 2.5v11',
      solid: 'M6.2 6.2h3.6v3.6H6.2zM9.8 2.5h3.7v3.7H9.8z',
    },
    form: 'grid',
    roles: ['x', 'y', 'value'],
    fits: { value: isNumeric },
    codes: [],
    log: NO_LOG,
    stat: 'cell',
    choices: FAST.flatMap((value) =>
      against([TP, GPU, MODEL, RATE], [CONCURRENCY, RATE]).map((choice) => ({ ...choice, value })),
    ),
    colours: [],
  },
  parallel: {
    words: 'Parallel axes',
    nouns: ['line', 'lines'],
    icon: { lines: 'M3 2.5v11M8 2.5v11M13 2.5v11M3 5l5 5.5 5-6M3 11l5-6 5 5' },
    form: 'parallel',
    roles: [],
    codes: ['color'],
    log: NO_LOG,
    isNamed: true,
    choices: [],
    colours: [OUTPUT, P99_TTFT, GPU],
  },
}

export const isList = (kind: ChartKind) => KINDS[kind].roles.length === 0

// The axes of a list that the user did not choose, as far as they vary.
export const USUAL_AXES = [MODEL, GPU, TP, QUANTIZATION, CONCURRENCY, RATE, P99_TTFT, 'results.median_tpot_ms', OUTPUT]
