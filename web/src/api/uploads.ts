// Uploads: the requests about them, and the transfer of files.
import { useInfiniteQuery, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'

import { ApiError, get, post, send } from './client'
import { at } from './contract'
import type { OnKnown, Upload, UploadItem, UploadItemState } from './types'

const JOB_EVERY_MS = 500
const JOB_OPEN_MS = 2000
const JOB_RARELY_MS = 10_000
export const ITEMS_A_PAGE = 100
const ITEMS_MOST = 10_000 // that one answer tells
const JOBS_A_PAGE = 20
const NAME_MAX = 500

// The server counts items in progress as queued.
export type AskedState = Exclude<UploadItemState, 'parsed' | 'valid'>

export const openJob = (
  about: { name: string; files: number; bytes: number; on_conflict: OnKnown; author?: string },
  signal?: AbortSignal,
) => post(at('/api/upload/jobs'), { ...about, name: about.name.slice(0, NAME_MAX) }, signal)
export const closeJob = (id: string, signal?: AbortSignal) =>
  post(at('/api/upload/jobs/{job_id}/close', { job_id: id }), undefined, signal)
export const cancelJob = (id: string) => post(at('/api/upload/jobs/{job_id}/cancel', { job_id: id }), undefined)
// Returns the known files. One that arrived with this upload is reported for it, even if a newer upload contained it
// again.
export const knownFiles = async (job_id: string, sha256: string[], signal: AbortSignal) =>
  (await post(at('/api/upload/known'), { sha256, job_id }, signal)).known
export const jobOf = (id: string, signal?: AbortSignal) =>
  get(at('/api/upload/status/{job_id}', { job_id: id }, { limit: 0 }), signal)
export const itemsOf = (
  id: string,
  query: { limit: number; offset: number; state?: AskedState },
  signal?: AbortSignal,
) => get(at('/api/upload/status/{job_id}', { job_id: id }, query), signal)

// Sends one large file as the body with its hash, or several small ones as a form. The server accepts a part once per
// key.
export function sendPart(
  job: string,
  key: string,
  files: { file: File; name: string; sha256: string | null; isAlone: boolean }[],
  onShare: (share: number) => void,
  signal: AbortSignal,
) {
  const [first] = files
  const headers = { 'Idempotency-Key': key }
  if (first && files.length === 1 && first.isAlone && first.sha256 !== null) {
    return send('POST', at('/api/upload/raw', {}, { job_id: job, name: first.name.slice(-NAME_MAX) }), first.file, {
      headers: { 'X-Content-SHA256': first.sha256, 'Content-Type': 'application/octet-stream', ...headers },
      onShare,
      signal,
    })
  }
  const form = new FormData()
  for (const { file, name } of files) form.append('files', file, name)
  return send('POST', at('/api/upload/batch', {}, { job_id: job }), form, { headers, onShare, signal })
}

// Returns the report of an upload: the server's response with all items, from as many requests as it takes. Each part
// goes into a Blob when it arrives, so the browser can store it outside memory.
export async function reportOf(id: string, signal?: AbortSignal): Promise<Blob> {
  const parts: Blob[] = []
  for (let offset = 0; ; ) {
    const { items, ...job } = await itemsOf(id, { limit: ITEMS_MOST, offset }, signal)
    const text = items.map((item) => JSON.stringify(item)).join(',\n')
    parts.push(new Blob([offset === 0 ? `${JSON.stringify(job).slice(0, -1)},"items":[\n` : text ? ',\n' : '', text]))
    offset += items.length
    if (items.length < ITEMS_MOST) return new Blob([...parts, '\n]}\n'], { type: 'application/json' })
  }
}

export const isSettled = ({ state, counts }: Upload) =>
  state === 'done' || state === 'cancelled' || (state === 'open' && counts.queued + counts.parsed + counts.valid === 0)

// Returns the pause before the next poll of an upload, or false for none. It grows with the outage. An open upload is
// polled even when nothing is in progress, because other clients may send to it.
export function jobPause({
  data,
  error,
  dataUpdatedAt,
  errorUpdatedAt,
}: {
  data: Upload | undefined
  error: Error | null
  dataUpdatedAt: number
  errorUpdatedAt: number
}) {
  const isOver = data !== undefined && data.state !== 'open' && isSettled(data)
  if (isOver) return false
  if (!error) return data && isSettled(data) ? JOB_OPEN_MS : JOB_EVERY_MS
  const isPassing = error instanceof ApiError && (error.status === undefined || error.status >= 500)
  return isPassing && Math.min(JOB_RARELY_MS, Math.max(JOB_EVERY_MS, errorUpdatedAt - dataUpdatedAt))
}

export const jobKey = (id: string) => ['job', id] as const
export const itemsKey = (id: string, state?: string) => (state === undefined ? ['items', id] : ['items', id, state])

export function useJob(id: string) {
  return useQuery({
    queryKey: jobKey(id),
    queryFn: ({ signal }) => jobOf(id, signal),
    refetchInterval: ({ state }) => jobPause(state),
  })
}

export interface ToldItem {
  item: UploadItem
  told: number
}

export interface ItemPage {
  state: AskedState
  page: number
}

// Loads the visible pages of items, each page of one state, with the time of its response.
export function useItems(id: string, pages: ItemPage[]) {
  const found = useQueries({
    queries: pages.map(({ state, page }) => ({
      queryKey: [...itemsKey(id, state), page],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await itemsOf(id, { limit: ITEMS_A_PAGE, offset: page * ITEMS_A_PAGE, state }, signal)).items,
      staleTime: Infinity,
    })),
  })
  return (state: AskedState, offset: number): ToldItem | undefined => {
    const page = Math.floor(offset / ITEMS_A_PAGE)
    const answer = found[pages.findIndex((one) => one.state === state && one.page === page)]
    const item = answer?.data?.[offset % ITEMS_A_PAGE]
    return answer && item && { item, told: answer.dataUpdatedAt }
  }
}

const diffsKey = (id: string) => ['diff', id]

export function useDiff(id: string, index: number) {
  return useQuery({
    queryKey: [...diffsKey(id), index],
    queryFn: ({ signal }) => get(at('/api/upload/jobs/{job_id}/items/{index}/diff', { job_id: id, index }), signal),
    staleTime: Infinity,
  })
}

// Loads the artifacts that the results name and that are missing, so that any browser can show and upload them.
export function useAbsent(id: string | undefined, isOver: boolean) {
  const found = useQuery({
    queryKey: ['absent', id],
    queryFn: ({ signal }) => get(at('/api/upload/jobs/{job_id}/missing', { job_id: id ?? '' }), signal),
    enabled: id !== undefined && isOver,
  })
  return isOver ? found.data : undefined
}

interface Choosing {
  choice: OnKnown
  items?: number[]
  of?: 'conflict' | 'duplicate'
  author?: string
  expected_sha256?: string // of one item: the stored result that the user saw
}

// Actions on a job. The views of the job update immediately.
export function useJobActions(id: string) {
  const client = useQueryClient()
  const options = {
    onSuccess: async (job: Upload) => {
      await client.cancelQueries({ queryKey: jobKey(id) }) // a report that is still loading is older than this one
      client.setQueryData(jobKey(id), { ...job, items: [] })
      await client.invalidateQueries({ queryKey: itemsKey(id) })
      await client.invalidateQueries({ queryKey: jobKey(id) })
    },
  }
  return {
    // the stored result may have changed: reload the differences
    choose: useMutation({
      mutationFn: (body: Choosing) => post(at('/api/upload/jobs/{job_id}/choose', { job_id: id }), body),
      onError: () => client.invalidateQueries({ queryKey: diffsKey(id) }),
      ...options,
    }),
    retry: useMutation({
      mutationFn: (items?: number[]) =>
        post(at('/api/upload/jobs/{job_id}/retry', { job_id: id }), items ? { items } : {}),
      ...options,
    }),
    close: useMutation({ mutationFn: () => closeJob(id), ...options }),
    cancel: useMutation({ mutationFn: () => cancelJob(id), ...options }),
    report: useMutation({ mutationFn: () => reportOf(id) }),
  }
}

const JOBS_KEY = ['jobs']

export function useJobs() {
  return useInfiniteQuery({
    queryKey: JOBS_KEY,
    queryFn: ({ pageParam, signal }) =>
      get(at('/api/upload/jobs', {}, { limit: JOBS_A_PAGE, offset: pageParam }), signal),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ jobs }) => jobs.some((job) => !isSettled(job))) ? JOB_OPEN_MS : false,
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => {
      const shown = pages.reduce((sum, { jobs }) => sum + jobs.length, 0)
      return shown < total ? shown : undefined
    },
  })
}
