// CPU seconds of a worker and of all processes that it starts: the browser, dashboards, programs.
import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_S = 100 // USER_HZ, the same on every architecture of Linux
const LOOK_MS = 300 // a process loses at most its time after the last look

interface Process {
  parent: number
  ticks: number // its own
  ofChildren: number // of those that it waited for
}

let known = new Map<number, Process>()
let ended = 0 // ticks of processes for which no parent waited

// Returns undefined if the process ended.
function read(id: string | number): Process | undefined {
  try {
    // the name of the program, in parentheses, may contain spaces
    const fields = readFileSync(`/proc/${id}/stat`, 'latin1').split(') ').pop()?.split(' ').map(Number) ?? []
    const [parent = 0, user = 0, system = 0, ofUsers = 0, ofSystem = 0] = [fields[1], ...fields.slice(11, 15)]
    return { parent, ticks: user + system, ofChildren: ofUsers + ofSystem }
  } catch {
    return undefined
  }
}

function descendants() {
  const all = new Map<number, Process>()
  for (const name of readdirSync('/proc')) {
    const one = /^\d+$/.test(name) ? read(name) : undefined
    if (one) all.set(Number(name), one)
  }
  const isOurs = (id: number): boolean => id === process.pid || (id > 1 && isOurs(all.get(id)?.parent ?? 0))
  return new Map([...all].filter(([id]) => isOurs(id)))
}

// Keeps the time of processes that ended since the last look. Chromium does not wait for its renderers.
function look() {
  const found = descendants()
  for (const [id, { parent, ticks, ofChildren }] of known) {
    if (found.has(id)) continue
    // later than the child: the parent may have waited for it in between
    const after = found.has(parent) ? read(parent) : undefined
    if (after) found.set(parent, after)
    const waited = (after?.ofChildren ?? 0) - (known.get(parent)?.ofChildren ?? 0)
    if (waited < ticks) ended += ticks + ofChildren
  }
  known = found
}

export function cpuSeconds() {
  look()
  return [...known.values()].reduce((sum, { ticks, ofChildren }) => sum + ticks + ofChildren, ended) / TICKS_PER_S
}

export const isCounted = process.env['PROFLLM_TEST_CPU'] === '1'
if (isCounted) setInterval(look, LOOK_MS).unref()
