// Classifies the files of a folder by name, as `profllm-dashboard import` does.

import type { Fault } from '../api/types'

// Suffixes of src/tbl/run_artifacts.h, with the kinds of src/tbl/states.h. A suffix that contains another one is before
// it.
export const SIDE_FILES: [suffix: string, kind: string][] = [
  ['.requests.jsonl.zst', 'requests'],
  ['.series.jsonl.zst', 'series'],
  ['.server.log', 'server_log'],
  ['.client.log', 'client_log'],
  ['.client.timeline.html', 'client_plot'],
  ['.client.dataset_stats.png', 'client_plot'],
  ['.timeline.html', 'timeline'],
  ['.dataset_stats.png', 'dataset_stats'],
]

const SKIPPED: [suffix: string, why: string][] = [
  ['.journal', 'journal; use profllm recover to create its result'],
  ['.pytorch.json', 'metrics in the PyTorch format'],
  ['.pt.trace.json', 'trace; use profllm upload to upload it'],
  ['.pt.trace.json.gz', 'trace; use profllm upload to upload it'],
]
// result_ends and packed_ends of src/result/files.c
const RESULT = /\.(json|jsonl|ndjson)(\.zst|\.gz)?$/

export type Sort = { is: 'result' } | { is: 'artifact'; kind: string; stem: string } | { is: 'other'; why: string }

// A file chosen on its own is always tried; from a folder only files with the name of a result are.
export function sortOf(name: string, isOfFolder: boolean): Sort {
  for (const [suffix, kind] of SIDE_FILES)
    if (name.endsWith(suffix)) return { is: 'artifact', kind, stem: name.slice(0, -suffix.length) }
  for (const [suffix, why] of SKIPPED) if (name.endsWith(suffix)) return { is: 'other', why }
  if (!isOfFolder || RESULT.test(name)) return { is: 'result' }
  return { is: 'other', why: 'not a result' }
}

// The server lists the first errors of an item; the last one then says how many more it found (dash/upload/readers.c).
export function faultCount(faults: Fault[]) {
  const [, more] = /^(\d+) more problems are not listed$/.exec(faults.at(-1)?.message ?? '') ?? []
  return more === undefined ? faults.length : faults.length - 1 + Number(more)
}

// The prefix that the artifacts of "r.json" share.
export const stemOf = (name: string) => name.replace(/\.json$/, '')
export const lastName = (path: string) => path.slice(path.lastIndexOf('/') + 1)
