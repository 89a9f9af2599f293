// The fields as the web UI shows them: in a few sections instead of the many groups of the API, the usual fields first.
// An unknown group is its own section.
import type { Field } from '../api/types'
import { count } from '../format/number'

interface Rule {
  title: string
  group?: RegExp
  id?: RegExp
}

const FAMILIES = /^(Time|Inter-token|End-to-end|First Token|Token Gap|Planned|Client-side Queue|Queue-incl)/
// the first that fits
const RULES: Rule[] = [
  { title: 'Quality', id: /^quality\./ },
  {
    title: 'Hardware',
    id: /^(system\.hardware_info|launch\.gpus|derived\.gpu_count|environment\.(gpu|cpu|cuda|memory|numa))/,
  },
  { title: 'Parallelism', group: /^ParallelConfig$/ },
  { title: 'Model', group: /^(ModelConfig|LoRAConfig|LoadConfig|MultiModalConfig)$/ },
  { title: 'Latency', group: FAMILIES },
  { title: 'Utilization', id: /^(system|telemetry|series)\./ },
  { title: 'Cost', id: /^(derived\.(cost|carbon)_|results\.energy_)/ },
  { title: 'Throughput', id: /^(results\.(?!errors)|derived\.(output|tokens))/ },
  { title: 'Workload', id: /^(benchmark|experiment\.benchmark)\./ },
  { title: 'Engine', id: /^(server|environment\.engine|target|launch\.(phases|facts))/ },
  { title: 'Provenance', id: /^(run|tags|launch|environment|error|profiling|derived|experiment|results\.errors)/ },
]
const ORDER = [
  'Model',
  'Hardware',
  'Parallelism',
  'Workload',
  'Latency',
  'Throughput',
  'Cost',
  'Quality',
  'Engine',
  'Utilization',
  'Provenance',
]
export const OPEN_AT_FIRST = ['Model', 'Hardware', 'Parallelism', 'Workload', 'Latency', 'Quality']

// The usual fields of comparisons, in this order, before the others of their section.
const FIRST = [
  'server.model',
  'benchmark.model',
  'server.quantization',
  'server.dtype',
  'server.max_model_len',
  'system.hardware_info.gpu_name',
  'derived.gpu_count',
  'server.tensor_parallel_size',
  'server.pipeline_parallel_size',
  'server.data_parallel_size',
  'benchmark.max_concurrency',
  'benchmark.request_rate',
  'benchmark.num_prompts',
  'benchmark.dataset_name',
  'benchmark.random_input_len',
  'benchmark.random_output_len',
  'results.p99_ttft_ms',
  'results.median_ttft_ms',
  'results.p99_tpot_ms',
  'results.median_tpot_ms',
  'results.p99_e2el_ms',
  'derived.output_throughput_per_gpu',
  'results.output_throughput',
  'results.request_throughput',
  'quality.verdict',
  'quality.simulated.value',
  'environment.engine.name',
  'environment.engine.version',
  'server.max_num_seqs',
  'server.max_num_batched_tokens',
  'run.name',
  'run.suite',
  'run.status',
  'run.timestamp',
]

// Columns of a first visit. Those up to the latencies fit a window of 1440 px.
export const DEFAULT_COLUMNS = [
  'quality.verdict',
  'server.model',
  'system.hardware_info.gpu_name',
  'server.tensor_parallel_size',
  'benchmark.max_concurrency',
  'derived.output_throughput_per_gpu',
  'results.p99_ttft_ms',
  'results.median_tpot_ms',
  'results.output_throughput',
  'results.median_ttft_ms',
  'results.p99_tpot_ms',
  'results.median_e2el_ms',
  'results.energy_per_token_j',
  'server.quantization',
  'benchmark.request_rate',
  'environment.engine.version',
  'run.timestamp',
]
// Parameters that are columns of a first visit where they vary. All of them are fields that name rows, which every
// request has.
export const PARAMETER_COLUMNS = [
  'benchmark.request_rate',
  'server.quantization',
  'server.max_num_seqs',
  'benchmark.random_input_len',
  'benchmark.random_output_len',
  'server.max_num_batched_tokens',
  'server.pipeline_parallel_size',
  'server.data_parallel_size',
  'server.dtype',
  'server.kv_cache_dtype',
  'server.max_model_len',
  'server.gpu_memory_utilization',
  'server.enable_prefix_caching',
  'benchmark.dataset_name',
  'benchmark.num_prompts',
]
// A card on a phone shows these on one line, without names.
export const CARD_FACTS = ['server.model', 'system.hardware_info.gpu_name', 'server.tensor_parallel_size']
// The columns of a card, until the user chooses others.
export const CARD_COLUMNS = [
  'quality.verdict',
  ...CARD_FACTS,
  'results.output_throughput',
  'results.p99_ttft_ms',
  'results.median_tpot_ms',
]

// Fields that repeat another one in most results. If they do, only one is shown.
const REPEATED: Record<string, string> = {
  'benchmark.model': 'server.model',
  'system.hardware_info.gpu_count': 'derived.gpu_count',
}

export const isRepeat = (id: string, of: string) => REPEATED[id] === of

type Counted = { values: readonly { value?: unknown; count: number }[]; more_count: number } | undefined

// Fields whose values all occur in the field that they repeat, in at least as many results. Includes fields with
// unknown values.
export function repeatedOf(facetOf: (id: string) => Counted): string[] {
  return Object.entries(REPEATED).flatMap(([id, twin]) => {
    const [own, other] = [facetOf(id), facetOf(twin)]
    if (!other) return own ? [] : [id]
    const counts = new Map(other.values.map(({ value, count: n }) => [JSON.stringify(value), n]))
    const isSame = (own?.values ?? []).every(
      ({ value, count: n }) => n <= (counts.get(JSON.stringify(value)) ?? (other.more_count > 0 ? Infinity : 0)),
    )
    return isSame ? [id] : []
  })
}

// Acronyms, which keep their letter case.
const ACRONYMS =
  /\b(gpus?|cpus?|kv|id|ids|url|uuid|json|lora|moe|eplb|dp|tp|pp|cuda|hf|ssl|api|vllm|numa|sm|ttft|tpot|itl|e2el|qps|nccl|http|os|mm|slo)\b/gi

// "tensor_parallel_size" and "Gpu name" in the usual spelling.
export function inWords(label: string) {
  const words = label
    .replace(/_|\.(?=[a-z])/g, ' ')
    .replace(ACRONYMS, (word) =>
      /^(vllm)$/i.test(word)
        ? 'vLLM'
        : /s$/i.test(word) && word.length > 2 && !/^os$/i.test(word)
          ? `${word.slice(0, -1).toUpperCase()}s`
          : word.toUpperCase(),
    )
  return words.charAt(0).toUpperCase() + words.slice(1)
}

// For column heads and chips.
export const shortName = (field: Field) => field.short_label ?? longName(field)
// "P99 TTFT"; the id of a field in no list.
export const longName = ({ id, label }: Field) => (label === id ? id : inWords(label))

// Names that are unique in one table: equal labels get their group, and if that is not enough, their id.
export function namesApart(fields: Field[]): Map<string, string> {
  const names = new Map(fields.map((field) => [field.id, longName(field)]))
  for (const more of [(field: Field) => `${longName(field)}, ${field.group}`, ({ id }: Field) => id]) {
    const counts = new Map<string, number>()
    for (const name of names.values()) counts.set(name, (counts.get(name) ?? 0) + 1)
    for (const field of fields) if ((counts.get(names.get(field.id) ?? '') ?? 0) > 1) names.set(field.id, more(field))
  }
  return names
}

export const sectionOf = (field: Field) =>
  RULES.find((rule) => (rule.group ? rule.group.test(field.group) : rule.id?.test(field.id)))?.title ?? field.group

export interface Section {
  title: string
  fields: Field[]
}

// Tags that `profllm sweep run` writes. The server lists no tags, as users choose them.
const TAGS: [id: string, label: string, help: string][] = [
  ['tags.sweep', 'Sweep', 'the sweep of the run'],
  ['tags.sweep_name', 'Sweep name', 'the name in the experiment file'],
  ['tags.sweep_set', 'Sweep set', 'the named part of the sweep'],
  ['tags.sweep_cell', 'Sweep combination', 'the ID of the combination'],
  ['tags.sweep_point', 'Sweep values', 'the values of the combination'],
  ['tags.sweep_repeat', 'Sweep repeat', 'the number of the repeat'],
]
const tagField = ([id, label, help]: (typeof TAGS)[number]): Field => ({
  id,
  label,
  help,
  group: 'Run',
  unit: '',
  type: 'text',
  direction: 'neither',
  role: 'provenance',
  aggregation: 'none',
  column: false,
  words: false,
})

export class Catalogue {
  readonly byId: ReadonlyMap<string, Field>
  readonly columns: Field[]
  readonly sections: Section[] // of columns
  private readonly text = new Map<string, string>()
  private readonly places = new Map<string, { title: string; rank: number }>()

  readonly fields: Field[]

  constructor(listed: Field[]) {
    const fields = [...listed, ...TAGS.map(tagField)]
    this.fields = fields
    this.byId = new Map(fields.map((field) => [field.id, field]))
    this.columns = fields.filter((field) => field.column)
    this.sections = this.sorted(this.columns)
  }

  // A key of a JSON argument is not listed, so only its path is known.
  get(id: string): Field {
    return (
      this.byId.get(id) ?? {
        id,
        label: id,
        help: '',
        group: 'Other',
        unit: '',
        type: 'text',
        direction: 'neither',
        role: 'output',
        aggregation: 'none',
        column: false,
        words: false,
      }
    )
  }

  // The position among fields by importance; fields that are not listed share the last one.
  rankOf(id: string) {
    return FIRST.indexOf(id) + 1 || FIRST.length + 1
  }

  // Searches names, ids, units, groups and descriptions; all words must occur. Usual fields come first, then matches of
  // the name, then matches of the description.
  search(words: string, fields = this.fields) {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
    const rank = (field: Field) => {
      const name = `${field.id} ${longName(field)}`.toLowerCase()
      const isNamed = wanted.every((word) => name.includes(word))
      return isNamed ? FIRST.indexOf(field.id) + 1 || FIRST.length + 1 : FIRST.length + 2
    }
    const found = fields.filter((field) => {
      let text = this.text.get(field.id)
      if (text === undefined) {
        text =
          `${field.id} ${longName(field)} ${shortName(field)} ${field.unit} ${field.group} ${field.help}`.toLowerCase()
        this.text.set(field.id, text)
      }
      return wanted.every((word) => text.includes(word))
    })
    return found
      .map((field) => ({ field, at: rank(field) }))
      .sort((a, b) => a.at - b.at)
      .map(({ field }) => field)
  }

  sorted(fields: Field[]): Section[] {
    const sections = new Map<string, Field[]>(ORDER.map((title) => [title, []]))
    for (const field of fields) {
      const { title } = this.placeOf(field)
      const list = sections.get(title)
      if (list) list.push(field)
      else sections.set(title, [field])
    }
    return [...sections]
      .filter(([, list]) => list.length)
      .map(([title, list]) => ({ title, fields: list.sort((a, b) => this.placeOf(a).rank - this.placeOf(b).rank) }))
  }

  // Cached, because each change lays out the panel again.
  private placeOf(field: Field) {
    let place = this.places.get(field.id)
    if (!place) {
      place = { title: sectionOf(field), rank: FIRST.indexOf(field.id) + 1 || FIRST.length + 1 }
      this.places.set(field.id, place)
    }
    return place
  }
}

const NAMED = 5

// The first few names, and the number of the others.
export const namesOf = (ids: string[], catalogue: Catalogue) =>
  ids
    .slice(0, NAMED)
    .map((id) => longName(catalogue.get(id)))
    .join(', ') + (ids.length > NAMED ? ` and ${count(ids.length - NAMED)} more` : '')
