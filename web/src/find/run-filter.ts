// The filter for the text that finds a run: each word must occur in one of the fields that identify runs.
import type { Filter } from '../api/types'

const TEXTS = [
  'run.name',
  'run.run_id',
  'run.suite',
  'server.model',
  'system.hardware_info.gpu_name',
  'server.quantization',
]
// "tp4", "c256", as file names have them.
const SHORT_FORMS: Record<string, string> = {
  tp: 'server.tensor_parallel_size',
  pp: 'server.pipeline_parallel_size',
  dp: 'server.data_parallel_size',
  c: 'benchmark.max_concurrency',
}

function wordFilter(word: string): Filter {
  const texts: Filter[] = TEXTS.map((field) => ({ field, op: 'contains', value: word }))
  const [, letters = '', digits = ''] = /^([a-z]+)=?(\d{1,9})$/i.exec(word) ?? []
  const field = SHORT_FORMS[letters.toLowerCase()]
  return { or: field ? [...texts, { field, op: 'eq', value: Number(digits) }] : texts }
}

export const runFilter = (words: string): Filter => ({ and: words.split(/\s+/).filter(Boolean).map(wordFilter) })
