import { expect, it } from 'vitest'

import type { Upload, UploadItem } from '../api/types'
import { countOf, placesOf, rowsOf, sectionsOf, type Sending, sumOf } from './rows'
import type { Entry, EntryState } from './sender'

const NONE = { queued: 0, parsed: 0, valid: 0, stored: 0, duplicate: 0, conflict: 0, rejected: 0, cancelled: 0 }
const entry = (name: string, state: EntryState, artifact = false) =>
  ({ name, state, artifact: artifact ? { kind: 'series', stem: '' } : null }) as Entry
const job = (counts: Partial<Upload['counts']>, part: Partial<Upload> = {}) =>
  ({
    state: 'running',
    counts: { ...NONE, ...counts },
    expected: null,
    received: { files: 0, bytes: 0 },
    ...part,
  }) as Upload
const words = (sections: ReturnType<typeof sectionsOf>, only: Parameters<typeof rowsOf>[1] = 'all') => {
  const { count, at } = rowsOf(sections, only)
  return Array.from({ length: count }, (_, i) => at(i)).map((row) =>
    row?.of === 'page' ? row.entry.name : `${row?.state} ${row?.offset}`,
  )
}

it('files that need a decision come first', () => {
  const sections = sectionsOf({ ...NONE, stored: 2, conflict: 1, rejected: 1, queued: 1, valid: 1 }, [
    entry('a', 'waiting'),
    entry('b', 'passed'),
    entry('c', 'failed'),
    entry('d', 'sending'),
  ])
  expect(words(sections)).toEqual([
    'c',
    'rejected 0',
    'conflict 0',
    'd',
    'a',
    'queued 0',
    'queued 1',
    'stored 0',
    'stored 1',
    'b',
  ])
  expect(words(sections, 'conflict')).toEqual(['conflict 0'])
  expect(words(sections, 'unsent')).toEqual(['c'])
  expect(countOf(sections, 'duplicate')).toBe(0)
  expect(rowsOf(sections, 'all').at(10)).toBe(undefined)
})

it('an item is shown once, where it was last reported', () => {
  const told = (index: number, told: number) => ({ item: { index } as UploadItem, told })
  expect([...placesOf([told(0, 5), told(2, 5), undefined, told(0, 7), told(3, 7), told(2, 4)])].toSorted()).toEqual([
    1, 3, 4,
  ])
  expect([...placesOf([told(0, 7), told(0, 7)])]).toEqual([0])
  expect(placesOf([undefined]).size).toBe(0)
})

const sending = (entries: Entry[], part: Partial<Sending> = {}): Sending => ({
  job: '1',
  entries,
  taken: 0,
  isResumed: false,
  isBusy: true,
  isClosed: false,
  ...part,
})

it('files of the server and of this page are counted once', () => {
  expect(
    sumOf(
      job({ stored: 3, queued: 2 }, { received: { files: 5, bytes: 1 } }),
      sending([entry('a', 'waiting'), entry('b', 'passed'), entry('r', 'waiting', true)], { taken: 5 }),
    ),
  ).toMatchObject({ files: 6, done: 3, missing: 0, isOver: false })
  expect(sumOf(undefined, sending([entry('a', 'waiting')], { job: null }))).toMatchObject({
    files: 1,
    done: 0,
    isOver: false,
  })
  // a result that is not sent is a part of the upload
  expect(
    sumOf(
      job({ stored: 1 }, { state: 'done', received: { files: 1, bytes: 1 } }),
      sending([entry('large', 'refused')], { taken: 1, isBusy: false, isClosed: true }),
    ),
  ).toEqual({ files: 2, done: 1, unsent: 1, missing: 0, isOver: true })
})

it('announced files that no one sends are missing', () => {
  const open = job(
    { stored: 180 },
    { state: 'open', expected: { files: 300, bytes: 1 }, received: { files: 180, bytes: 1 } },
  )
  expect(sumOf(open, undefined)).toMatchObject({ files: 300, done: 180, missing: 120, isOver: true })
  expect(sumOf(open, sending([entry('a', 'waiting')], { taken: 180 })).missing).toBe(0)
  expect(sumOf({ ...open, state: 'done' }, undefined).missing).toBe(0)
  // of the files that are chosen to resume, some have been received
  const again = Array.from({ length: 300 }, () => entry('a', 'waiting'))
  expect(sumOf(open, sending(again, { isResumed: true }))).toMatchObject({ files: 300, done: 180, missing: 0 })
})

it('counts never fall and an upload is not over early, in any order of parts, answers and reports', () => {
  let seed = 11
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (let round = 0; round < 200; round++) {
    const total = 1 + random(20)
    const waiting = Array.from({ length: total }, (_, i) => entry(`${i}`, 'waiting'))
    const page = sending(waiting, { job: null })
    const server = { received: 0, uncut: 0, queued: 0, done: 0, state: 'open' as Upload['state'] }
    const parts: { files: Entry[]; isTaken: boolean }[] = []
    const reports: Upload[] = []
    let shown: Upload | undefined
    const report = () =>
      job(
        { queued: server.uncut + server.queued, stored: server.done },
        { state: server.state, received: { files: server.received, bytes: 0 }, expected: { files: total, bytes: 0 } },
      )
    const isAtEnd = () => server.state === 'done' && shown?.state === 'done' && reports.length === 0
    const moves = [
      () => {
        page.job = '1'
      },
      () => {
        if (page.job !== null && parts.length < 2) {
          const files = page.entries.filter(({ state }) => state === 'waiting').slice(0, 1 + random(9))
          files.forEach((one) => {
            one.state = 'sending'
          })
          if (files.length) parts.push({ files, isTaken: false })
        }
      },
      () => {
        const part = parts.find(({ isTaken }) => !isTaken)
        if (part) {
          part.isTaken = true
          server.received += part.files.length
          server.uncut += part.files.length
        }
      },
      () => {
        const at = parts.findIndex(({ isTaken }) => isTaken)
        if (at >= 0) {
          const [part] = parts.splice(at, 1)
          page.entries = page.entries.filter((one) => !part?.files.includes(one))
          page.taken += part?.files.length ?? 0
        }
      },
      () => {
        if (server.uncut > 0) {
          server.uncut -= 1
          server.queued += 1 + random(3)
        }
      },
      () => {
        if (server.queued > 0) {
          server.queued -= 1
          server.done += 1
        }
      },
      () => {
        if (page.entries.length === 0 && !page.isClosed) server.state = 'running'
      },
      () => {
        if (server.state === 'running') page.isClosed = true
      },
      () => {
        if (page.isClosed) page.isBusy = false
      },
      () => {
        if (server.state === 'running' && server.uncut + server.queued === 0) server.state = 'done'
      },
      () => {
        if (page.job !== null) reports.push(report())
      },
      () => {
        shown = reports.shift() ?? shown
      },
    ]
    let before = sumOf(shown, page)
    for (let step = 0; !(isAtEnd() && !page.isBusy) && step < 20_000; step++) {
      moves[random(moves.length)]?.()
      const sum = sumOf(shown, page)
      const isSound =
        sum.files >= Math.max(before.files, total) &&
        sum.done >= before.done &&
        sum.done <= sum.files &&
        sum.missing === 0 &&
        (!sum.isOver || sum.done === sum.files)
      if (!isSound) expect({ round, step, sum }).toEqual(before)
      before = sum
    }
    expect(before).toMatchObject({ isOver: true, files: server.done, done: server.done })
  }
})
