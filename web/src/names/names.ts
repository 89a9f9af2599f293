// Names that distinguish the things in view: what varies among them, in a fixed order of importance ("c256 · 1k/256").
import type { Field } from '../api/types'
import { nullWord } from '../format/value'
import { cutApart, cutMiddle } from './cut'

export interface Thing {
  values: Readonly<Record<string, unknown>> // by field; a field that is not recorded has no entry
  name?: string | null | undefined // its own name
  id: string // unique among the things
  letters?: number | undefined // of the short name, at most; missing: any number
}

export interface DistinctName {
  short: string
  full: string // for hover and screen readers
}

interface DerivedName extends DistinctName {
  isLabel: boolean // the short name begins with what varies
}

// The values of one field in a group of runs, each once.
export class Several {
  constructor(
    readonly values: readonly unknown[],
    readonly distinct = values.length,
  ) {}
}

export interface Fields {
  get: (id: string) => Field
  fields: readonly Field[]
  byId?: ReadonlyMap<string, Field>
}

// One component of a name. `texts` goes from the shortest form to the longest; the first that keeps different values
// different is used.
interface Aspect {
  label: string
  plural: string
  ids: string[]
  texts: ((value: unknown) => string)[]
  isKnown: boolean
  short?: string // abbreviated label
  isFill?: boolean // shown next to the components that are needed, while there is room
}

const FILL = 3
const USUAL_MOST = 4
const MOST = 6
const LISTED = 2
const TEXT_MOST = 24 // letters of one component where the name has no limit
const TEXT_LEAST = 10 // letters of a component that is cut to fit
const TIE_LEAST = 9 // letters of what tells things with equal components apart
const TIE_WANTED = 16
export const SEPARATOR = ' · '
const NOT_RECORDED = 'not recorded'

const raw = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

// 1024 and 1000 as "1k"; 1500 stays.
function kilo(value: unknown) {
  if (typeof value !== 'number' || value < 1000) return raw(value)
  return value % 1024 === 0 ? `${value / 1024}k` : value % 1000 === 0 ? `${value / 1000}k` : String(value)
}

const lastPart = (value: unknown) => raw(value).replace(/\/+$/, '').replace(/^.*\//, '')
const withoutMaker = (value: unknown) => raw(value).replace(/^(NVIDIA|AMD Instinct|AMD|Intel) (?=\S)/, '')
const gpu = (value: unknown) =>
  withoutMaker(value)
    .replace(/^(GeForce |Tesla |Quadro )/, '')
    .replace(/([A-Z]+\d+\w*)[ -].*$/, '$1')
const rate = (value: unknown) => (value === Infinity || value === 'inf' ? 'rate inf' : `${raw(value)}/s`)
const version = (value: unknown) => (/^\d/.test(raw(value)) ? `v${raw(value)}` : raw(value))

const aspect = (label: string, ids: string[], ...texts: ((value: unknown) => string)[]): Aspect => ({
  label,
  plural: `${label}s`,
  ids,
  texts: texts.length ? texts : [raw],
  isKnown: true,
  isFill: true,
})
const noFill = (made: Aspect): Aspect => ({ ...made, isFill: false })
const short = (label: string, id: string) => aspect(label, [id], (value) => `${label} ${raw(value)}`)

const INPUT_LENGTHS = ['benchmark.random_input_len', 'benchmark.input_len', 'benchmark.sonnet_input_len']
const OUTPUT_LENGTHS = [
  'benchmark.random_output_len',
  'benchmark.output_len',
  'benchmark.sonnet_output_len',
  'benchmark.sharegpt_output_len',
  'benchmark.hf_output_len',
  'benchmark.custom_output_len',
]
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
  noFill({
    ...aspect('EP', ['server.enable_expert_parallel'], (value) =>
      value === true ? 'EP' : value === false ? 'no EP' : `EP ${raw(value)}`,
    ),
    plural: 'EP',
  }),
  noFill(
    aspect(
      'GPU count',
      ['derived.gpu_count', 'system.hardware_info.gpu_count'],
      (value) => `${raw(value)} ${value === 1 ? 'GPU' : 'GPUs'}`,
    ),
  ),
  aspect('quantization', ['server.quantization']),
  aspect('dtype', ['server.dtype']),
  noFill(aspect('KV cache type', ['server.kv_cache_dtype'], (value) => `KV ${raw(value)}`)),
  aspect('concurrency', ['benchmark.max_concurrency'], (value) => `c${raw(value)}`),
  aspect('request rate', ['benchmark.request_rate'], rate),
  LENGTHS,
  noFill(aspect('dataset', ['benchmark.dataset_name'])),
  noFill({
    ...aspect('prompts', ['benchmark.num_prompts'], (value) => `${raw(value)} ${value === 1 ? 'prompt' : 'prompts'}`),
    plural: 'numbers of prompts',
  }),
]
// Other fields that never name a run: addresses, files, secrets, seeds and copies of what a component above shows. Most
// are in one of these groups or have one of these keys; the key is exact, so "token" does not match "spec_tokens".
const NEVER_GROUPS = /^(launch|derived|system|environment|run|tags)\./
const NEVER_FIELDS = /^(server\.served_model_name|benchmark\.(model|tokenizer|backend|endpoint))$/
const NEVER_KEYS = new Set([
  'address',
  'allowed_local_media_path',
  'api_key',
  'base_url',
  'cache_dir',
  'data_parallel_address',
  'data_parallel_rpc_port',
  'data_parallel_supervisor_port',
  'dataset_path',
  'dataset_sha256',
  'debug_dump_path',
  'dir',
  'download_dir',
  'dump_dir',
  'ec_connector_module_path',
  'ec_port',
  'file',
  'grpc_port',
  'hf_config_path',
  'hf_token',
  'host',
  'key',
  'kv_connector_module_path',
  'kv_port',
  'log_config_file',
  'lora_path',
  'master_port',
  'mm_encoder_fp8_scale_path',
  'mm_encoder_fp8_scale_save_path',
  'path',
  'port',
  'proton_profiler_dir',
  'pylogging_config_file',
  'qlora_adapter_name_or_path',
  'quantization_param_path',
  'result_dir',
  'result_filename',
  'root_path',
  'seed',
  'sha256',
  'torch_profiler_dir',
  'trace_dir',
  'trace_file_path',
  'url',
])
const lastKey = (id: string) => id.slice(id.lastIndexOf('.') + 1)
const isNeverName = (id: string) => NEVER_GROUPS.test(id) || NEVER_FIELDS.test(id) || NEVER_KEYS.has(lastKey(id))

// Fields to request for things that get a name: those above, and arguments that are often varied alone.
const OFTEN = [
  'server.max_model_len',
  'server.max_num_seqs',
  'server.max_num_batched_tokens',
  'server.gpu_memory_utilization',
  'server.enable_prefix_caching',
]
export const NAMING_FIELDS = [
  ...new Set([
    ...OFTEN,
    ...KNOWN.flatMap(({ ids }) => ids),
    ...INPUT_LENGTHS.slice(0, 2),
    ...OUTPUT_LENGTHS.slice(0, 2),
  ]),
]

const listOf = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : value instanceof Several ? value.values : [value]

// A sweep names a field by its last part, too.
function read({ values }: Thing, ids: string[]): unknown {
  for (const id of ids) {
    const value = values[id] ?? values[lastKey(id)]
    if (value !== undefined && value !== null) return value
  }
  return ids.some((id) => values[id] === null) ? null : undefined
}

const isSeveral = (value: unknown) => value instanceof Several && value.distinct > 1
const isNothing = (value: unknown) => value === null || value === undefined

function textOf(value: unknown, { plural }: Aspect, text: (value: unknown) => string) {
  if (value instanceof Several && value.distinct > LISTED) {
    const numbers = value.values.filter((one) => typeof one === 'number')
    return numbers.length === value.values.length
      ? `${text(Math.min(...numbers))}–${raw(Math.max(...numbers))}`
      : `${value.distinct} ${plural}`
  }
  return listOf(value)
    .filter((one) => !isNothing(one))
    .map(text)
    .join(', ')
}

const lengthText = (thing: Thing, text: (value: unknown) => string) => {
  const [input, output] = [INPUT_LENGTHS, OUTPUT_LENGTHS].map((ids) => textOf(read(thing, ids), LENGTHS, text))
  return input && output ? `${input}/${output}` : input ? `${input} in` : output ? `${output} out` : ''
}

const valuesOf = (thing: Thing, one: Aspect) =>
  one === LENGTHS ? [read(thing, INPUT_LENGTHS), read(thing, OUTPUT_LENGTHS)] : read(thing, one.ids)

interface Component {
  aspect: Aspect
  texts: string[] // by thing; '' where nothing is recorded
  shorts?: string[] // abbreviated texts, for names that are too long
  isClean: boolean // no thing has several values
}

const keyOf = (value: unknown) => JSON.stringify(value instanceof Several ? value.values : (value ?? null))

function componentOf(things: readonly Thing[], one: Aspect): Component | null {
  const values = things.map((thing) => valuesOf(thing, one))
  const keys = values.map(keyOf)
  const distinct = new Set(keys).size
  if (distinct < 2) return null
  const forms =
    one === LENGTHS
      ? [kilo, raw].map((text) => things.map((thing) => lengthText(thing, text)))
      : one.texts.map((text) => values.map((value) => textOf(value, one, text)))
  const texts = forms.find((form) => new Set(form).size === distinct) ?? forms.at(-1) ?? []
  if (new Set(texts).size < 2) return null
  const amount = IN_TOKENS.has(one.label) ? kilo : raw
  const shorts = one.short && values.map((value) => textOf(value, one, (single) => `${one.short} ${amount(single)}`))
  return {
    aspect: one,
    texts,
    ...(shorts && new Set(shorts).size === distinct && { shorts }),
    isClean: !values.flat().some(isSeveral),
  }
}

// Labels of arguments that are often varied, for names that are too long.
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  max_num_seqs: 'seqs',
  max_num_batched_tokens: 'batched',
  max_model_len: 'ctx',
  gpu_memory_utilization: 'mem',
  block_size: 'block',
  swap_space: 'swap',
  num_speculative_tokens: 'spec',
}
const IN_TOKENS = new Set(['max_num_batched_tokens', 'max_model_len'])

// An input that has no component of its own: "max_num_seqs 64"; a switch by its name alone.
function aspectOf(id: string): Aspect {
  const label = lastKey(id)
  const text = (value: unknown) => {
    if (typeof value === 'boolean') return `${value ? '' : 'no '}${label.replace(/^enable_/, '').replaceAll('_', ' ')}`
    return `${label} ${raw(value)}`
  }
  const short = ABBREVIATIONS[label]
  return { label, plural: `${label} values`, ids: [id], texts: [text], isKnown: false, ...(short && { short }) }
}

function componentsOf(things: readonly Thing[], fields: Fields): Component[] {
  const known = new Set([...KNOWN.flatMap(({ ids }) => ids), ...INPUT_LENGTHS, ...OUTPUT_LENGTHS])
  const isCovered = (id: string) => known.has(id) || known.has(`server.${id}`) || known.has(`benchmark.${id}`)
  const others = new Set(
    things
      .flatMap(({ values }) => Object.keys(values))
      .filter((id) => !isCovered(id) && !isNeverName(id) && fields.get(id).role !== 'output'),
  )
  const place = new Map(fields.fields.map(({ id }, at) => [id, at]))
  const sorted = [...others].sort((a, b) => (place.get(a) ?? Infinity) - (place.get(b) ?? Infinity) || 0)
  return [...KNOWN, ...sorted.map(aspectOf)].flatMap((one) => componentOf(things, one) ?? [])
}

// "…num_seqs 256": the end of a parameter's name distinguishes it, so the words before it are cut first.
function withoutStart(text: string, most: number, label: string) {
  if (text.length <= most || !text.startsWith(`${label} `)) return text
  const words = label.split('_')
  const shorter = words.slice(1).map((_, i) => `…${words.slice(i + 1).join('_')}${text.slice(label.length)}`)
  return shorter.find((one) => one.length <= most) ?? text
}

// Cuts the values of a component to their rooms, so that different ones still look different. A value has one text in
// all names.
function withRooms(component: Component, rooms: readonly number[]): Component {
  const letters = new Map<string, number>()
  for (const [at, text] of component.texts.entries())
    letters.set(text, Math.min(letters.get(text) ?? Infinity, rooms[at] ?? Infinity))
  const all = [...letters]
  const cut = cutApart(
    all.map(([text, most], i) => ({
      text: withoutStart(text, most, component.aspect.label),
      letters: most,
      mark: `#${i + 1}`,
    })),
  )
  const short = new Map(all.map(([text], i) => [text, cut[i] ?? '']))
  return { ...component, texts: component.texts.map((text) => short.get(text) ?? '') }
}

const joined = (components: readonly Component[], at: number) =>
  components
    .map(({ texts }) => texts[at])
    .filter(Boolean)
    .join(SEPARATOR)
const countDistinct = (components: readonly Component[], things: readonly Thing[]) =>
  new Set(things.map((_, at) => joined(components, at))).size
const roomOf = ({ letters = Infinity }: Thing) => letters
const fits = (components: readonly Component[], things: readonly Thing[]) =>
  things.every((thing, at) => joined(components, at).length <= roomOf(thing))

// The components of a name: those that distinguish more things than the ones before them, then others that vary while
// the name is short.
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
    if ((chosen.length > USUAL_MOST || one.aspect.isFill === false) && countDistinct(fewer, things) === distinct)
      chosen = fewer
  }
  for (const one of all) {
    const more = [...chosen, one]
    if (
      chosen.length > 0 &&
      chosen.length < fill &&
      one.isClean &&
      one.aspect.isFill &&
      !chosen.includes(one) &&
      fits(more, things)
    )
      chosen = more
  }
  return all.filter((one) => chosen.includes(one))
}

// The components that each thing shows: a name that is too long loses those without which no other thing has the rest
// of it, the last first. The first component, the most important one, stays.
function shownOf(things: readonly Thing[], chosen: Component[], rooms: readonly number[]): Component[][] {
  const counts = new Map<string, Map<string, number>>() // of things by their names, by components
  const countsOf = (components: Component[]) => {
    const key = components.map((one) => chosen.indexOf(one)).join()
    const known = counts.get(key)
    if (known) return known
    const made = new Map<string, number>()
    for (const at of things.keys()) made.set(joined(components, at), (made.get(joined(components, at)) ?? 0) + 1)
    counts.set(key, made)
    return made
  }
  const countOf = (components: Component[], at: number) => countsOf(components).get(joined(components, at))
  return things.map((_, at) => {
    let shown = chosen
    for (const one of chosen.slice(1).toReversed()) {
      if (joined(shown, at).length <= (rooms[at] ?? Infinity)) break
      const fewer = shown.filter((other) => other !== one)
      if (joined(fewer, at) !== '' && countOf(fewer, at) === countOf(shown, at)) shown = fewer
    }
    return shown
  })
}

// The names by components. If one is too long, all names have abbreviated components. If that is not enough, its
// longest component is cut.
function labelsOf(things: readonly Thing[], asChosen: Component[]): string[] {
  const isLong = !fits(asChosen, things)
  const chosen = asChosen.map((one) => (isLong && one.shorts ? { ...one, texts: one.shorts } : one))
  const alike = Map.groupBy(things.keys(), (at) => joined(chosen, at))
  const rooms = things.map(
    (thing, at) =>
      roomOf(thing) - ((alike.get(joined(chosen, at))?.length ?? 0) > 1 ? SEPARATOR.length + TIE_WANTED : 0),
  )
  const shown = shownOf(things, chosen, rooms)
  const cut = new Map(
    chosen.map((one) => [
      one,
      withRooms(
        one,
        things.map((_, at) => {
          const texts = (shown[at] ?? []).map(({ texts: all }) => all[at] ?? '')
          const over = texts.filter(Boolean).join(SEPARATOR).length - (rooms[at] ?? Infinity)
          const own = one.texts[at] ?? ''
          const isLongest = texts.every((text) => text.length <= own.length)
          if (!Number.isFinite(over)) return TEXT_MOST
          return over > 0 && isLongest ? Math.max(TEXT_LEAST, own.length - over) : Infinity
        }),
      ),
    ]),
  )
  return things.map((_, at) =>
    joined(
      (shown[at] ?? []).map((one) => cut.get(one) ?? one),
      at,
    ),
  )
}

const ownName = ({ name }: Thing) => name?.trim() || ''

// Returns the texts that distinguish things of one label: their own names if those differ, else their ids, in the room
// that the label leaves.
function tiesOf(same: readonly Thing[], labels: readonly string[]): string[] {
  const names = same.map(ownName)
  const isNamed = new Set(names).size === same.length && !names.includes('')
  return cutApart(
    same.map((thing, i) => {
      const room = roomOf(thing) - (labels[i] ? (labels[i]?.length ?? 0) + SEPARATOR.length : 0)
      return { text: isNamed ? ownName(thing) : thing.id, letters: Math.max(TIE_LEAST, room), mark: String(i + 1) }
    }),
  )
}

// The short name of each thing, unique among them, and the full one: its own name with each component in words.
// `fill`: the number of components up to which others that vary are added; 0 where there is little room.
export function distinctNames(things: readonly Thing[], fields: Fields, fill = FILL): DerivedName[] {
  const chosen = chosenOf(things, componentsOf(things, fields), fill)
  const labels = labelsOf(things, chosen).map(
    (label, at) => label || nothingText(things[at] as Thing, chosen[0], things, fields),
  )
  const shorts = [...labels]
  for (const same of Map.groupBy(things.keys(), (at) => labels[at]).values()) {
    if (same.length < 2) continue
    const ties = tiesOf(
      same.map((at) => things[at] as Thing),
      same.map((at) => labels[at] ?? ''),
    )
    same.forEach((at, i) => {
      shorts[at] = [labels[at], ties[i]].filter(Boolean).join(SEPARATOR)
    })
  }
  return things.map((thing, at) => ({
    short: shorts[at] || cutMiddle(ownName(thing) || thing.id, roomOf(thing)),
    full: fullOf(thing, chosen, fields),
    isLabel: labels[at] !== '' && labels[at] !== ownName(thing),
  }))
}

// A thing without any value that would name it: its own name, or if others have that too, what it lacks.
function nothingText(thing: Thing, first: Component | undefined, things: readonly Thing[], fields: Fields) {
  if (!first) return ''
  if (ownName(thing) && things.filter((other) => ownName(other) === ownName(thing)).length === 1) return ownName(thing)
  const { label, ids } = first.aspect
  const isUnset = read(thing, ids) === null && nullWord(fields.get(ids[0] ?? ''), NOT_RECORDED) !== NOT_RECORDED
  return isUnset ? `no ${label}` : `${label} ${NOT_RECORDED}`
}

function fullOf(thing: Thing, chosen: readonly Component[], fields: Fields) {
  const parts = chosen.map(({ aspect: one }) => {
    if (one === LENGTHS) return `lengths ${lengthText(thing, raw)}`
    const value = read(thing, one.ids)
    const field = fields.get(one.ids[0] ?? '')
    const label = one.isKnown ? one.label : field.label
    if (isNothing(value)) return `${label} ${value === null ? nullWord(field, NOT_RECORDED) : NOT_RECORDED}`
    return `${label} ${textOf(value, one, raw)}`
  })
  return [ownName(thing) || thing.id, parts.join(', ')].filter(Boolean).join(': ')
}
