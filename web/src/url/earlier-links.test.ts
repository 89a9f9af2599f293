// Links that earlier versions wrote show what they showed.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

import { CHART } from './chart'
import { readCompare } from './compare'
import { readExplore } from './explore'
import { readSweep } from './sweep'

const LINKS = readFileSync(new URL('../../../tests/scenario/data/schema_2/links.txt', import.meta.url), 'utf8').trim().split('\n')
const search = (index: number) => LINKS[index]?.replace(/^[^?]*/, '') ?? ''
const NO_STATE = readExplore('?')
const KEPT = { field: 'run.suite', op: 'eq', value: 'kept' }

it('Explore with a bar chart', () => expect(readExplore(search(0))).toEqual({
  ...NO_STATE,
  choices: { 'run.suite': { values: ['kept'] } },
  sort: [{ field: 'results.p99_ttft_ms', dir: 'desc' }],
  columns: ['run.name', 'results.p99_ttft_ms'],
  chart: { ...CHART, kind: 'bar', x: 'server.model', y: 'results.output_throughput', color: 'run.status' },
}))

it('Explore with every kind of choice', () => expect(readExplore(search(1))).toEqual({
  ...NO_STATE,
  choices: {
    'run.status': { except: true, values: ['failed', 'interrupted'] },
    'results.p99_ttft_ms': { range: [100, 110.5] },
    'run.name': { contains: 'copy' },
    'tags.ticket': { missing: true },
    'server.quantization': { unset: true },
  },
  onlyVarying: false, onlyDiffering: true, pinned: 1, selected: [3, 4], preset: 1,
}))

it('Explore with a filter of its own', () => expect(readExplore(search(2))).toEqual({
  ...NO_STATE, where: { not: { field: 'run.name', op: 'eq', value: 'lean' } }, page: 1, chart: { ...CHART, isOpen: false },
}))

it('Explore with parallel axes', () => expect(readExplore(search(3))).toEqual({
  ...NO_STATE,
  chart: { ...CHART, kind: 'parallel', axes: ['server.model', 'results.p99_ttft_ms'], color: '', logX: true, logY: false, stat: 'p95', spread: 'range',
    withSimulated: true, match: true, point: 4, asTable: true },
}))

it('Compare', () => expect(readCompare(search(4))).toEqual({
  sides: [{ ids: [1] }, { ids: [2, 3] }, { label: 'the rest', filter: KEPT }],
  match: true, withSimulated: false, withEqual: true, onlyClear: true, logCurves: false, logTime: false,
}))

it('a sweep', () => expect(readSweep(search(5))).toEqual({
  x: 'benchmark.max_concurrency', y: 'server.max_num_seqs', metric: 'results.p99_ttft_ms', cx: 'results.output_throughput', cy: '', limit: '50',
}))

it('there is no other', () => expect(LINKS.length).toBe(6))
