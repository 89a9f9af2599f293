// Names that distinguish the things in view: what varies among them, in a fixed order of importance ("c256 · 1k/256").
import type { Field } from '../api/types'

export interface Thing {
  values: Readonly<Record<string, unknown>> // by field; a field that is not recorded has no entry
  name?: string | null | undefined // its own name
  id: string // unique among the things
}

export interface DistinctName {
  short: string
  full: string // for hover and screen readers
}

// The values of one field in a group of runs, each once.
export class Several {
  constructor(readonly values: readonly unknown[], readonly distinct = values.length) {}
}

export interface Fields {
  get: (id: string) => Field
  fields: readonly Field[]
  byId?: ReadonlyMap<string, Field>
}

// One component of a name. `texts` goes from the shortest form to the longest; the first that keeps different values different is used.
interface Aspect {
  label: string
  plural: string
  ids: string[]
  texts: ((value: unknown) => string)[]
  isKnown: boolean
  isFill?: boolean // shown next to the components that are needed, while there is room
}

const FILL = 3
const USUAL_MOST = 4
const MOST = 6
const LISTED = 2
const CLIP = 24
export const SEPARATOR = ' · '

const raw = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
const clip = (text: string) => (text.length > CLIP ? `${text.slice(0, CLIP - 1)}…` : text)

// 1024 and 1000 as "1k"; 1500 stays.
function kilo(value: unknown) {
  if (typeof value !== 'number' || value < 1000) return raw(value)
  return value % 1024 === 0 ? `${value / 1024}k` : value % 1000 === 0 ? `${value / 1000}k` : String(value)
}

const lastPart = (value: unknown) => raw(value).replace(/\/+$/, '').replace(/^.*\//, '')
const withoutMaker = (value: unknown) => raw(value).replace(/^(NVIDIA|AMD Instinct|AMD|Intel) (?=\S)/, '')
const gpu = (value: unknown) => withoutMaker(value).replace(/^(GeForce |Tesla |Quadro )/, '').replace(/([A-Z]+\d+\w*)[ -].*$/, '$1')
const rate = (value: unknown) => (value === Infinity || value === 'inf' ? 'rate inf' : `${raw(value)}/s`)
const version = (value: unknown) => (/^\d/.test(raw(value)) ? `v${raw(value)}` : raw(value))

const aspect = (label: string, ids: string[], ...texts: ((value: unknown) => string)[]): Aspect => ({ label, plural: `${label}s`, ids, texts: texts.length ? texts : [raw], isKnown: true, isFill: true })
const noFill = (made: Aspect): Aspect => ({ ...made, isFill: false })
const short = (label: string, id: string) => aspect(label, [id], (value) => `${label} ${raw(value)}`)

const INPUT_LENGTHS = ['benchmark.random_input_len', 'benchmark.input_len', 'benchmark.sonnet_input_len']
const OUTPUT_LENGTHS = ['benchmark.random_output_len', 'benchmark.output_len', 'benchmark.sonnet_output_len', 'benchmark.sharegpt_output_len', 'benchmark.hf_output_len', 'benchmark.custom_output_len']
const LENGTHS: Aspect = noFill(aspect('lengths', [], raw))

// In the order of their importance.
const KNOWN: Aspect[] = [
  aspect('model', ['server.model', 'benchmark.model'], lastPart, raw),
  noFill(aspect('engine', ['environment.engine.name'])),
  noFill(aspect('version', ['environment.engine.version'], (value) => version(value).replace(/\+.*$/, ''), version)),
  aspect('GPU', ['system.hardware_info.gpu_name'], gpu, withoutMaker, raw),
  short('TP', 'server.tensor_parallel_size'),
  short('PP', 'server.pipeline_parallel_size'),
  short('DP', 'server.data_parallel_size'),
  noFill({ ...aspect('EP', ['server.enable_expert_parallel'], (value) => (value === true ? 'EP' : value === false ? 'no EP' : `EP ${raw(value)}`)), plural: 'EP' }),
  noFill(aspect('GPU count', ['derived.gpu_count', 'system.hardware_info.gpu_count'], (value) => `${raw(value)} ${value === 1 ? 'GPU' : 'GPUs'}`)),
  aspect('quantization', ['server.quantization']),
  aspect('dtype', ['server.dtype']),
  noFill(aspect('KV cache type', ['server.kv_cache_dtype'], (value) => `KV ${raw(value)}`)),
  aspect('concurrency', ['benchmark.max_concurrency'], (value) => `c${raw(value)}`),
  aspect('request rate', ['benchmark.request_rate'], rate),
  LENGTHS,
  noFill(aspect('dataset', ['benchmark.dataset_name'])),
]
// Other fields that never name a run: addresses, files and copies of what a component above shows.
const NEVER = /(^|[._])(port|host|address|url|path|dir|file|filename|sha256|uuid|seed|hash|token|key|pid)s?$|^(launch|derived|system|environment)\.|^(run|tags)\.|^server\.served_model_name$|^benchmark\.(model|tokenizer|backend|endpoint)$/

// Fields to request for things that get a name: those above, and arguments that are often varied alone.
const OFTEN = ['server.max_model_len', 'server.max_num_seqs', 'server.max_num_batched_tokens', 'server.gpu_memory_utilization', 'server.enable_prefix_caching', 'benchmark.num_prompts']
export const NAMING_FIELDS = [...new Set([...OFTEN, ...KNOWN.flatMap(({ ids }) => ids), ...INPUT_LENGTHS.slice(0, 2), ...OUTPUT_LENGTHS.slice(0, 2)])]

const listOf = (value: unknown): readonly unknown[] => (value === undefined ? [] : value instanceof Several ? value.values : [value])

// A sweep names a field by its last part, too.
function read({ values }: Thing, ids: string[]): unknown {
  for (const id of ids) {
    const value = values[id] ?? values[id.slice(id.lastIndexOf('.') + 1)]
    if (value !== undefined && value !== null) return value
  }
  return ids.some((id) => values[id] === null) ? null : undefined
}

const isSeveral = (value: unknown) => value instanceof Several && value.distinct > 1
const isNothing = (value: unknown) => value === null || value === undefined

function textOf(value: unknown, { plural }: Aspect, text: (value: unknown) => string) {
  if (value instanceof Several && value.distinct > LISTED) {
    const numbers = value.values.filter((one) => typeof one === 'number')
    return numbers.length === value.values.length ? `${text(Math.min(...numbers))}–${raw(Math.max(...numbers))}` : `${value.distinct} ${plural}`
  }
  return listOf(value).filter((one) => !isNothing(one)).map(text).join(', ')
}

const lengthText = (thing: Thing, text: (value: unknown) => string) => {
  const [input, output] = [INPUT_LENGTHS, OUTPUT_LENGTHS].map((ids) => textOf(read(thing, ids), LENGTHS, text))
  return input && output ? `${input}/${output}` : input ? `${input} in` : output ? `${output} out` : ''
}

const valuesOf = (thing: Thing, one: Aspect) => (one === LENGTHS ? [read(thing, INPUT_LENGTHS), read(thing, OUTPUT_LENGTHS)] : read(thing, one.ids))

interface Component {
  aspect: Aspect
  texts: string[] // by thing; '' where nothing is recorded
  isClean: boolean // no thing has several values
}

const keyOf = (value: unknown) => JSON.stringify(value instanceof Several ? value.values : (value ?? null))

function componentOf(things: readonly Thing[], one: Aspect): Component | null {
  const values = things.map((thing) => valuesOf(thing, one))
  const keys = values.map(keyOf)
  const distinct = new Set(keys).size
  if (distinct < 2) return null
  const forms = one === LENGTHS ? [kilo, raw].map((text) => things.map((thing) => lengthText(thing, text))) : one.texts.map((text) => values.map((value) => textOf(value, one, text)))
  const texts = (forms.find((form) => new Set(form).size === distinct) ?? forms.at(-1) ?? []).map(clip)
  if (new Set(texts).size < 2) return null
  return { aspect: one, texts, isClean: !values.flat().some(isSeveral) }
}

// An input that has no component of its own: "max_num_seqs 64"; a switch by its name alone.
function aspectOf(id: string): Aspect {
  const label = id.slice(id.lastIndexOf('.') + 1)
  const text = (value: unknown) => {
    if (typeof value === 'boolean') return `${value ? '' : 'no '}${label.replace(/^enable_/, '').replaceAll('_', ' ')}`
    return `${label} ${raw(value)}`
  }
  return { label, plural: `${label} values`, ids: [id], texts: [text], isKnown: false }
}

function componentsOf(things: readonly Thing[], fields: Fields): Component[] {
  const known = new Set([...KNOWN.flatMap(({ ids }) => ids), ...INPUT_LENGTHS, ...OUTPUT_LENGTHS])
  const isCovered = (id: string) => known.has(id) || known.has(`server.${id}`) || known.has(`benchmark.${id}`)
  const others = new Set(things.flatMap(({ values }) => Object.keys(values)).filter((id) => !isCovered(id) && !NEVER.test(id) && fields.get(id).role !== 'output'))
  const place = new Map(fields.fields.map(({ id }, at) => [id, at]))
  const sorted = [...others].sort((a, b) => (place.get(a) ?? Infinity) - (place.get(b) ?? Infinity) || 0)
  return [...KNOWN, ...sorted.map(aspectOf)].flatMap((one) => componentOf(things, one) ?? [])
}

const joined = (components: readonly Component[], at: number) => components.map(({ texts }) => texts[at]).filter(Boolean).join(SEPARATOR)
const countDistinct = (components: readonly Component[], things: readonly Thing[]) => new Set(things.map((_, at) => joined(components, at))).size

// The components of a name: those that distinguish more things than the ones before them, then others that vary while the name is short.
function chosenOf(things: readonly Thing[], all: Component[], fill: number): Component[] {
  let chosen: Component[] = []
  let distinct = 1
  for (const one of [...all.filter(({ isClean }) => isClean), ...all.filter(({ isClean }) => !isClean)]) {
    if (distinct === things.length || chosen.length === MOST) break
    const more = countDistinct([...chosen, one], things)
    if (more > distinct) [chosen, distinct] = [[...chosen, one], more]
  }
  for (const one of chosen.toReversed()) {
    const fewer = chosen.filter((other) => other !== one)
    if ((chosen.length > USUAL_MOST || one.aspect.isFill === false) && countDistinct(fewer, things) === distinct) chosen = fewer
  }
  for (const one of all) if (chosen.length > 0 && chosen.length < fill && one.isClean && one.aspect.isFill && !chosen.includes(one)) chosen.push(one)
  return all.filter((one) => chosen.includes(one))
}

const ownName = ({ name }: Thing) => name?.trim() || ''

// The short name of each thing, unique among them, and the full one: its own name with each component in words.
// `fill`: the number of components up to which others that vary are added; 0 where there is little room.
export function distinctNames(things: readonly Thing[], fields: Fields, fill = FILL): DistinctName[] {
  const chosen = chosenOf(things, componentsOf(things, fields), fill)
  const shorts = things.map((thing, at) => joined(chosen, at) || nothingText(thing, chosen[0], things))
  const alike = Map.groupBy(things.map((_, at) => at), (at) => shorts[at])
  return things.map((thing, at) => {
    const same = alike.get(shorts[at]) ?? []
    const names = new Set(same.map((other) => ownName(things[other] as Thing)))
    const last = same.length < 2 ? '' : names.size === same.length && ownName(thing) ? ownName(thing) : thing.id
    return { short: [shorts[at], last].filter(Boolean).join(SEPARATOR) || ownName(thing) || thing.id, full: fullOf(thing, chosen, fields) }
  })
}

// A thing without any value that would name it: its own name, or if others have that too, what it lacks.
function nothingText(thing: Thing, first: Component | undefined, things: readonly Thing[]) {
  if (!first) return ''
  if (ownName(thing) && things.filter((other) => ownName(other) === ownName(thing)).length === 1) return ownName(thing)
  return read(thing, first.aspect.ids) === null ? `no ${first.aspect.label}` : `${first.aspect.label} not recorded`
}

function fullOf(thing: Thing, chosen: readonly Component[], fields: Fields) {
  const parts = chosen.map(({ aspect: one }) => {
    if (one === LENGTHS) return `lengths ${lengthText(thing, raw)}`
    const value = read(thing, one.ids)
    return `${one.isKnown ? one.label : fields.get(one.ids[0] ?? '').label} ${isNothing(value) ? (value === null ? 'unset' : 'not recorded') : textOf(value, one, raw)}`
  })
  return [ownName(thing) || thing.id, parts.join(', ')].filter(Boolean).join(': ')
}
