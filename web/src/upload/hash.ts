// SHA-256 of files without the page standing still.
import type { Asked, Told } from './hash-worker'

interface Waiting {
  resolve: (sha256: string) => void
  reject: (error: unknown) => void
}

const waiting = new Map<number, Waiting>()
let worker: Worker | null = null
let nextKey = 1

function start() {
  const made = new Worker(new URL('./hash-worker.ts', import.meta.url), { type: 'module' })
  made.onmessage = ({ data }: MessageEvent<Told>) => {
    const one = waiting.get(data.key)
    waiting.delete(data.key)
    if ('sha256' in data) one?.resolve(data.sha256)
    else one?.reject(new Error(data.error))
  }
  made.onerror = () => {
    for (const { reject } of waiting.values()) reject(new Error('the worker that hashes failed'))
    waiting.clear()
    worker = null
  }
  return made
}

// Rejects where the file cannot be read any more; who asks no longer hears of it.
export function hash(file: File, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const asked: Asked = { key: nextKey++, file }
    waiting.set(asked.key, { resolve, reject })
    signal.addEventListener('abort', () => {
      waiting.delete(asked.key)
      reject(new DOMException('cancelled', 'AbortError'))
    }, { once: true })
    worker ??= start()
    worker.postMessage(asked)
  })
}
