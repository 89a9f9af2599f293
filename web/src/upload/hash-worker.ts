// Hashes in a worker, one file at a time.
import { sha256Of } from './sha256'

export interface Asked {
  key: number
  file: File
}

export type Told = { key: number; sha256: string } | { key: number; error: string }

let before: Promise<unknown> = Promise.resolve()
const tell = (told: Told) => self.postMessage(told)

self.onmessage = ({ data: { key, file } }: MessageEvent<Asked>) => {
  before = before
    .then(() => sha256Of(file))
    .then(
      (sha256) => tell({ key, sha256 }),
      (error: unknown) => tell({ key, error: String(error) }),
    )
}
