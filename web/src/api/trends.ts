// Requests for trends: verdicts on series, the lines of a chart, decisions and annotations.
import { keepPreviousData, skipToken, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'

import { get, patch, post, remove } from './client'
import { at } from './contract'
import { patient } from './queries'
import type {
  Annotation,
  AnnotationChange,
  AnnotationRequest,
  DecisionRequest,
  Filter,
  RegressionRequest,
  ReleasesRequest,
  TrendsRequest,
  Watch,
  WatchRequest,
} from './types'

const TRENDS = 'trends'
const AGAIN_MS = 300 // the server continues an analysis that took longer than its budget

// `round` grows when the user asks for newer data.
const verdicts = (request: RegressionRequest, round: number) => ({
  queryKey: [TRENDS, 'verdicts', request, round],
  queryFn: async ({ signal }: { signal: AbortSignal }) => ({
    ...(await post(at('/api/analysis/regression'), request, signal)),
    request,
    at: Date.now(),
  }),
  ...patient,
  staleTime: Infinity,
})

const untilComplete = ({ state: { data } }: { state: { data?: { incomplete: string[] } | undefined } }) =>
  data?.incomplete.length ? AGAIN_MS : (false as const)

// The verdicts on all series under a filter. The last list remains while the next one loads.
export const useVerdicts = (request: RegressionRequest, round: number) =>
  useQuery({ ...verdicts(request, round), placeholderData: keepPreviousData, refetchInterval: untilComplete })

// Series with their points, one request per key.
export const useSeriesVerdicts = (requests: RegressionRequest[], round: number) =>
  useQueries({
    queries: requests.map((request) => ({ ...verdicts(request, round), refetchInterval: untilComplete })),
  })

// The lines of a chart; null requests nothing.
export const useLines = (request: TrendsRequest | null, round: number) =>
  useQuery({
    queryKey: [TRENDS, 'lines', request, round],
    queryFn: request
      ? async ({ signal }) => ({
          ...(await post(at('/api/analysis/trends'), request, signal)),
          request,
          at: Date.now(),
        })
      : skipToken,
    placeholderData: keepPreviousData,
    ...patient,
    staleTime: Infinity,
  })

// Two releases over all configurations. The last comparison remains while the next one loads.
export const useReleases = (request: ReleasesRequest, round: number) =>
  useQuery({
    queryKey: [TRENDS, 'releases', request, round],
    queryFn: async ({ signal }) => ({ ...(await post(at('/api/analysis/releases'), request, signal)), request }),
    placeholderData: keepPreviousData,
    ...patient,
    staleTime: Infinity,
  })

export const useDecisions = (series: string) =>
  useQuery({
    queryKey: [TRENDS, 'decisions', series],
    queryFn: async ({ signal }) => (await get(at('/api/analysis/decisions', {}, { series }), signal)).decisions,
    staleTime: Infinity,
  })

// Stores a decision; verdicts and decisions are then asked for again.
export function useDecide() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: DecisionRequest) => post(at('/api/analysis/decisions'), body),
    onSuccess: () => client.invalidateQueries({ queryKey: [TRENDS] }),
  })
}

const LINES_MOST = 200 // of one answer
const SMALLEST = 10 // points of a line

interface Restriction {
  field: string
  value: string | number | boolean
}

// The keys of the lines that have a run with the value of each restriction; null while that is not known.
export const useLinesWith = (request: TrendsRequest | null, restrictions: Restriction[], round: number) =>
  useQueries({
    queries: restrictions.map(({ field, value }) => {
      const own: Filter = { field, op: 'eq', value }
      const { filter, metric, order, vary, keep, simulated } = request ?? { metric: '' }
      const body = {
        metric,
        ...(order && { order }),
        ...(vary && { vary }),
        ...(keep && { keep }),
        ...(simulated && { simulated }),
        filter: filter ? { and: [filter as Filter, own] } : own,
        max_points: SMALLEST,
        limit: LINES_MOST,
      }
      return {
        queryKey: [TRENDS, 'lines with', body, round],
        queryFn: request
          ? async ({ signal }: { signal: AbortSignal }) =>
              new Set((await post(at('/api/analysis/trends'), body, signal)).lines.map(({ key }) => key))
          : skipToken,
        ...patient,
        staleTime: Infinity,
      }
    }),
    combine: (answers) => answers.map(({ data }) => data ?? null),
  })

const WATCHES = ['watches'] as const
const WATCHES_AGAIN_MS = 5000 // the server asks their questions in the background

export const useWatches = () =>
  useQuery({
    queryKey: WATCHES,
    queryFn: async ({ signal }) => (await get(at('/api/analysis/watches'), signal)).watches,
    refetchInterval: WATCHES_AGAIN_MS,
  })

// The list is asked for again also after a failure, as with annotations.
export function useWatchActions() {
  const client = useQueryClient()
  const after = async <T>(asked: Promise<T>) => {
    try {
      return await asked
    } finally {
      await client.refetchQueries({ queryKey: WATCHES })
    }
  }
  return {
    add: (body: WatchRequest) => after(post(at('/api/analysis/watches'), body)),
    remove: ({ id, revision }: Watch) =>
      after(remove(at('/api/analysis/watches/{id}', { id }), { 'If-Match': `"${revision}"` })),
  }
}

const ANNOTATIONS = ['annotations'] as const
const annotationPath = (id: number) => at('/api/annotations/{id}', { id })

export const useAnnotations = () =>
  useQuery({
    queryKey: ANNOTATIONS,
    queryFn: async ({ signal }) => (await get(at('/api/annotations'), signal)).annotations,
    staleTime: Infinity,
  })

// The list is asked for again also after a failure: someone else may have changed the annotation.
export function useAnnotationActions() {
  const client = useQueryClient()
  const after = async <T>(asked: Promise<T>) => {
    try {
      return await asked
    } finally {
      await client.refetchQueries({ queryKey: ANNOTATIONS })
    }
  }
  return {
    add: (body: AnnotationRequest) => after(post(at('/api/annotations'), body)),
    change: ({ id, revision }: Annotation, body: AnnotationChange) =>
      after(patch(annotationPath(id), body, { 'If-Match': `"${revision}"` })),
    remove: ({ id, revision }: Annotation) => after(remove(annotationPath(id), { 'If-Match': `"${revision}"` })),
  }
}
