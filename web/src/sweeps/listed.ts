// What a line of the list tells of a sweep: its plan's numbers, and those of the results that there are of it.
import { TALLY_FIELDS } from '../api/sweeps'
import type { Summary, SweepHead } from '../api/types'
import { kindOf, startOf } from './model'

export interface Listed {
  id: string
  name: string | null
  began: string | null
  state: string
  total: number | null // runs that there are to be; null: not known
  counts: { done: number; failed: number; missing: number; falls_out: number }
  models: string[]
  gpus: string[]
  simulated: boolean
}

const [SWEEP, NAME, STATUS, MODEL, GPU, SIMULATED] = TALLY_FIELDS
const SILENT_MS = 15 * 60_000

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)

function add(list: string[], value: unknown) {
  const text = textOf(value)
  if (text !== null && !list.includes(text)) list.push(text)
}

const empty = (id: string): Listed => ({ id, name: null, began: startOf(id), state: '', total: null, counts: { done: 0, failed: 0, missing: 0, falls_out: 0 }, models: [], gpus: [], simulated: false })

function take(sweep: Listed, head: SweepHead, now: number) {
  const { counts } = sweep
  counts.failed += head.without_result
  counts.falls_out = head.falls_out
  counts.missing = Math.max(0, head.runs - counts.done - counts.failed)
  const isSilent = head.state === 'running' && now - Date.parse(head.changed) > SILENT_MS && counts.done + counts.failed === 0
  return { ...sweep, name: head.name ?? sweep.name, began: sweep.began ?? head.created, total: head.runs, state: isSilent ? 'no news' : head.state === 'running' && counts.missing === 0 ? 'ends' : (head.state ?? '') }
}

export function listOf(heads: SweepHead[], tallies: Pick<Summary, 'groups'>, now = Date.now()): Listed[] {
  const byId = new Map<string, Listed>()
  for (const { key, count } of tallies.groups) {
    const id = textOf(key[SWEEP])
    if (id === null) continue
    const sweep = byId.get(id) ?? empty(id)
    byId.set(id, sweep)
    const kind = kindOf({ status: textOf(key[STATUS]) })
    sweep.counts[kind === 'failed' ? 'failed' : kind === 'missing' ? 'missing' : 'done'] += count
    sweep.name ??= textOf(key[NAME])
    sweep.simulated ||= key[SIMULATED] === true
    add(sweep.models, key[MODEL])
    add(sweep.gpus, key[GPU])
  }
  for (const head of heads) byId.set(head.id, take(byId.get(head.id) ?? empty(head.id), head, now))
  return [...byId.values()].sort((a, b) => (b.began ?? '').localeCompare(a.began ?? '') || b.id.localeCompare(a.id))
}
