import { readFileSync } from 'node:fs'

import { expect, it } from 'vitest'

import { faultCount, SIDE_FILES, sortOf, stemOf } from './kinds'

const source = (path: string) => readFileSync(new URL(`../../../src/${path}`, import.meta.url), 'utf8')

it('artifacts of a result are those of the lists', () => {
  const text = source('tbl/run_artifacts.h')
  const macros = new Map(
    [...text.matchAll(/#define (\w+_SUFFIX)\s+("[^"]+")/g)].map(([, name, value]) => [name as string, value as string]),
  )
  const suffixes = [...text.matchAll(/^RUN_ARTIFACT\(\w+,\s*(.+?),\s*"[^"]*"\)/gm)].map(([, words]) =>
    (words as string).replace(/\w+_SUFFIX/g, (name) => macros.get(name) ?? '').replace(/"\s*"?|\s/g, ''),
  )
  expect(suffixes).toEqual(SIDE_FILES.map(([suffix]) => suffix))
  const kinds = [...source('tbl/states.h').matchAll(/^ARTIFACT\(\w+,\s*(\w+)/gm)].map(([, kind]) => kind)
  for (const [, kind] of SIDE_FILES) expect(kinds).toContain(kind)
})

it('files that may be results, and files that are skipped, are the same on the command line', () => {
  const text = source('result/files.c')
  const ends = (name: string) =>
    [...(text.match(new RegExp(`${name}\\[\\] = \\{([^}]*)\\}`))?.[1] ?? '').matchAll(/"([^"]+)"/g)].map(
      ([, end]) => end as string,
    )
  const packed = ends('packed_ends')
  expect(packed.length).toBeGreaterThan(0)
  for (const end of ends('result_ends'))
    for (const suffix of ['', ...packed]) expect(sortOf(`r${end}${suffix}`, true)).toEqual({ is: 'result' })
  for (const [, end] of text.matchAll(/^\t\{ "([^"]+)", "/gm))
    expect(sortOf(`r${end}`, true)).toMatchObject({ is: 'other' })
})

it('files of a folder are sorted by their names, a chosen file is always tried', () => {
  expect(sortOf('a/r.client.timeline.html', true)).toEqual({ is: 'artifact', kind: 'client_plot', stem: 'a/r' })
  expect(sortOf('a/r.requests.jsonl.zst', false)).toEqual({ is: 'artifact', kind: 'requests', stem: 'a/r' })
  expect(sortOf('a/r.json', true)).toEqual({ is: 'result' })
  expect(sortOf('a/all.jsonl.zst', true)).toEqual({ is: 'result' })
  expect(sortOf('a/notes.txt', true)).toMatchObject({ is: 'other' })
  expect(sortOf('notes.txt', false)).toEqual({ is: 'result' })
  expect(sortOf('r.journal', false)).toMatchObject({ is: 'other' })
  expect(stemOf('a/r.json')).toBe('a/r')
})

it('faults are counted with those that are not listed', () => {
  const one = { pointer: '/a', message: 'wrong' }
  expect(faultCount([])).toBe(0)
  expect(faultCount([one, one])).toBe(2)
  expect(faultCount([one, one, { pointer: '', message: '205 more problems are not listed' }])).toBe(207)
})
