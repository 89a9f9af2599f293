// A film: the answers that the page shows while a range is dragged. The address and the page's state change on release.
// Until then counts, rows and the chart read each position's answers from here. One position is requested at a time;
// when none is needed, the positions that may come next are requested ahead.
import type { FetchQueryOptions, QueryClient } from '@tanstack/react-query'
import { create } from 'zustand'

import type { ApplyResponse, PageRequest, Facet, PointsResponse, PointsRequest } from '../api/types'
import { type Choice, type Choices, withChoice } from '../filter/model'

export type RowsAnswer = ApplyResponse & { request: PageRequest; at: number }
export type ChartAnswer = PointsResponse & { request: PointsRequest; at: number }

export interface Frame {
  rows: RowsAnswer
  points: ChartAnswer | null // null: no chart is open
}

type Ask<T> = (choices: Choices) => FetchQueryOptions<T, Error, T, readonly unknown[]>

// The requests of one screen for given choices.
export interface Source {
  client: QueryClient
  choices: () => Choices // of the address
  rows: Ask<RowsAnswer>
}

export const useFilm = create<{ frame: Frame | null }>(() => ({ frame: null }))

// A value from the facet of a field in the current frame, or else `usual`.
export const useFacetNow = <T>(id: string, usual: T, read: (facet: Facet) => T): T =>
  useFilm(({ frame }) => {
    const facet = frame?.rows.facets?.[id]
    return facet && facet.distinct !== null ? read(facet) : usual
  })

const KEPT_MS = 10_000 // for answers that only a frame used; a drag has dozens of them

let source: Source | null = null
let pointsOf: Ask<ChartAnswer> | null = null
let wanted: Choices | null = null
let ahead: Choices[] = []
let isFollowing = false
let isAhead = false
let isNear = false // a drag may begin: `ahead` is requested although nothing is wanted
let isReleased = false

const keptOptions = <T>(options: ReturnType<Ask<T>>) => ({ ...options, gcTime: KEPT_MS })

function found({ client, rows: rowsOf }: Source, choices: Choices): Frame | null {
  const rows = client.getQueryData<RowsAnswer>(rowsOf(choices).queryKey)
  const points = pointsOf && client.getQueryData<ChartAnswer>(pointsOf(choices).queryKey)
  return rows && points !== undefined ? { rows, points } : null
}

async function ask({ client, rows: rowsOf }: Source, choices: Choices): Promise<Frame> {
  const [rows, points] = await Promise.all([
    client.fetchQuery(keptOptions(rowsOf(choices))),
    pointsOf && client.fetchQuery(keptOptions(pointsOf(choices))),
  ])
  return { rows, points }
}

// Shows the wanted position. Positions that pass by during a request are dropped, except for the last one.
async function follow(from: Source) {
  if (isFollowing) return
  isFollowing = true
  for (let last: Choices | null = null; wanted && wanted !== last; ) {
    last = wanted
    const frame: Frame | null = found(from, last) ?? (await ask(from, last).catch(() => null))
    if (!frame) break // the release repeats the request and reports its error
    if (wanted && source === from) useFilm.setState({ frame })
  }
  isFollowing = false
  void goAhead(from)
}

async function goAhead(from: Source) {
  if (isAhead) return
  isAhead = true
  for (;;) {
    const next =
      (wanted || isNear) && !isFollowing && source === from ? ahead.find((choices) => !found(from, choices)) : undefined
    if (
      !next ||
      (await ask(from, next).then(
        () => false,
        () => true,
      ))
    )
      break
  }
  isAhead = false
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

export const film = {
  // Returns the function that closes it.
  open(next: Source) {
    source = next
    return () => {
      if (source === next) film.stop()
    }
  },
  // Connects a chart to the film; null if no chart is open.
  setPoints(ask: typeof pointsOf) {
    pointsOf = ask
  },
  // Requests the answers that a drag may need first. Shows nothing.
  prepare(field: string, next: (Choice | undefined)[]) {
    if (!source || wanted || isReleased) return
    const others = source.choices()
    ahead = next.map((one) => withChoice(others, field, one))
    isNear = true
    void goAhead(source)
  },
  // Shows the answers to a choice of the field; `next` are the choices that may follow, the most likely first.
  seek(field: string, choice: Choice | undefined, next: (Choice | undefined)[]) {
    if (!source) return
    const others = source.choices()
    const at = withChoice(others, field, choice)
    isReleased = false
    isNear = false
    if (wanted && isSame(wanted, at)) return
    wanted = at
    ahead = next.map((one) => withChoice(others, field, one))
    const frame = found(source, wanted)
    if (frame && !isFollowing) {
      useFilm.setState({ frame })
      void goAhead(source)
    } else {
      void follow(source)
    }
  },
  // The last frame stays until settle().
  release() {
    isReleased = true
    wanted = null
    ahead = []
  },
  // The page shows its own state by now.
  settle() {
    if (isReleased) film.stop()
  },
  stop() {
    isReleased = false
    isNear = false
    wanted = null
    ahead = []
    if (useFilm.getState().frame) useFilm.setState({ frame: null })
  },
}
