import { createHash } from 'node:crypto'
import { afterEach, expect, it, vi } from 'vitest'

import { hash } from './hash'

// A worker whose script cannot be loaded, because the server is unreachable.
class Lost {
  onerror: (() => void) | null = null
  postMessage() {
    queueMicrotask(() => this.onerror?.())
  }
}

afterEach(() => vi.unstubAllGlobals())

it('a file is hashed even if no worker can start', async () => {
  vi.stubGlobal('Worker', Lost)
  const texts = ['', 'one', 'two'.repeat(100_000)]
  const { signal } = new AbortController()
  const found = await Promise.all(texts.map((text) => hash(new File([text], 'r.json'), signal)))
  expect(found).toEqual(texts.map((text) => createHash('sha256').update(text).digest('hex')))
})

it('an unreadable file is reported, and a canceled caller gets nothing else', async () => {
  vi.stubGlobal('Worker', Lost)
  const gone = Object.assign(new File(['x'], 'r.json'), {
    slice: () => {
      throw new Error('NotReadableError')
    },
    stream: () => {
      throw new Error('NotReadableError')
    },
    arrayBuffer: () => Promise.reject(new Error('NotReadableError')),
  })
  await expect(hash(gone, new AbortController().signal)).rejects.toThrow('NotReadableError')
  const way = new AbortController()
  const asked = hash(new File(['x'], 'r.json'), way.signal)
  way.abort()
  await expect(asked).rejects.toThrow('cancelled')
})
