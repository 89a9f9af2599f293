import { describe, expect, it } from 'vitest'

import type { Cause } from './model'
import { commandOf, fileOf, planOf } from './plan'

const cause = (field: string, before: unknown, after: unknown): Cause => ({
  field,
  label: field,
  before,
  after,
  affected_count: 1,
  series_count: 1,
  elsewhere_count: 0,
  score: 1,
})

const SEQS = cause('server.max_num_seqs', 128, 256)
const DTYPE = cause('server.dtype', 'float16', 'bfloat16')
const TORCH = cause('environment.torch', '2.9.0', '2.9.1')

describe('a plan that separates fields', () => {
  it('changes each field alone, between both ends', () => {
    expect(planOf(['server.max_num_seqs', 'server.dtype'], [TORCH, SEQS, DTYPE])).toEqual({
      points: [
        { 'server.max_num_seqs': 128, 'server.dtype': 'float16' },
        { 'server.max_num_seqs': 256, 'server.dtype': 'float16' },
        { 'server.max_num_seqs': 128, 'server.dtype': 'bfloat16' },
        { 'server.max_num_seqs': 256, 'server.dtype': 'bfloat16' },
      ],
      varied: ['server.max_num_seqs', 'server.dtype'],
      others: [],
    })
  })

  it('has both values of one field if a file cannot set the other', () => {
    expect(planOf(['environment.torch', 'server.dtype'], [TORCH, SEQS, DTYPE])).toEqual({
      points: [{ 'server.dtype': 'float16' }, { 'server.dtype': 'bfloat16' }],
      varied: ['server.dtype'],
      others: ['environment.torch'],
    })
  })

  it('does not exist if a file can set none', () => {
    expect(planOf(['environment.torch', 'environment.kernel'], [TORCH])).toBeNull()
    expect(planOf(['server.dtype'], [DTYPE])).toBeNull()
  })

  it('is an experiment file', () => {
    const plan = planOf(['environment.torch', 'server.dtype'], [TORCH, DTYPE])
    expect(plan && fileOf('server:\n  model: m\n', plan)).toBe(
      'server:\n  model: m\nsweep:\n  points:\n    - {"server.dtype": "float16"}\n    - {"server.dtype": "bfloat16"}\n',
    )
    expect(commandOf('a.yaml')).toBe('profllm sweep run --repeats 5 --order interleaved --output-dir separate a.yaml')
  })
})
