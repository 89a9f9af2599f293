// Files on their way. Sent as forms of many files, so that one drop is one job as far as the server's limit
// goes; the job, not this page, is what holds from then on.
import { create } from 'zustand'

import { ApiError, send } from '../api/client'
import { rememberUpload } from '../keys/store'

export const BODY_MAX = 64 * 1024 * 1024 // x-bytes-max of the contract
const FORM_MAX = 60 * 1024 * 1024 // of files; names and boundaries come to them
const NAME_MAX = 500
export const FILES_MAX = 2000

export interface Sending {
  key: number
  files: File[]
  bytes: number
  share: number // of it sent
  state: 'waiting' | 'sending' | 'sent' | 'failed' | 'cancelled'
  job?: string
  error?: ApiError
}

// As the server says it, so that one who asks about it finds the same words.
export const tooLarge = (size: number) => `the body is larger than ${BODY_MAX} bytes, the most that this takes: the file has ${size}`

interface Refused {
  name: string
  size: number
  why: string
}

interface Uploads {
  sendings: Sending[]
  refused: Refused[]
  sizes: Record<string, Record<string, number>> // by job and name, for the table of a job
  add: (files: File[]) => Promise<string | null>
  cancel: () => void // all that is on its way
  dismiss: (key: number, file?: File) => void
  retry: (key: number, file?: File) => Promise<string | null> // without a file: all of them
}

let nextKey = 1
const ways = new Set<AbortController>() // one for each that is being sent

export const isOnItsWay = ({ state }: Sending) => state === 'waiting' || state === 'sending'

export const isUnsent = ({ state }: Sending) => state === 'failed' || state === 'cancelled'

// A folder's files keep their place in it.
export const nameOfFile = (file: File) => file.webkitRelativePath || file.name

function batches(files: File[]) {
  const made: File[][] = []
  let room = 0
  for (const file of files) {
    if (made.length === 0 || file.size > room) {
      made.push([])
      room = FORM_MAX
    }
    made.at(-1)?.push(file)
    room -= file.size
  }
  return made
}

const sizeOf = (files: File[]) => ({ files, bytes: files.reduce((sum, file) => sum + file.size, 0) })
const sendingOf = (files: File[]): Sending => ({ key: nextKey++, ...sizeOf(files), share: 0, state: 'waiting' })

// A file that fits into no form beside its name goes as it is: all of the limit is its own.
function requestOf([first, ...others]: File[]): [path: string, body: FormData | File] {
  if (first && others.length === 0 && first.size > FORM_MAX) return [`/api/upload/raw?name=${encodeURIComponent(nameOfFile(first).slice(-NAME_MAX))}`, first]
  const form = new FormData()
  for (const file of first ? [first, ...others] : []) form.append('files', file, nameOfFile(file))
  return ['/api/upload/batch', form]
}

export const useUploads = create<Uploads>()((set, getState) => {
  const update = (key: number, part: Partial<Sending>) => set(({ sendings }) => ({ sendings: sendings.map((one) => (one.key === key ? { ...one, ...part } : one)) }))

  async function withWay<T>(work: (signal: AbortSignal) => Promise<T>) {
    const way = new AbortController()
    ways.add(way)
    try {
      return await work(way.signal)
    } finally {
      ways.delete(way)
    }
  }

  async function run(sending: Sending, signal: AbortSignal) {
    update(sending.key, { state: 'sending', share: 0 })
    try {
      const { job_id } = await send(...requestOf(sending.files), (share) => update(sending.key, { share }), signal)
      update(sending.key, { state: 'sent', share: 1, job: job_id })
      set(({ sizes }) => ({ sizes: { ...sizes, [job_id]: Object.fromEntries(sending.files.map((file) => [nameOfFile(file), file.size])) } }))
      rememberUpload(job_id)
      return job_id
    } catch (error) {
      if (error instanceof ApiError) update(sending.key, { state: 'failed', error })
      else update(sending.key, { state: 'cancelled' })
      return null
    }
  }

  return {
    sendings: [],
    refused: [],
    sizes: {},
    // The first job's id, when it is known.
    add: async (all) => {
      const refused = all.slice(FILES_MAX).map((file) => ({ name: nameOfFile(file), size: file.size, why: `more than ${FILES_MAX} files at a time` }))
      const files = all.slice(0, FILES_MAX).filter((file) => {
        const isLarge = file.size > BODY_MAX
        if (isLarge) refused.push({ name: nameOfFile(file), size: file.size, why: tooLarge(file.size) })
        return !isLarge
      })
      const added = batches(files).map(sendingOf)
      set((now) => {
        // what is on its way stays, and so does what was not sent until somebody says what becomes of it
        const isBusy = now.sendings.some(isOnItsWay)
        return { sendings: [...now.sendings.filter((one) => isBusy || isUnsent(one)), ...added], refused: [...(isBusy ? now.refused : []), ...refused] }
      })
      return withWay(async (signal) => {
        let first: string | null = null
        for (const sending of added) {
          if (signal.aborted) update(sending.key, { state: 'cancelled' })
          else first = (await run(sending, signal).then((job) => first ?? job))
        }
        return first
      })
    },
    cancel: () => ways.forEach((way) => way.abort()),
    dismiss: (key, file) =>
      set(({ sendings }) => ({
        sendings: sendings.flatMap((one) => {
          if (one.key !== key) return [one]
          const files = file ? one.files.filter((other) => other !== file) : []
          return files.length ? [{ ...one, ...sizeOf(files) }] : []
        }),
      })),
    retry: async (key, file) => {
      const whole = getState().sendings.find((one) => one.key === key)
      if (!whole || !isUnsent(whole)) return null
      const sending = file && whole.files.length > 1 ? sendingOf([file]) : whole
      if (sending !== whole) {
        getState().dismiss(key, file)
        set(({ sendings }) => ({ sendings: [...sendings, sending] }))
      }
      return withWay((signal) => run(sending, signal))
    },
  }
})
