// The requests to the server, and how long each response is valid. A superseded request is canceled.
import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  skipToken,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback } from 'react'

import { busySeconds, get, patch, post, put, remove } from './client'
import { at } from './contract'
import {
  artifactsPath,
  experimentPath,
  requestsPath,
  type RequestsQuestion,
  seriesPath,
  type SeriesQuestion,
} from './experiment-paths'
import { withCurrency } from '../format/unit'
import { isRunReporting } from './live'
import type {
  ApplyResponse,
  ApplyRequest,
  PageRequest,
  ChangeRequest,
  CompareRequest,
  Experiment,
  Filter,
  PointsRequest,
  PresetRequest,
} from './types'

const HEALTH_EVERY_MS = 10_000
const HEALTH_LIVE_MS = 1500 // while a run reports: its result appears soon after its end
const HEALTH_TIMEOUT_MS = 5000
const AGAIN_MS = 1000 // after the first failure; the pause grows with the outage up to HEALTH_EVERY_MS

export const pricesOptions = queryOptions({
  queryKey: ['prices'],
  queryFn: ({ signal }) => get(at('/api/prices'), signal),
  staleTime: Infinity,
})

// The fields. Those with a cost have the currency of the stored prices as their unit.
export function useFields() {
  const client = useQueryClient()
  return useQuery({
    queryKey: ['fields'],
    queryFn: async ({ signal }) => {
      const [{ fields }, currency] = await Promise.all([
        get(at('/api/fields'), signal),
        client.ensureQueryData(pricesOptions).then(
          (prices) => prices.currency ?? '',
          () => '',
        ),
      ])
      return fields.map((field) => ({ ...field, unit: withCurrency(field.unit, currency) }))
    },
    staleTime: Infinity,
  })
}

export const apply = (request: ApplyRequest, signal?: AbortSignal) => post(at('/api/filters/apply'), request, signal)

// `round` grows when the user asks for newer data; until then the data do not change. The response includes the facets
// that are visible when the request is made; a facet that becomes visible later has its own request.
export const applyOptions = (request: PageRequest, round: number, facets: () => string[]) =>
  queryOptions({
    queryKey: ['apply', request, round],
    queryFn: async ({ signal }) => ({
      ...(await apply({ ...request, facets: facets() }, signal)),
      request,
      at: Date.now(),
    }),
    staleTime: Infinity,
  })

export const useApply = (request: PageRequest, round: number, facets: () => string[]) =>
  useQuery({ ...applyOptions(request, round, facets), placeholderData: keepPreviousData })

export const pointsNow = async (request: PointsRequest, signal?: AbortSignal) => ({
  ...(await post(at('/api/data/points'), request, signal)),
  request,
  at: Date.now(),
})

// Loads the points of a chart; null requests nothing. The last chart remains while the next one loads.
export const pointsOptions = (request: PointsRequest | null, round: number) =>
  queryOptions({
    queryKey: ['points', request, round],
    queryFn: ({ signal }) => pointsNow(request as PointsRequest, signal),
    staleTime: Infinity,
  })

export const usePoints = (request: PointsRequest | null, round: number) =>
  useQuery({ ...pointsOptions(request, round), placeholderData: keepPreviousData, enabled: request !== null })

// Loads the first row of a sorted request. The last answer remains while the next one loads.
// null: not asked
export const useBest = (request: ApplyRequest | null, round: number) =>
  useQuery({
    queryKey: ['best', request, round],
    queryFn: request ? ({ signal }) => apply(request, signal) : skipToken,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  })

// Requests before the component that shows the answer is rendered.
export function usePointsAhead() {
  const client = useQueryClient()
  return useCallback(
    (request: PointsRequest, round: number) => void client.prefetchQuery(pointsOptions(request, round)),
    [client],
  )
}

type Answered = ApplyResponse & { request: PageRequest }
type Page = Pick<ApplyResponse, 'rows' | 'next_cursor'>

const pageKey = (request: PageRequest, round: number, page: number) => ['page', request, round, page]

// Loads further pages of a loaded answer, by their numbers from 1, and only visible ones. If the page before is loaded
// or loading, the next one begins after its last row: new results would shift an offset from the first row.
export function usePages(answer: Answered, round: number, pages: number[]) {
  const { offset: _, ...request } = answer.request
  return useQueries({
    queries: pages.map((page) => ({
      queryKey: pageKey(answer.request, round, page),
      queryFn: async ({ signal, client }: { signal: AbortSignal; client: QueryClient }): Promise<Page> => {
        const near = client.getQueryCache().find<Page>({ queryKey: pageKey(answer.request, round, page - 1) })
        const cursor = (page === 1 ? answer : ((await near?.promise?.catch(() => undefined)) ?? near?.state.data))
          ?.next_cursor
        const { rows, next_cursor } = await apply(
          { ...request, ...(cursor ? { cursor } : { offset: page * request.limit }) },
          signal,
        )
        return { rows, next_cursor }
      },
      staleTime: Infinity,
    })),
    combine: rowsByPage,
  })
}

const rowsByPage = (results: { data: Page | undefined }[]) => results.map(({ data }) => data?.rows)

const filterText = (filter: Filter | undefined) => (filter ? JSON.stringify(filter) : undefined)

export const optionsPath = (
  filter: Filter | undefined,
  fields?: string[],
  search?: string,
  limit?: number,
  budget_ms?: number,
) =>
  at(
    '/api/filters/options',
    {},
    {
      filter: filterText(filter),
      fields: fields?.join(','),
      search: search || undefined,
      limit: limit || undefined,
      budget_ms,
    },
  )

// The fields that vary under a filter, with their values. The response is large, so it is requested after the visible
// rows.
export function useVarying(filter: Filter | undefined, round: number, isReady: boolean) {
  const path = optionsPath(filter)
  return useQuery({
    queryKey: ['options', path, round],
    queryFn: ({ signal }) => get(path, signal),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    enabled: isReady,
  })
}

const PATIENCE_MS = 60_000

export function useOptions(filter: Filter | undefined, round: number, fields: string[], isPatient = false) {
  const path = optionsPath(filter, fields)
  return useQuery({
    queryKey: ['options', path, round, isPatient],
    queryFn: ({ signal }) =>
      isPatient
        ? get(optionsPath(filter, fields, undefined, undefined, PATIENCE_MS), signal, 2 * PATIENCE_MS)
        : get(path, signal),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    enabled: fields.length > 0,
  })
}

const VALUES_AT_ONCE = 50

// Loads the values of one field that contain a text, the most frequent first; null requests nothing.
export function useValues(
  asked: { field: string; search: string; filter?: Filter | undefined } | null,
  round: number,
  limit = VALUES_AT_ONCE,
) {
  const path = at(
    '/api/filters/values',
    {},
    { field: asked?.field ?? '', limit, search: asked?.search || undefined, filter: filterText(asked?.filter) },
  )
  return useQuery({
    queryKey: ['values', path, round],
    queryFn: ({ signal }) => get(path, signal),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    enabled: asked !== null,
  })
}

export const viewKey = (id: string | null) => ['view', id] as const

// Loads a state of the page that was too long for an address.
export function useView(id: string | null) {
  return useQuery({
    queryKey: viewKey(id),
    queryFn: ({ signal }) => get(at('/api/views/{id}', { id: id ?? '' }), signal),
    staleTime: Infinity,
    enabled: id !== null,
  })
}

const PRESETS = ['presets']

export function usePresets() {
  return useQuery({
    queryKey: PRESETS,
    queryFn: async ({ signal }) => (await get(at('/api/filters/presets'), signal)).presets,
    staleTime: Infinity,
  })
}

const presetPath = (id: number) => at('/api/filters/presets/{id}', { id })

// The cache holds what the server says it stored.
export function usePresetActions() {
  const client = useQueryClient()
  const after = async <T>(asked: Promise<T>) => {
    const answer = await asked
    await client.refetchQueries({ queryKey: PRESETS })
    return answer
  }
  return {
    add: (body: PresetRequest) => after(post(at('/api/filters/presets'), body)),
    replace: (id: number, body: PresetRequest) => after(put(presetPath(id), body)),
    remove: (id: number) => after(remove(presetPath(id))),
  }
}

export const HEALTH = ['health'] as const

export function useHealth() {
  const client = useQueryClient()
  return useQuery({
    queryKey: HEALTH,
    queryFn: ({ signal }) => get(at('/api/health'), signal, HEALTH_TIMEOUT_MS),
    retry: false,
    refetchInterval: ({ state: { status, errorUpdatedAt, dataUpdatedAt } }) =>
      status === 'error'
        ? Math.min(HEALTH_EVERY_MS, Math.max(AGAIN_MS, dataUpdatedAt ? (errorUpdatedAt - dataUpdatedAt) / 4 : 0))
        : isRunReporting(client)
          ? HEALTH_LIVE_MS
          : HEALTH_EVERY_MS,
  })
}

const experimentKey = (id: number | string) => ['experiment', String(id)]

// Compares sides; null sends no request. The last answer remains while the next one loads.
export function useComparison(request: CompareRequest | null) {
  return useQuery({
    queryKey: ['compare', request],
    queryFn: request
      ? async ({ signal }) => ({ ...(await post(at('/api/data/compare'), request, signal)), request, at: Date.now() })
      : skipToken,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    enabled: request !== null,
  })
}

// A busy server reads one artifact at a time, and names the pause before the next try. The pauses grow to BUSY_PAUSE_S;
// after BUSY_TRIES, about two minutes, the error is shown.
const BUSY_TRIES = 20
const BUSY_PAUSE_S = 8
export const patient = {
  retry: (failures: number, error: Error) => busySeconds(error) !== null && failures < BUSY_TRIES,
  retryDelay: (failures: number, error: Error) => {
    const seconds = busySeconds(error) ?? 1
    return 1000 * Math.max(seconds, Math.min(BUSY_PAUSE_S, seconds * 1.5 ** failures))
  },
}

const SERIES_BINS = 300

// Loads the telemetry of measured runs; null requests nothing.
export function useSeries(runs: ({ id: number; from: number; to: number } | null)[]) {
  return useQueries({
    queries: runs.map((run) => ({
      queryKey: ['series', run],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        get(
          at(
            '/api/data/experiments/{id}/series',
            { id: run?.id ?? 0 },
            { from_ns: run?.from, to_ns: run?.to, bins: SERIES_BINS },
          ),
          signal,
        ),
      staleTime: Infinity,
      enabled: run !== null,
    })),
  })
}

// Loads a time range of the telemetry of one result, in bins; without `from`, the whole recording. The last response
// remains while the next one loads.
export function useTimeline(id: number, request: SeriesQuestion | null) {
  return useQuery({
    queryKey: ['series', id, request],
    queryFn: request ? ({ signal }) => get(seriesPath(id, request), signal) : skipToken,
    placeholderData: keepPreviousData,
    ...patient,
    staleTime: Infinity,
  })
}

// Loads requests of one result. The last response remains while the next one loads.
export function useRequests(id: number, question: RequestsQuestion | null) {
  return useQuery({
    queryKey: ['requests', id, question],
    queryFn: question ? ({ signal }) => get(requestsPath(id, question), signal) : skipToken,
    placeholderData: keepPreviousData,
    ...patient,
    staleTime: Infinity,
  })
}

export interface LogRequest {
  tail?: number
  around?: number
  offset?: number
  limit?: number
}

// Loads lines of a log; null requests nothing. The last lines remain while the next ones load.
export const useLog = (id: number, request: LogRequest | null) =>
  useQuery({
    queryKey: ['log', id, request],
    queryFn: request
      ? ({ signal }) => get(at('/api/data/experiments/{id}/log', { id }, { ...request }), signal)
      : skipToken,
    placeholderData: keepPreviousData,
    ...patient,
    staleTime: Infinity,
  })

// Loads lines of a log outside of a component.
export const logLines = (client: QueryClient, id: number, offset: number, limit: number) =>
  client.fetchQuery({
    queryKey: ['log', id, { offset, limit }],
    queryFn: ({ signal }) => get(at('/api/data/experiments/{id}/log', { id }, { offset, limit }), signal),
    ...patient,
    staleTime: Infinity,
  })

// Finds the lines that contain a text, with one of them; null requests nothing.
export const useLogSearch = (id: number, request: { find: string; offset: number } | null) =>
  useQuery({
    queryKey: ['log search', id, request],
    queryFn: request
      ? ({ signal }) =>
          get(
            at('/api/data/experiments/{id}/log', { id }, { search: request.find, offset: request.offset, limit: 1 }),
            signal,
          )
      : skipToken,
    ...patient,
    staleTime: Infinity,
  })

export const useCommands = (id: number | null) =>
  useQuery({
    queryKey: ['command', id],
    queryFn: id === null ? skipToken : ({ signal }) => get(at('/api/data/experiments/{id}/command', { id }), signal),
    staleTime: Infinity,
  })

// Loads experiments by their ids; one that could not be loaded is undefined.
export function useExperiments(ids: (number | null)[]) {
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: experimentKey(id ?? 0),
      queryFn: ({ signal }: { signal: AbortSignal }) => get(experimentPath(id ?? 0), signal),
      staleTime: Infinity,
      enabled: id !== null,
    })),
    combine: dataOf,
  })
}

const dataOf = (results: { data: Experiment | undefined }[]) => results.map(({ data }) => data)

export function useExperiment(id: string) {
  return useQuery({
    queryKey: experimentKey(id),
    queryFn: ({ signal }) => get(experimentPath(id), signal),
    staleTime: Infinity,
  })
}

// queries that a change of a result does not affect, or that fail for a deleted result
const STAYING = [
  'fields',
  'experiment',
  'artifacts',
  'series',
  'requests',
  'log',
  'log search',
  'traces',
  'trace',
  'command',
  'job',
  'items',
  'diff',
]

const changesKey = (id: number) => ['changes', id]

export function useChanges(id: number, isWanted: boolean) {
  return useQuery({
    queryKey: changesKey(id),
    queryFn: async ({ signal }) => (await get(at('/api/data/experiments/{id}/changes', { id }), signal)).changes,
    enabled: isWanted,
  })
}

// Changes of tags, notes and deletion of a result. `shown` is its id in the address.
export function useChange({ id }: Experiment, shown: string) {
  const client = useQueryClient()
  const forget = () => client.invalidateQueries({ predicate: ({ queryKey }) => !STAYING.includes(String(queryKey[0])) })
  return {
    change: useMutation({
      mutationFn: (body: ChangeRequest) => patch(experimentPath(id), body),
      onSuccess: (experiment) => {
        client.setQueryData(experimentKey(shown), experiment)
        return forget()
      },
    }),
    remove: useMutation({
      mutationFn: (author: string) => remove(at('/api/data/experiments/{id}', { id }, { author: author || undefined })),
      onSuccess: forget,
    }),
  }
}

export function useRestore(shown: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (author: string) =>
      post(at('/api/data/experiments/{id}/restore', { id: shown }, { author: author || undefined }), undefined),
    onSuccess: (experiment) => {
      client.setQueryData(experimentKey(shown), experiment)
      return client.invalidateQueries({ predicate: ({ queryKey }) => !STAYING.includes(String(queryKey[0])) })
    },
  })
}

export function useArtifacts(id: number) {
  return useQuery({
    queryKey: ['artifacts', id],
    queryFn: ({ signal }) => get(artifactsPath(id), signal),
    staleTime: Infinity,
  })
}

export const useTraces = (id: number, isWanted: boolean) =>
  useQuery({
    queryKey: ['traces', id],
    queryFn: async ({ signal }) => (await get(at('/api/data/experiments/{id}/traces', { id }), signal)).traces,
    staleTime: Infinity,
    enabled: isWanted,
  })

const TRACE_TIMEOUT_MS = 120_000

// Loads the sums over one trace, which the server reads; null requests nothing.
export const useTraceSums = (id: number, name: string | null) =>
  useQuery({
    queryKey: ['trace', id, name],
    queryFn:
      name === null
        ? skipToken
        : ({ signal }) => get(at('/api/data/experiments/{id}/traces/{name}', { id, name }), signal, TRACE_TIMEOUT_MS),
    ...patient,
    staleTime: Infinity,
  })
