// The paths of the large parts of an experiment. The first script of the page requests some of them (ahead.ts), so this
// file has no other code than that.
import { at } from './contract'

export const experimentPath = (id: number | string) => at('/api/data/experiments/{id}', { id })
export const artifactsPath = (id: number | string) => at('/api/data/experiments/{id}/artifacts', { id })

export interface SeriesQuestion {
  from?: number | undefined // ns; undefined: the whole recording
  to?: number | undefined
  bins: number
  series?: string[] | undefined // undefined: all
}
export const seriesPath = (id: number | string, { from, to, bins, series }: SeriesQuestion) =>
  at('/api/data/experiments/{id}/series', { id }, { from_ns: from, to_ns: to, bins, series: series?.join(',') })

// The parameters of the requests of a result; undefined ones are the automatic ones.
export type RequestsQuestion = Record<string, string | number | boolean | undefined>
export const requestsPath = (id: number | string, question: RequestsQuestion) =>
  at('/api/data/experiments/{id}/requests', { id }, question)
