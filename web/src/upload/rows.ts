// The rows of an upload; files that need a decision come first. The server reports how many of its items have each
// state, and the visible ones are loaded.
import type { Upload, UploadItemState } from '../api/types'
import { type AskedState, isSettled, type ToldItem } from '../api/uploads'
import { type Entry, type EntryState, isUnsent } from './sender'

export type Only = 'all' | 'unsent' | 'rejected' | 'conflict' | 'duplicate' | 'passed'
export type Row = { of: 'page'; entry: Entry } | { of: 'server'; state: AskedState; offset: number }

interface Section {
  count: number
  only: Only[] // the choices that include it, in addition to "all"
  row: (i: number) => Row
}

const ACTIVE: EntryState[] = ['sending', 'reading', 'waiting']

export function sectionsOf(counts: Upload['counts'] | undefined, entries: Entry[]): Section[] {
  const of = (states: EntryState[], only: Only[] = []): Section => {
    const found = states.flatMap((state) => entries.filter((entry) => entry.state === state))
    return { count: found.length, only, row: (i) => ({ of: 'page', entry: found[i] as Entry }) }
  }
  const served = (state: AskedState, only: Only[] = []): Section => ({
    count: (counts?.[state] ?? 0) + (state === 'queued' ? (counts?.parsed ?? 0) + (counts?.valid ?? 0) : 0),
    only,
    row: (offset) => ({ of: 'server', state, offset }),
  })
  return [
    of(['failed', 'refused', 'cancelled', 'held'], ['unsent']),
    served('rejected', ['rejected']),
    served('conflict', ['conflict']),
    of(ACTIVE),
    served('queued'),
    served('stored'),
    served('duplicate', ['duplicate']),
    served('cancelled'),
    of(['passed'], ['passed']),
  ].filter(({ count }) => count > 0)
}

export function rowsOf(sections: Section[], only: Only) {
  const shown = sections.filter((section) => only === 'all' || section.only.includes(only))
  return {
    count: shown.reduce((sum, { count }) => sum + count, 0),
    at: (index: number): Row | undefined => {
      let at = index
      for (const { count, row } of shown) {
        if (at < count) return row(at)
        at -= count
      }
      return undefined
    },
  }
}

// Where each item is shown. Until the pages of its old and of its new state have both reloaded, both contain it: the
// one that was reported last counts.
export function placesOf(found: (ToldItem | undefined)[]) {
  const places = new Map<number, number>()
  for (const [at, one] of found.entries()) {
    if (!one) continue
    const before = found[places.get(one.item.index) ?? -1]
    if (!before || one.told > before.told) places.set(one.item.index, at)
  }
  return new Set(places.values())
}

export const countOf = (sections: Section[], only: Only) => rowsOf(sections, only).count

// The part of a Sender in the counts of an upload.
export interface Sending {
  job: string | null
  entries: Entry[]
  taken: number // files that the job has, as this page knows from the answers to its own requests
  isResumed: boolean
  isBusy: boolean
  isClosed: boolean
}

export interface Sum {
  files: number // of the whole upload; a file that holds several results counts as several once the server has read it
  done: number // with a final state
  unsent: number // results that this page holds and does not send: failed, cancelled, too large
  missing: number // announced, but neither received nor sent by this page
  isOver: boolean // nothing is on its way or in progress
}

const WAITING: UploadItemState[] = ['queued', 'parsed', 'valid']
const isResult = ({ artifact, state }: Entry) => artifact === null && state !== 'passed'
const isHeldHere = (entry: Entry) => isUnsent(entry) || entry.state === 'refused'

// Merges the report of the server with the files that this page sent since. Either may be newer: the server may have
// received a part whose response has not arrived. So each file is counted once, by the larger of the two.
export function sumOf(job: Upload | undefined, sending: Sending | undefined): Sum {
  const here = sending?.entries.filter(isResult) ?? []
  const counts = Object.entries(job?.counts ?? {}) as [UploadItemState, number][]
  const items = counts.reduce((sum, [, count]) => sum + count, 0)
  const done = counts.reduce((sum, [state, count]) => sum + (WAITING.includes(state) ? 0 : count), 0)
  const received = job?.received.files ?? 0
  const announced = job?.state === 'open' && (!sending || sending.isResumed) ? (job.expected?.files ?? 0) : 0
  const files = Math.max((sending?.taken ?? 0) + here.length, received, announced)
  const isBehind =
    sending !== undefined &&
    sending.job !== null &&
    (job === undefined || received < sending.taken || (sending.isClosed && job.state === 'open'))
  return {
    files: files + Math.max(0, items - received),
    done,
    unsent: here.filter(isHeldHere).length,
    missing: sending ? 0 : Math.max(0, announced - received),
    isOver: !sending?.isBusy && !isBehind && (job === undefined || isSettled(job)),
  }
}
