// The effects of a Sender: requests, hashes, timers.
import { get, send as sendFile } from '../api/client'
import { at } from '../api/contract'
import { cancelJob, closeJob, isSettled, itemsOf, jobOf, knownFiles, openJob, sendPart } from '../api/uploads'
import { authorOf, usePreferences } from '../keys/store'
import { hash } from './hash'
import { lastName } from './kinds'
import type { Io, Run } from './sender'

const LOOK_EVERY_MS = 1000
const ITEMS_AT_ONCE = 1000

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const end = () => {
      clearTimeout(timer)
      reject(new DOMException('cancelled', 'AbortError'))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}

async function runs(job: string, signal: AbortSignal) {
  while (!isSettled(await jobOf(job, signal))) await sleep(LOOK_EVERY_MS, signal)
  const found = new Map<string, Run>()
  for (let offset = 0; ; offset += ITEMS_AT_ONCE) {
    const { items } = await itemsOf(job, { limit: ITEMS_AT_ONCE, offset }, signal)
    for (const { name, id, run_id, state } of items) if (name !== null) found.set(name, { id: id ?? 0, run_id, state })
    if (items.length < ITEMS_AT_ONCE) return found
  }
}

export const io: Io = {
  open: async (about, signal) => (await openJob({ ...about, ...authorOf(usePreferences.getState()) }, signal)).job_id,
  stateOf: async (job, signal) => (await jobOf(job, signal)).state,
  known: knownFiles,
  send: async (job, key, files, onShare, signal) => void (await sendPart(job, key, files, onShare, signal)),
  close: async (job, signal) => void (await closeJob(job, signal)),
  cancel: async (job) => void (await cancelJob(job)),
  runs,
  artifacts: async (id, signal) => (await get(at('/api/data/experiments/{id}/artifacts', { id }), signal)).artifacts,
  put: async (run_id, { artifact, name, file, sha256 }, onShare, signal) => {
    const path = at('/api/upload/artifact/{run_id}/{kind}/{name}', {
      run_id,
      kind: artifact?.kind ?? '',
      name: lastName(name),
    })
    await sendFile('PUT', path, file, {
      headers: { 'X-Content-SHA256': sha256 ?? '', 'Content-Type': 'application/octet-stream' },
      onShare,
      signal,
    })
  },
  hash,
  sleep,
  now: () => Date.now(),
}
