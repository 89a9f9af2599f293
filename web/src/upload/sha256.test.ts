import { createHash } from 'node:crypto'

import { expect, it } from 'vitest'

import { Sha256, sha256Of } from './sha256'

const theirs = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const bytesOf = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 131 + (i >> 8) * 7) & 255)

// around the ends of a block, where the length no longer fits next to the last bytes
it.each([0, 1, 3, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 1000, 65_537])('%d bytes', (length) => {
  const bytes = bytesOf(length)
  expect(new Sha256().update(bytes).hex()).toBe(theirs(bytes))
})

it('however the bytes are cut', () => {
  const bytes = bytesOf(1000)
  for (const step of [1, 7, 63, 64, 65, 300]) {
    const hash = new Sha256()
    for (let at = 0; at < bytes.length; at += step) hash.update(bytes.subarray(at, at + step))
    expect(hash.hex()).toBe(theirs(bytes))
  }
})

it('a file', async () => {
  const bytes = bytesOf(300_000)
  expect(await sha256Of(new Blob([bytes]))).toBe(theirs(bytes))
})
