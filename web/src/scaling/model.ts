// Lines of sizes as names, numbers and words: draws nothing and requests nothing.
import type { Scaling, ScalingAxis, ScalingLine, ScalingPoint, ScalingRequest } from '../api/types'
import { slotsOf } from '../chart/slots'
import type { Catalogue } from '../fields/catalogue'
import { treeOf } from '../filter/model'
import { count, type Form, showNumber } from '../format/number'
import { NOT_RECORDED } from '../format/value'
import type { ScalingState } from '../url/scaling'

export const AXIS_NAMES: Record<ScalingAxis, string> = {
  gpus: 'GPUs',
  tensor: 'Tensor parallel size',
  pipeline: 'Pipeline parallel size',
  data: 'Data parallel size',
  expert: 'Expert parallel size',
  nodes: 'Nodes',
}

export function requestOf(state: ScalingState, catalogue: Catalogue): ScalingRequest {
  const filter = treeOf(state.choices, state.where)
  const { field } = state.metric
  const direction = state.metric.direction ?? (catalogue.byId.get(field)?.direction === 'neither' ? 'higher' : null)
  return {
    ...(filter && { filter }),
    axis: state.axis,
    metric: { field, ...(direction && { direction }) },
    gain_limit: state.gain,
    ...(state.vary.length > 0 && { vary: state.vary }),
    ...(state.withSimulated && { simulated: true }),
    ...(state.withUntrusted && { untrusted: true }),
  }
}

// A point with what its line has in common.
export interface Placed {
  line: ScalingLine
  slot: number
  point: ScalingPoint
  id: number // the newest run
  label: string // of the line
  name: string
}

export interface Numbers {
  value: number | null
  low: number | null
  high: number | null
}

const sizesOf = ({ layout }: ScalingPoint) =>
  [
    ['TP', layout.tensor],
    ['PP', layout.pipeline],
    ['DP', layout.data],
    ['EP', layout.expert],
  ].filter(([name, size]) => size !== null && (size !== 1 || name === 'TP'))

// "TP 4, PP 2, Concurrency 64"
export const layoutOf = (point: ScalingPoint) =>
  [
    ...sizesOf(point).map(([name, size]) => `${name} ${size}`),
    ...point.fields.map(({ label, value }) => `${label} ${value === null ? 'unset' : String(value)}`),
  ].join(', ')

const isHash = ({ field }: ScalingLine['fields'][0]) => field.endsWith('sha256')

// The labels of lines, without hashes if the rest tells them apart: the data of a workload follow from its other
// inputs.
function labelsOf(lines: ScalingLine[]): string[] {
  const shorts = lines.map(({ fields }) =>
    fields
      .filter((one) => !isHash(one))
      .map(({ label, value }) => `${label} ${value === null ? 'unset' : String(value)}`)
      .join(', '),
  )
  const hasHashes = lines.some(({ fields }) => fields.some(isHash))
  return hasHashes && new Set(shorts).size === lines.length && !shorts.includes('')
    ? shorts
    : lines.map(({ label }) => label)
}

// Lines that have no slot share one color, so they are in the table only.
export function placedOf({ lines }: Scaling): Placed[] {
  const slots = slotsOf(lines.slice(0, 8).map(({ id }) => id))
  const labels = labelsOf(lines)
  return lines.flatMap((line, at) =>
    line.points.map((point) => ({
      line,
      slot: slots.get(line.id) ?? -1,
      point,
      id: point.ids[point.ids.length - 1] ?? 0,
      label: labels[at] ?? line.label,
      name: `${labels[at] ?? line.label}, ${layoutOf(point)}`,
    })),
  )
}

// The configuration to look at first: of the first line, the largest size that pays.
export function bestOf(all: Placed[]): Placed | undefined {
  const on = all.filter(({ line, point }) => line === all[0]?.line && point.on_line)
  return on.find(({ line, point }) => point.size === line.stop?.from) ?? on.at(-1)
}

export const runs = (n: number) => `${count(n)} ${n === 1 ? 'run' : 'runs'}`

export const ratioOf = (value: number | null) => (value === null ? NOT_RECORDED : `${value.toFixed(2)} ×`)
export const shareOf = (value: number | null) =>
  value === null ? NOT_RECORDED : `${(value * 100).toFixed(0).replace('-', '−')} %`
// A limit as it was set: "12.5 %".
export const limitOf = (share: number) => `${Number((share * 100).toPrecision(6))} %`
export const intervalOf = ({ low, high }: Pick<Numbers, 'low' | 'high'>, show: (value: number) => string) =>
  low === null || high === null ? 'none: too few repeated runs' : `${show(low)} … ${show(high)}`
export const showIn = (form: Form) => (value: number) => `${showNumber(value, form)} ${form.unit}`.trim()

const SOURCES: Record<ScalingPoint['gpus_source'], string> = {
  arguments: 'tensor × pipeline × context × data parallel size; expert parallelism does not multiply',
  recorded: 'recorded in the result',
  remote: 'unknown: the run did not start the server',
  none: 'the run had no GPU',
  unknown: 'unknown: not recorded',
}
export const sourceOf = ({ gpus_source: source }: ScalingPoint) => SOURCES[source]

const PAYS: Record<ScalingPoint['pays'], string> = {
  none: '',
  unknown: 'not known',
  yes: 'pays',
  perhaps: 'perhaps pays',
  no: 'does not pay',
}
export const paysOf = ({ pays }: ScalingPoint) => PAYS[pays]

const CERTAINTY = { surely: 'surely', perhaps: 'perhaps', unknown: 'not known how surely' }

// Where more GPUs stop paying, in words.
export const stopOf = ({ stop }: ScalingLine, limit: number) =>
  stop === null
    ? `every size pays: no gain is below ${limitOf(limit)}`
    : `stops paying after ${stop.from} (${CERTAINTY[stop.certainty]}): each GPU up to ${stop.to} adds ${shareOf(stop.gain.value)} of an ideal one`
