import { describe, expect, it } from 'vitest'

import type { Field, ReleaseMetric, Releases } from '../api/types'
import { Catalogue } from '../fields/catalogue'
import { stateOfQuestion } from './question'
import {
  cellAddress,
  cellsAt,
  FINDING_WORDS,
  lookOfLog,
  nameOfCell,
  rangeText,
  reachOf,
  reasonOf,
  sentenceOf,
  typedValue,
} from './releases-model'

const field = (part: Partial<Field>): Field => ({
  id: 'server.max_num_seqs',
  label: 'max_num_seqs',
  help: '',
  group: '',
  unit: '',
  type: 'count',
  direction: 'neither',
  role: 'input',
  aggregation: 'none',
  column: true,
  words: false,
  ...part,
})

const SEQS = field({})
const DTYPE = field({ id: 'server.dtype', label: 'dtype', type: 'text' })
const EAGER = field({ id: 'server.enforce_eager', label: 'enforce_eager', type: 'yes' })
const catalogue = new Catalogue([SEQS, DTYPE, EAGER])

const metric = (part: Partial<ReleaseMetric> = {}): ReleaseMetric => ({
  field: 'results.p99_ttft_ms',
  label: 'p99_ttft_ms',
  unit: 'ms',
  direction: 'lower',
  effect: 0.05,
  count: 4,
  faster: 1,
  slower: 3,
  equal: 0,
  ratio: 1.122,
  low: 1.03,
  high: 1.201,
  signed_rank: { w: 9, p: 0.25, exact: true },
  sign_p: 0.625,
  finding: 'worse',
  sentence: '',
  cells: { a: [], b: [], log_ratio: [] },
  heat_map: { log_ratio: [], count: [] },
  ...part,
})

const SIDES = { a: { name: '0.31.0', value: '0.31.0', runs: 4 }, b: { name: '0.32.0', value: '0.32.0', runs: 4 } }

describe('the sentence about a metric', () => {
  const text = (of: ReleaseMetric, name = 'P99 TTFT') => sentenceOf(of, name, SIDES).replaceAll('\u00a0', ' ')

  it('has the configurations, the mean change with its interval, and both tests', () => {
    expect(text(metric())).toBe(
      'P99 TTFT: 0.32.0 is better in 1 and worse in 3 of 4 configurations, +12.2 % on average (+3.0 … +20.1 % at 95 %): worse. Wilcoxon p = 0.25, sign test p = 0.63.',
    )
    expect(text(metric({ faster: 2, slower: 2, low: 0.9, high: 1.2, finding: 'no_difference' }))).toMatch(
      /^P99 TTFT: 0\.32\.0 is better in 2 and worse in 2 of 4 .* \(−10\.0 … \+20\.0 % at 95 %\): no clear difference\./,
    )
  })

  it('omits an unknown interval and unknown tests', () => {
    const one = metric({
      count: 1,
      slower: 1,
      faster: 0,
      low: null,
      high: null,
      signed_rank: { w: null, p: null, exact: false },
      finding: 'no_interval',
    })
    expect(text(one)).toBe('P99 TTFT: 0.32.0 is better in 0 and worse in 1 of 1 configuration, +12.2 % on average.')
    expect(text(metric({ count: 0 }))).toBe('No configuration has a value of P99 TTFT with both 0.31.0 and 0.32.0.')
    expect(rangeText({ low: null, high: 1 })).toBe('')
  })

  it('does not count configurations in a finding: equal differences have no interval, too', () => {
    expect(FINDING_WORDS.no_interval).toBe('no interval')
  })

  it('says higher or lower without a better direction', () => {
    expect(text(metric({ direction: 'neither' }), 'Tokens')).toMatch(/^Tokens: 0\.32\.0 is higher in 1 and lower in 3/)
  })
})

describe('colors', () => {
  it('depend on the direction of the metric', () => {
    expect(lookOfLog({ direction: 'lower' }, 0.1)).toBe('worse')
    expect(lookOfLog({ direction: 'lower' }, -0.1)).toBe('better')
    expect(lookOfLog({ direction: 'higher' }, 0.1)).toBe('better')
    expect(lookOfLog({ direction: 'neither' }, 0.1)).toBe('moved')
    expect(lookOfLog({ direction: 'higher' }, 0)).toBe('same')
  })

  it('are strongest at the greatest difference, of at least 2 %', () => {
    expect(reachOf([[0.1, null], [-0.3]])).toBe(0.3)
    expect(reachOf([[0.001]])).toBeCloseTo(Math.log(1.02))
  })
})

describe('configurations', () => {
  const cell = (seqs: number | null, dtype: string): Releases['cells'][number] => ({
    key: `${seqs} ${dtype}`,
    label: '',
    inputs: { 'server.max_num_seqs': seqs, 'server.dtype': dtype } as unknown as Releases['cells'][number]['inputs'],
    a_count: 1,
    b_count: 1,
    a_ids: [1],
    b_ids: [2],
  })
  const axes = [
    { field: 'server.dtype', label: 'dtype', values: ['bfloat16', 'float16'] },
    { field: 'server.max_num_seqs', label: 'max_num_seqs', values: [null, 64] },
  ]
  const answer = {
    axes,
    cells: [cell(64, 'bfloat16'), cell(null, 'float16'), cell(64, 'float16')],
    heat_map: { x: 'server.max_num_seqs', y: 'server.dtype' },
  } as unknown as Releases

  it('of a cell are found by its address', () => {
    expect(cellAddress(answer, 1, 0)).toBe('[64,"bfloat16"]')
    expect(cellsAt(answer, '[64,"bfloat16"]')).toEqual([0])
    expect(cellAddress(answer, 0, 1)).toBe('[null,"float16"]')
    expect(cellsAt(answer, '[null,"float16"]')).toEqual([1])
    expect(cellsAt(answer, '[1,2]')).toEqual([])
    const alone = { ...answer, heat_map: { x: 'server.max_num_seqs', y: null } }
    expect(cellsAt(alone, cellAddress(alone, 1, 0))).toEqual([0, 2])
  })

  it('are named by the inputs that differ', () => {
    expect(nameOfCell(answer.cells[1] as Releases['cells'][number], axes, catalogue)).toBe(
      'Dtype float16, Max num seqs unset',
    )
  })

  it('without a counterpart have a reason', () => {
    const one = { key: '', label: '', count: 1, ids: [], differs: ['server.dtype', 'server.max_num_seqs'] }
    expect(reasonOf(one, '0.32.0', catalogue)).toBe('The most similar one of 0.32.0 differs in Dtype, Max num seqs.')
    expect(reasonOf({ ...one, differs: [] }, '0.32.0', catalogue)).toBe('No result of 0.32.0.')
  })
})

describe('a value in an address', () => {
  it('has the type of its field', () => {
    expect(typedValue(SEQS, '64')).toBe(64)
    expect(typedValue(SEQS, 'auto')).toBe('auto')
    expect(typedValue(DTYPE, '64')).toBe('64')
    expect(typedValue(EAGER, 'true')).toBe(true)
    expect(typedValue(DTYPE, 'true')).toBe('true')
    expect(typedValue(DTYPE, '')).toBeNull()
  })
})

describe('the address of a question', () => {
  it('has its filter, order, mode and minimum effect', () => {
    expect(
      stateOfQuestion({
        filter: { field: 'run.suite', op: 'eq', value: 'nightly' },
        order: { by: 'version', field: 'environment.profllm' },
        mode: 'sensitive',
        min_effect: 0.02,
        metrics: ['results.p99_ttft_ms'],
      }),
    ).toMatchObject({
      where: { field: 'run.suite', op: 'eq', value: 'nightly' },
      by: 'version',
      version: 'environment.profllm',
      mode: 'sensitive',
      effect: 0.02,
      metrics: ['results.p99_ttft_ms'],
      show: 'verdicts',
    })
    expect(stateOfQuestion({})).toMatchObject({ by: 'time', mode: 'strict', metrics: [] })
  })
})
