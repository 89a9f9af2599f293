// What is shown of an upload, row by row: what needs somebody first. Of the server's items only how many there are of
// each state is known; which they are is asked for where one looks.
import type { Upload, UploadItemState } from '../api/types'
import type { AskedState, ToldItem } from '../api/uploads'
import { type Entry, type EntryState, isUnsent } from './sender'

export type Only = 'all' | 'unsent' | 'rejected' | 'conflict' | 'duplicate' | 'passed'
export type Row = { of: 'page'; entry: Entry } | { of: 'server'; state: AskedState; offset: number }

interface Section {
  count: number
  only: Only[] // in which choices it stands, beside all
  row: (i: number) => Row
}

const ACTIVE: EntryState[] = ['sending', 'reading', 'waiting']

export function sectionsOf(counts: Upload['counts'] | undefined, entries: Entry[]): Section[] {
  const of = (states: EntryState[], only: Only[] = []): Section => {
    const found = states.flatMap((state) => entries.filter((entry) => entry.state === state))
    return { count: found.length, only, row: (i) => ({ of: 'page', entry: found[i] as Entry }) }
  }
  const served = (state: AskedState, only: Only[] = []): Section => ({ count: (counts?.[state] ?? 0) + (state === 'queued' ? (counts?.parsed ?? 0) + (counts?.valid ?? 0) : 0), only, row: (offset) => ({ of: 'server', state, offset }) })
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

// Where each item is drawn: among those of its old state and of its new one it is told at once until both pages are as
// new. What was told last counts.
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

export interface Sum {
  files: number // all that this upload is about
  done: number // of which is known what became of them
  missing: number // that somebody said would come, and that this page does not send
}

const WAITING: UploadItemState[] = ['queued', 'parsed', 'valid']

// What was passed over, or could not go, is no part of it.
export function sumOf(job: Upload | undefined, entries: Entry[], isSent: boolean, isResumed = false): Sum {
  const here = entries.filter((entry) => !entry.artifact && (isUnsent(entry) || ACTIVE.includes(entry.state))).length
  const counts = Object.entries(job?.counts ?? {}) as [UploadItemState, number][]
  const there = counts.reduce((sum, [, count]) => sum + count, 0)
  const done = counts.reduce((sum, [state, count]) => sum + (WAITING.includes(state) ? 0 : count), 0)
  // of what is sent once more some has come already
  const most = isResumed && job?.expected?.files != null ? Math.max(there, Math.min(there + here, job.expected.files)) : there + here
  const missing = job?.state === 'open' && !isSent ? Math.max(0, (job.expected?.files ?? 0) - (job.received.files ?? 0)) : 0
  return { files: most + missing, done, missing }
}
