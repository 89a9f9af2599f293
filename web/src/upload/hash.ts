// Computes the SHA-256 of files without blocking the page.
import type { Asked, Told } from './hash-worker'
import { sha256Of } from './sha256'

interface Waiting {
  file: File
  resolve: (sha256: string) => void
  reject: (error: unknown) => void
}

const waiting = new Map<number, Waiting>()
let worker: Worker | null = null
let nextKey = 1
let before: Promise<unknown> = Promise.resolve()

// Hashes in the page, one file at a time: that no worker could start is not an error of the file.
function hashHere({ file, resolve, reject }: Waiting) {
  before = before.then(() => sha256Of(file)).then(resolve, reject)
}

function start() {
  const made = new Worker(new URL('./hash-worker.ts', import.meta.url), { type: 'module' })
  made.onmessage = ({ data }: MessageEvent<Told>) => {
    const one = waiting.get(data.key)
    waiting.delete(data.key)
    if ('sha256' in data) one?.resolve(data.sha256)
    else one?.reject(new Error(data.error))
  }
  // usually its script could not be loaded: files are hashed after the server was unreachable
  made.onerror = () => {
    worker = null
    for (const one of waiting.values()) hashHere(one)
    waiting.clear()
  }
  return made
}

// Rejects if the file can no longer be read. A caller that has aborted gets no result.
export function hash(file: File, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const asked: Asked = { key: nextKey++, file }
    const abort = () => {
      waiting.delete(asked.key)
      reject(new DOMException('cancelled', 'AbortError'))
    }
    signal.addEventListener('abort', abort, { once: true })
    const over = () => signal.removeEventListener('abort', abort)
    waiting.set(asked.key, {
      file,
      resolve: (sha256) => {
        over()
        resolve(sha256)
      },
      reject: (error) => {
        over()
        reject(error)
      },
    })
    worker ??= start()
    worker.postMessage(asked)
  })
}
