// A row of the list of sweeps, with words for what the server reports.
import type { SweepHead } from '../api/types'
import { startOf, stateWord } from './model'

export interface Listed extends SweepHead {
  began: string | null
  word: string // its state
}

const SILENT_MS = 15 * 60_000

function wordOf({ state, changed_at: changed, counts, damaged }: SweepHead, now: number) {
  if (damaged) return 'damaged plan'
  if (state !== 'running') return stateWord(state)
  const isSilent = changed !== null && now - Date.parse(changed) > SILENT_MS && counts.done + counts.failed === 0
  return isSilent ? 'not reporting' : counts.missing + counts.running === 0 ? 'finishing' : state
}

export const listOf = (heads: SweepHead[], now = Date.now()): Listed[] =>
  heads
    .map((head) => ({ ...head, began: startOf(head.id) ?? head.created_at, word: wordOf(head, now) }))
    .sort((a, b) => (b.began ?? '').localeCompare(a.began ?? '') || b.id.localeCompare(a.id))
