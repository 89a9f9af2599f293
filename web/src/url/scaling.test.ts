import { describe, expect, it } from 'vitest'

import { NO_SCALING, readScaling, writeScaling } from './scaling'

describe('the address of Scaling', () => {
  it('has only what differs from the automatic values', () => {
    expect(writeScaling(NO_SCALING)).toBe('')
    expect(readScaling('')).toEqual(NO_SCALING)
  })
  it('keeps the state', () => {
    const state = {
      ...NO_SCALING,
      choices: readScaling('?server.model=a').choices,
      axis: 'tensor' as const,
      metric: { field: 'results.p99_ttft_ms', direction: 'lower' as const },
      vary: ['benchmark.max_concurrency', 'server.max_num_seqs'],
      gain: 0.7,
      point: 12,
      isLinear: true,
      withUntrusted: true,
    }
    expect(readScaling(`?${writeScaling(state)}`)).toEqual(state)
  })
  it('ignores what the page cannot show', () => {
    expect(readScaling('?axis=width&gain=-1&point=x&vary=,,&metric=')).toEqual(NO_SCALING)
    expect(readScaling('?gain=11&vary=a,a').vary).toEqual(['a'])
    expect(readScaling('?gain=11').gain).toBe(0.5)
    expect(readScaling('?metric=+a.b').metric).toEqual({ field: 'a.b', direction: 'higher' })
  })
})
