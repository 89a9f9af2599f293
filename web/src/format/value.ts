// One value as text. Callers display "not recorded" and "unset" themselves, because they are not values.
import type { Field, Row } from '../api/types'
import { type Form, formOfRow, isNumeric, PLAIN, showNumber } from './number'
import { time } from './time'
import { isParameter } from './unit'

const VERDICTS: Record<string, string> = { client_limited: 'client limited' }
const HASH_SHOWN = 12
export const NOT_RECORDED = '–'
export const UNSET = 'unset'
export const DATA_VERSION =
  'Number of changes to the stored results. Responses with the same data version show the same results.'
// Parameters that a run fills in: null means that it ended before.
const FILLED_IN = /^benchmark\.(model|endpoint|prompt_form|chat_template|dataset_sha256|request_id_prefix)$/
// The word for null: only parameters that a user sets can be unset.
export const nullWord = (field: Field, notRecorded: string = NOT_RECORDED) =>
  isParameter(field) && !FILLED_IN.test(field.id) ? UNSET : field.id === 'quality.verdict' ? 'no verdict' : notRecorded

// The format of an uploaded file, by its name in the API.
const FORMS = {
  native: 'ProfLLM result',
  flat: 'vLLM bench serve',
  console: 'vLLM bench serve, console',
  latency: 'vLLM bench latency',
  throughput: 'vLLM bench throughput',
  startup: 'vLLM bench startup',
  mm_processor: 'vLLM bench mm-processor',
  plain: 'minimal result',
} as const
export const formWord = (form: string) => FORMS[form as keyof typeof FORMS] ?? form

export const verdictWord = (verdict: string | null) =>
  verdict === null ? 'no verdict' : (VERDICTS[verdict] ?? verdict)

// A model without its organization, a GPU without its vendor; the full name is in tooltips and filters.
export function briefly(field: Field, text: string) {
  if (/\.model$/.test(field.id) && /^[\w.-]+\/[\w.-]+$/.test(text)) return text.slice(text.indexOf('/') + 1)
  return /gpu_name$/.test(field.id) ? text.replace(/^NVIDIA (?=[A-Z])/, '') : text
}

// Short forms of values in one row, unless two of them have the same short form.
export function brieflyAll(field: Field, texts: string[]) {
  const short = texts.map((text) => briefly(field, text))
  return new Set(short).size === new Set(texts).size ? short : texts
}

export function showValue(field: Field, value: unknown, form: Form): string {
  if (typeof value === 'number') return showNumber(value, form)
  if (typeof value === 'boolean') return isParameter(field) ? String(value) : value ? 'yes' : 'no'
  if (typeof value !== 'string') return JSON.stringify(value)
  if (field.type === 'time') return time(value)
  if (field.id === 'quality.verdict') return verdictWord(value)
  return value
}

// The beginning of a long hash; the whole hash is in tooltips and exports.
const shortHash = (text: string) =>
  /^(sha256:)?[0-9a-f]{40,}$/.test(text) ? `${text.slice(0, text.indexOf(':') + 1 + HASH_SHOWN)}…` : text

// The status of a run: "launch failed".
export const statusWord = (status: string) => status.replaceAll('_', ' ')
export const isFailed = (status: unknown): status is string => typeof status === 'string' && /(^|_)failed$/.test(status)

export const valueText = (field: Field, value: unknown, form: Form) =>
  field.id === 'run.status' ? statusWord(String(value)) : shortHash(briefly(field, showValue(field, value, form)))
export const withUnit = (field: Field, value: unknown, form = formOfRow(field, [value])) =>
  `${valueText(field, value, form)}${typeof value === 'number' && form.unit ? ` ${form.unit}` : ''}`
// The value as stored, for files and tooltips: in the unit of the field list.
export const wholeText = (field: Field, value: unknown) => showValue(field, value, PLAIN)

export const nameOf = (row: Row) => {
  const name = row.cells['run.name']
  return typeof name === 'string' && name.trim() ? name : (row.run_id ?? `result ${row.id}`)
}

// The full value, for tooltips and copies.
export function rawValue(value: unknown) {
  if (value === undefined) return 'not recorded'
  if (value === null) return UNSET
  return typeof value === 'string' ? value : JSON.stringify(value)
}

// Right-aligned, in figures of one width.
export const isFigure = (field: Field) => isNumeric(field) || field.type === 'time'
