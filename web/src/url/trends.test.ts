import { describe, expect, it } from 'vitest'

import { NO_TRENDS, readTrends, type TrendsState, writeTrends } from './trends'

describe('the address of Trends', () => {
  it('is empty for the automatic state', () => {
    expect(writeTrends(NO_TRENDS)).toBe('')
    expect(readTrends('')).toEqual(NO_TRENDS)
  })

  it('holds every part of the state', () => {
    const state: TrendsState = {
      choices: { 'server.model': { values: ['a', 'b'] } },
      where: { field: 'results.p99_ttft_ms', op: 'lt', value: 200 },
      metric: 'results.output_throughput',
      metrics: ['results.p99_ttft_ms', 'results.median_tpot_ms'],
      by: 'time',
      version: 'environment.profllm',
      mode: 'sensitive',
      effect: 0.025,
      direction: 'worse',
      group: 'none',
      vary: ['server.max_num_seqs'],
      keep: ['environment.gpu.driver'],
      series: 'a key & more',
      change: 2,
      each: true,
      values: 'median',
      band: 'minmax',
      asTable: true,
      withSimulated: true,
      show: 'releases',
      a: '0.31.0',
      b: '0.32.0',
      axes: ['benchmark.max_concurrency', 'server.dtype'],
      cell: '[64,"a,b"]',
    }
    expect(readTrends(`?${writeTrends(state)}`)).toEqual(state)
  })

  it('ignores what it cannot read', () => {
    expect(
      readTrends('?show=all&by=size&mode=loud&direction=up&group=host&change=-1&values=max&band=x&where={'),
    ).toEqual(NO_TRENDS)
    expect(readTrends('?change=1.5').change).toBeNull()
    for (const effect of ['0', '1', '-0.1', '5 %', '']) expect(readTrends(`?effect=${effect}`).effect).toBeNull()
  })

  it('takes a filter from an address of Explore', () => {
    expect(readTrends('?server.model=a&sort=-run.timestamp&select=4').choices).toEqual({
      'server.model': { values: ['a'] },
    })
  })
})
