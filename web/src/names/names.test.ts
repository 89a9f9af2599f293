import { expect, it } from 'vitest'

import type { Field } from '../api/types'
import { cutWhereAlike } from './cut'
import { distinctNames, Several, type Thing } from './names'

const LISTED = ['server.max_num_seqs', 'server.enable_prefix_caching', 'results.output_throughput', 'server.port']
const field = (id: string): Field => ({
  id,
  label: id.split('.').at(-1) ?? '',
  help: '',
  group: '',
  unit: '',
  type: 'text',
  direction: 'neither',
  role: id.startsWith('results.') ? 'output' : 'input',
  aggregation: 'none',
  column: true,
  words: false,
})
const FIELDS = { get: field, fields: LISTED.map(field) }

const things = (...values: Thing['values'][]): Thing[] =>
  values.map((of, at) => ({ values: of, name: 'nightly', id: `exp_${at}` }))
const shorts = (list: Thing[]) => distinctNames(list, FIELDS).map(({ short }) => short)

const MODEL = 'server.model'
const TP = 'server.tensor_parallel_size'
const QUANT = 'server.quantization'
const C = 'benchmark.max_concurrency'
const RATE = 'benchmark.request_rate'
const IN = 'benchmark.random_input_len'
const OUT = 'benchmark.random_output_len'
const GPU = 'system.hardware_info.gpu_name'

it('names by the fields that vary, in one order whatever order they come in', () => {
  expect(
    shorts(
      things(
        { [IN]: 1024, [OUT]: 256, [C]: 256, [MODEL]: 'Qwen/Qwen3-8B' },
        { [C]: 64, [IN]: 2048, [OUT]: 256, [MODEL]: 'Qwen/Qwen3-8B' },
        { [C]: 64, [IN]: 1024, [OUT]: 256, [MODEL]: 'Qwen/Qwen3-8B' },
      ),
    ),
  ).toEqual(['c256 · 1k/256', 'c64 · 2k/256', 'c64 · 1k/256'])
  expect(
    shorts(
      things(
        { [QUANT]: 'fp8', [TP]: 4, [MODEL]: 'Qwen/Qwen3-8B' },
        { [QUANT]: 'awq', [TP]: 2, [MODEL]: 'Qwen/Qwen3-14B' },
      ),
    ),
  ).toEqual(['Qwen3-8B · TP 4 · fp8', 'Qwen3-14B · TP 2 · awq'])
})

// an input that varies alone names a run, unless it is an address, a file, a secret or a seed
it.each([
  'server.max_num_batched_tokens',
  'server.max_num_scheduled_tokens',
  'server.speculative_config.num_speculative_tokens',
  'server.spec_tokens',
])('%s names runs', (id) => {
  const key = id.split('.').at(-1) ?? '' // as a sweep's file may have it
  for (const one of [id, key])
    expect(shorts(things({ [one]: 2048 }, { [one]: 8192 }))).toEqual([
      expect.stringMatching(/tokens 2048$/),
      expect.stringMatching(/tokens 8192$/),
    ])
})

it.each([
  'server.port',
  'port',
  'server.hf_token',
  'server.api_key',
  'server.kv_transfer_config.kv_port',
  'benchmark.seed',
  'benchmark.dataset_sha256',
  'benchmark.lora_path',
  'launch.facts.max_tokens',
  'tags.host',
])('%s never names a run', (id) => {
  expect(shorts(things({ [id]: 1 }, { [id]: 2 }))).toEqual(['exp_0', 'exp_1'])
})

it.each<[string, unknown[], string[]]>([
  [RATE, [10, 'inf', 2.5], ['10/s', 'rate inf', '2.5/s']],
  [GPU, ['NVIDIA H100 80GB HBM3', 'NVIDIA A100-SXM4-80GB', 'NVIDIA GeForce RTX 4090'], ['H100', 'A100', 'RTX 4090']],
  [GPU, ['NVIDIA A100-SXM4-40GB', 'NVIDIA A100-SXM4-80GB'], ['A100-SXM4-40GB', 'A100-SXM4-80GB']],
  [MODEL, ['a/m', 'b/m'], ['a/m', 'b/m']],
  [MODEL, ['/data/models/m1/', 'm2'], ['m1', 'm2']],
  ['environment.engine.version', ['0.11.0', '0.11.1.dev3+gabc'], ['v0.11.0', 'v0.11.1.dev3']],
  ['server.enable_expert_parallel', [true, false], ['EP', 'no EP']],
  ['server.enable_prefix_caching', [true, false], ['prefix caching', 'no prefix caching']],
  ['server.max_num_seqs', [64, 128], ['max_num_seqs 64', 'max_num_seqs 128']],
  ['max_concurrency', [8, 16], ['c8', 'c16']], // as a sweep's file has it
  [IN, [1000, 1024], ['1000 in', '1024 in']],
])('%s %j', (id, values, names) => expect(shorts(things(...values.map((value) => ({ [id]: value }))))).toEqual(names))

it('leaves out components that distinguish nothing more, addresses and results', () => {
  const list = things(
    ...[1, 2, 4, 8].flatMap((tp) =>
      [8, 16].map((c, at) => ({
        [TP]: tp,
        'derived.gpu_count': tp,
        [C]: c,
        'server.port': 8000 + at + tp,
        'results.output_throughput': tp * c,
      })),
    ),
  )
  expect(shorts(list).slice(0, 3)).toEqual(['TP 1 · c8', 'TP 1 · c16', 'TP 2 · c8'])
})

it('a thing without the value has what it has as a name, or its own name, or what it lacks', () => {
  expect(shorts(things({ [TP]: 1, [QUANT]: 'fp8' }, { [TP]: 1, [QUANT]: null }, { [TP]: 1 }))).toEqual([
    'fp8',
    'no quantization',
    'quantization not recorded',
  ])
  expect(
    shorts([
      { values: { [MODEL]: 'a/m1' }, name: 'night', id: '1' },
      { values: { [MODEL]: 'a/m2' }, name: 'night', id: '2' },
      { values: { [MODEL]: null }, name: 'failed-launch', id: '3' },
    ]),
  ).toEqual(['m1', 'm2', 'failed-launch'])
  expect(shorts(things({ [TP]: 1, [QUANT]: 'fp8' }, { [TP]: 2, [QUANT]: null }))).toEqual(['TP 1 · fp8', 'TP 2'])
})

it('is unique: by its own name, and where that repeats by its id', () => {
  expect(
    shorts([
      { values: { [C]: 8 }, name: 'a', id: '1' },
      { values: { [C]: 8 }, name: 'b', id: '2' },
      { values: { [C]: 16 }, name: 'b', id: '3' },
    ]),
  ).toEqual(['c8 · a', 'c8 · b', 'c16'])
  expect(shorts(things({ [C]: 8 }, { [C]: 8 }))).toEqual(['exp_0', 'exp_1'])
  expect(shorts(things({ [C]: 8 }))).toEqual(['nightly'])
  expect(shorts([])).toEqual([])
})

it('no more than four components, unless more are needed to tell all apart', () => {
  const values = {
    [MODEL]: ['m1', 'm2'],
    'environment.engine.version': ['0.1', '0.2'],
    [GPU]: ['H100', 'L4'],
    [TP]: [1, 2],
    [QUANT]: ['fp8', 'awq'],
    [C]: [1, 2],
  }
  const run = (bits: number) =>
    Object.fromEntries(Object.entries(values).map(([id, two], at) => [id, two[(bits >> at) & 1]]))
  // each differs from the first in one field: six are needed for the first alone
  const all = shorts(things(...[0, 1, 2, 4, 8, 16, 32].map(run)))
  expect([new Set(all).size, all[0]]).toEqual([7, 'm1 · v0.1 · H100 · TP 1 · fp8 · c1'])
  // two bits tell these apart, the third fills
  expect(shorts(things(...[0, 1, 62, 63].map(run)))).toEqual([
    'm1 · v0.1 · H100',
    'm2 · v0.1 · H100',
    'm1 · v0.2 · L4',
    'm2 · v0.2 · L4',
  ])
})

it('a group is named by the one value that its runs share, before what its runs mix', () => {
  const models = ['Qwen/Qwen3-8B', 'x/m', 'y/n']
  expect(
    shorts(
      things(
        { [MODEL]: new Several(models), [TP]: 1 },
        { [MODEL]: new Several(models.slice(1)), [TP]: new Several([2]) },
      ),
    ),
  ).toEqual(['TP 1', 'TP 2'])
  expect(shorts(things({ [C]: new Several([8, 16]) }, { [C]: new Several([32, 64, 128]) }, { [C]: 4 }))).toEqual([
    'c8, c16',
    'c32–128',
    'c4',
  ])
  expect(shorts(things({ [MODEL]: new Several(models) }, { [MODEL]: 'x/m' }))).toEqual(['3 models', 'm'])
})

it('values that begin alike are cut where they differ, all others are left whole', () => {
  const [one, two] = ['{"(256, 256, 1)":0.5,"(720, 1280, 1)":0.5}', '{"(256, 256, 1)":0.5,"(720, 1280, 1)":0.25}']
  const [first, second, third] = cutWhereAlike([one, two, 'Qwen2.5-72B-Instruct-of-any-length'], 17)
  expect(first).not.toBe(second)
  for (const text of [first, second]) expect(text?.length).toBeLessThanOrEqual(17)
  expect([first?.endsWith('.5}'), second?.endsWith('.25}'), third]).toEqual([
    true,
    true,
    'Qwen2.5-72B-Instruct-of-any-length',
  ])
  expect(cutWhereAlike([one, one], 17)).toEqual([one, one])
})

it('with little room only what is needed', () => {
  const list = things({ [MODEL]: 'a', [TP]: 1 }, { [MODEL]: 'b', [TP]: 2 })
  expect(distinctNames(list, FIELDS, 0).map(({ short }) => short)).toEqual(['a', 'b'])
})

it('the full name has the own name and each component in full', () => {
  expect(
    distinctNames(
      things(
        { [MODEL]: 'Qwen/Qwen3-8B', [IN]: 1024, [OUT]: 256 },
        { [MODEL]: 'Qwen/Qwen3-14B', [IN]: 2048, [OUT]: 256 },
      ),
      FIELDS,
    )[0],
  ).toMatchObject({ short: 'Qwen3-8B', full: 'nightly: model Qwen/Qwen3-8B' })
})

it('a parameter that is too long loses the beginning of its name, not the part that distinguishes it', () => {
  const list = [256, 1024].map(
    (value, at): Thing => ({
      values: { 'server.long_partial_seqs': value },
      name: 'n',
      id: `e${at}`,
      letters: 10,
    }),
  )
  expect(shorts(list)).toEqual(['…seqs 256', '…seqs 1024'])
})

it('known arguments of names that are too long are abbreviated, in all of them alike', () => {
  const named = (...list: [seqs: number, tokens: number][]) =>
    shorts(
      list.map(([seqs, tokens], at) => ({
        values: { 'server.max_num_seqs': seqs, 'server.max_num_batched_tokens': tokens },
        name: 'n',
        id: `e${at}`,
        letters: 38,
      })),
    )
  expect(named([512, 8192], [1024, 24576], [512, 24576])).toEqual([
    'seqs 512 · batched 8k',
    'seqs 1024 · batched 24k',
    'seqs 512 · batched 24k',
  ])
  // one argument has room
  expect(named([512, 8192], [1024, 8192])).toEqual(['max_num_seqs 512', 'max_num_seqs 1024'])
})
