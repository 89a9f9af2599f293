import { expect, it } from 'vitest'

import type { Field, Row } from '../api/types'
import { cutApart, cutMiddle, endOf } from './cut'
import { rowNames, valuesInName } from './rows'

const field = (id: string): Field => ({
  id,
  label: id,
  help: '',
  group: '',
  unit: '',
  type: 'text',
  direction: 'neither',
  role: 'input',
  aggregation: 'none',
  column: true,
  words: false,
})
const FIELDS = { get: field, fields: [] }
let made = 0
const row = (name: string | null, concurrency: number): Row => ({
  id: ++made,
  run_id: name === 'given' ? 'run_007' : `exp_20261101_120000_${made}`,
  simulated: false,
  verdict: null,
  cells: { ...(name !== null && name !== 'given' && { 'run.name': name }), 'benchmark.max_concurrency': concurrency },
})
const shown = (rows: Row[], letters?: number) => rows.map((one) => rowNames(rows, FIELDS, letters).get(one.id)?.short)

it('rows with the same name, and rows without a name, are distinguished by what varies', () => {
  const rows = [row('nightly', 8), row('nightly', 64), row('alone', 8), row(null, 1), row(null, 2)]
  expect(shown(rows)).toEqual(['c8', 'c64', undefined, 'c1', 'c2'])
  expect(rowNames(rows, FIELDS).get(rows[0]?.id ?? 0)).toEqual({
    short: 'c8',
    own: 'nightly',
    full: 'nightly: concurrency 8',
  })
  expect(rowNames(rows, FIELDS)).toBe(rowNames(rows, FIELDS))
})

it('long names that nothing but their own text tells apart are cut where they are alike', () => {
  const named = (...names: string[]) => names.map((name) => row(name, 1))
  const long = named(
    'a-long-beginning-of-a-name-gemma-4-e2b-it-and-so-on-1',
    'a-long-beginning-of-a-name-gemma-4-e2b-it-and-so-on-2',
    'a-long-beginning-of-a-name-qwen',
  )
  expect(shown(long)).toEqual([
    'a-long-beginning-…4-e2b-it-and-so-on-1',
    'a-long-beginning-…4-e2b-it-and-so-on-2',
    undefined,
  ])
  expect(shown(long, 22)).toEqual(['a-long-…and-so-on-1', 'a-long-…and-so-on-2', 'a-long-…a-name-qwen'])
  expect(shown(long, 60)).toEqual([undefined, undefined, undefined])
  expect(shown([row('given', 1), row('run-2', 1)])).toEqual([undefined, undefined])
  expect(shown(named('nightly-benchmark-of-node-8', 'nightly-benchmark-of-node-12'))).toEqual([undefined, undefined])
})

it('the values in the name of a run of a sweep are its label, in one form', () => {
  const name = (size: number, seqs: number, load: number) =>
    `tensor_parallel_size=${size} max_num_seqs=${seqs} max_concurrency=${load}`
  const rows = [
    row(name(4, 64, 32), 32),
    row(name(8, 64, 32), 32),
    row(name(8, 256, 32), 32),
    row(name(8, 256, 64), 64),
    row('ours', 1),
  ]
  expect(shown(rows)).toEqual([
    'TP 4 · c32 · max_num_seqs 64',
    'TP 8 · c32 · max_num_seqs 64',
    'TP 8 · c32 · max_num_seqs 256',
    'TP 8 · c64 · max_num_seqs 256',
    undefined,
  ])
  expect(rowNames(rows, FIELDS).get(rows[0]?.id ?? 0)).toEqual({
    short: 'TP 4 · c32 · max_num_seqs 64',
    own: '',
    full: `${name(4, 64, 32)}: TP 4, concurrency 32, max_num_seqs 64`,
  })
  expect(valuesInName('a=1 b.c=x on=true rest')).toEqual({ a: 1, 'b.c': 'x', on: true })
})

it('long file names that begin alike are shown after a label of what varies', () => {
  const name = (tail: string) => `someone__25-03-26_openai-10.0qps-itkns-512-${tail}.json`
  const rows = [
    row(name('concurrency8-FP8-215107'), 8),
    row(name('concurrency64-FP8-215150'), 64),
    row('other.json', 8),
  ]
  expect(shown(rows)).toEqual(['c8', 'c64', undefined])
  expect(rowNames(rows, FIELDS).get(rows[0]?.id ?? 0)).toEqual({
    short: 'c8',
    own: name('concurrency8-FP8-215107'),
    full: `${name('concurrency8-FP8-215107')}: concurrency 8`,
  })
  expect(shown([row(name('215107'), 8), row(name('215150'), 8)])).toEqual([
    'someone__25-03-…itkns-512-215107.json',
    'someone__25-03-…itkns-512-215150.json',
  ])
})

it('files of long names and of models with long names are named by model and load, on a phone, too', () => {
  const file = (model: string, load: number | null, prompts = 100, more = '') => ({
    ...row(
      `someone__2025-03-26_openai-10.0qps-itkns-512-otkns-85-concurrency${load}-${model}-20250326-2150${made}${more}.json`,
      load ?? 0,
    ),
    cells: {
      'run.name': `someone__2025-03-26_openai-10.0qps-itkns-512-otkns-85-concurrency${load}-${model}-20250326-2150${made}${more}.json`,
      'server.model': `maker/${model}`,
      'benchmark.max_concurrency': load,
      'benchmark.num_prompts': prompts,
    },
  })
  const [small, large, other] = ['Meta-Llama-3.1-8B-Instruct-FP8', 'Meta-Llama-3.1-70B-Instruct-FP8', 'gemma-4-E2B-it']
  const rows = [
    ...[4, 16, 128].flatMap((load) => [small, large].map((model) => file(model as string, load))),
    file(other as string, null, 250),
    file(other as string, null, 200),
  ]
  expect(shown(rows, 38)).toEqual([
    ...[4, 16, 128].flatMap((load) => [`${small} · c${load}`, `${large} · c${load}`]),
    `${other} · 250 prompts`,
    `${other} · 200 prompts`,
  ])
  const narrow = shown(rows, 28) as string[]
  expect(new Set(narrow).size).toBe(rows.length)
  for (const [at, name] of narrow.entries()) {
    expect(name.length).toBeLessThanOrEqual(28)
    expect(name).toMatch(at < 6 ? /(8B|70B)-Instruct-FP8 · c(4|16|128)$/ : /^gemma-4-E2B-it · 2[05]0 prompts$/)
  }
  // repeats: what their files differ in follows
  const repeats = [
    file(small as string, 4, 100, '_run=0'),
    file(small as string, 4, 100, '_run=1'),
    file(large as string, 8),
  ]
  expect(shown(repeats, 38)).toEqual(
    [/^Meta.* · .*0\.json$/, /^Meta.* · .*1\.json$/, /70B-Instruct-FP8 · c8$/].map((name) =>
      expect.stringMatching(name),
    ),
  )
})

it('repeats of one configuration have the last part of their run id', () => {
  const list = [row('nightly', 8), row('nightly', 8), row('nightly', 64)]
  expect(shown(list)).toEqual([`c8 · ${list[0]?.id}`, `c8 · ${list[1]?.id}`, 'c64'])
})

it('no two rows have one short name', () => {
  const rows = Array.from({ length: 100 }, (_, i) => row(i % 3 ? null : 'x', i % 7))
  const names = rows.map(
    (one) => `${rowNames(rows, FIELDS).get(one.id)?.short} ${rowNames(rows, FIELDS).get(one.id)?.own}`,
  )
  expect(new Set(names).size).toBe(100)
})

it('a name that is too long loses its middle, after a separator', () => {
  expect([
    endOf('gpt-oss-b200-tp8-c64', 8),
    endOf('gpt-oss-b200-tp8-c64', 5),
    endOf('gpt-oss-b200-tp8-c64', 2),
    endOf('abcdefghij', 6),
  ]).toEqual(['tp8-c64', 'c64', '4', 'hij'])
  expect([cutMiddle('gpt-oss-b200-tp8-c64', 20), cutMiddle('gpt-oss-b200-tp8-c64', 14)]).toEqual([
    'gpt-oss-b200-tp8-c64',
    'gpt-…tp8-c64',
  ])
})

it('names that a cut would make alike are cut where they are alike, and never look the same', () => {
  const cut = (letters: number, ...texts: string[]) =>
    cutApart(texts.map((text, i) => ({ text, letters, mark: `#${i}` })))
  expect(cut(20, 'llama-3.1-h100-tp2-c64', 'llama-3.1-h200-tp2-c64', 'short')).toEqual([
    'llama-…h100-tp2-c64',
    'llama-…h200-tp2-c64',
    'short',
  ])
  expect(cut(30, 'a-first-name-x-of-a-suite-and-one-long-end', 'a-first-name-x-in-a-suite-and-one-long-end')).toEqual([
    '…of-a-suite-and-one-long-end',
    '…in-a-suite-and-one-long-end',
  ])
  // two that differ at their ends alone, from other beginnings
  const texts = [
    'tp=4 seqs=64 load=32',
    'tp=8 seqs=64 load=32',
    'tp=4 seqs=128 load=32',
    'tp=8 seqs=128 load=32',
    'tp=4 seqs=64 load=64',
  ]
  for (const letters of [14, 16, 18]) {
    const some = cut(letters, ...texts)
    expect(new Set(some).size).toBe(texts.length)
    expect(Math.max(...some.map((one) => one.length))).toBeLessThanOrEqual(letters)
  }
})
