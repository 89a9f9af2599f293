// Links that earlier versions wrote show what they showed.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

import { CHART } from './chart'
import { readCompare } from './compare'
import { readExplore } from './explore'
import { readSweep } from './sweep'

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8').trim()
const linksOf = (file: string) => read(`tests/scenario/data/schema_2/${file}`).split('\n')
const LINKS = linksOf('links.txt')
const LAST = linksOf('last_links.txt')
const search = (index: number, links = LINKS) => links[index]?.replace(/^[^?]*/, '') ?? ''
const NO_STATE = readExplore('?')
const KEPT = { field: 'run.suite', op: 'eq', value: 'kept' }

it('Explore with a bar chart', () =>
  expect(readExplore(search(0))).toEqual({
    ...NO_STATE,
    choices: { 'run.suite': { values: ['kept'] } },
    sort: [{ field: 'results.p99_ttft_ms', dir: 'desc' }],
    columns: ['run.name', 'results.p99_ttft_ms'],
    chart: { ...CHART, kind: 'bar', x: 'server.model', y: 'results.output_throughput', color: 'run.status' },
  }))

it('Explore with every kind of choice', () =>
  expect(readExplore(search(1))).toEqual({
    ...NO_STATE,
    choices: {
      'run.status': { except: true, values: ['failed', 'interrupted'] },
      'results.p99_ttft_ms': { range: [100, 110.5] },
      'run.name': { contains: 'copy' },
      'tags.ticket': { missing: true },
      'server.quantization': { unset: true },
    },
    onlyVarying: false,
    onlyDiffering: true,
    pinned: 1,
    selected: [3, 4],
    preset: 1,
  }))

it('Explore with a filter of its own', () =>
  expect(readExplore(search(2))).toEqual({
    ...NO_STATE,
    where: { not: { field: 'run.name', op: 'eq', value: 'lean' } },
    page: 1,
    chart: { ...CHART, isOpen: false },
  }))

it('Explore with parallel axes', () =>
  expect(readExplore(search(3))).toEqual({
    ...NO_STATE,
    chart: {
      ...CHART,
      kind: 'parallel',
      axes: ['server.model', 'results.p99_ttft_ms'],
      color: '',
      logX: true,
      logY: false,
      stat: 'p95',
      spread: 'range',
      withSimulated: true,
      match: true,
      point: 4,
      asTable: true,
    },
  }))

it('Compare', () =>
  expect(readCompare(search(4))).toEqual({
    sides: [{ ids: [1] }, { ids: [2, 3] }, { label: 'the rest', filter: KEPT }],
    match: true,
    withSimulated: false,
    withEqual: true,
    onlyClear: true,
    logCurves: false,
    logTime: false,
  }))

it('a sweep', () =>
  expect(readSweep(search(5))).toEqual({
    x: 'benchmark.max_concurrency',
    y: 'server.max_num_seqs',
    metric: 'results.p99_ttft_ms',
    cx: 'results.output_throughput',
    cy: '',
    limit: '50',
  }))

it('there is no other', () => expect(LINKS.length).toBe(6))

it('Explore with fields and values of schema_version 2', () =>
  expect(readExplore(search(0, LAST))).toEqual({
    ...NO_STATE,
    choices: {
      'quality.client_error.status': { except: true, values: ['over_limit', 'unknown'] },
      'quality.concurrency_limited.status': { values: ['passed'] },
      'launch.other_servers_max': { range: [0, 2] },
      'run.name': { values: ['beyond'] },
    },
    columns: ['run.name', 'stored.possible_duplicate', 'quality.concurrency_limited.value'],
    sort: [{ field: 'launch.other_servers_max', dir: 'desc' }],
    chart: { ...CHART, kind: 'bar', x: 'quality.client_error.status', y: 'system.telemetry.metrics_requested' },
  }))

it('Explore with a filter on them', () =>
  expect(readExplore(search(1, LAST)).where).toEqual({
    or: [
      { field: 'quality.client_error.status', op: 'in', value: ['passed', 'over_limit'] },
      { not: { field: 'run.name', op: 'eq', value: 'ok' } },
    ],
  }))

it('Compare with a filter on them', () =>
  expect(readCompare(search(2, LAST)).sides).toEqual([
    { filter: { field: 'quality.client_error.status', op: 'eq', value: 'over_limit' } },
    { ids: [1] },
  ]))

it('a sweep with such fields', () =>
  expect(readSweep(search(3, LAST))).toMatchObject({
    metric: 'quality.concurrency_limited.value',
    cx: 'system.telemetry.lateness_p99_ms',
  }))

// Each row of src/tbl/former_names.h that a link can have is known here, too.
it.each(formerFields())('the former field %s is known', (former, name) => {
  expect(readExplore(`?columns=${former}`).columns).toEqual([name])
})

function formerFields(): [string, string][] {
  const table = read('src/tbl/former_names.h')
  const paths = new Map(
    [...table.matchAll(/^FORMER_SECTION\((\w+), "([^"]+)"\)/gm)].map(([, place = '', path = '']) => [place, path]),
  )
  return [...table.matchAll(/^FORMER_KEY\((\w+), "(\w+)", "(\w+)"\)/gm)].flatMap(
    ([, place = '', former, name]): [string, string][] => {
      const path = paths.get(place)
      return path === undefined || path === 'quality.checks.differences'
        ? []
        : [[`${path}.${former}`, `${path}.${name}`]]
    },
  )
}
