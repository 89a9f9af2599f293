// Every address of the page.
import type { Filter } from '../api/types'
import { type CompareState, type Side, writeCompare } from './compare'
import { type ExploreState, writeExplore } from './explore'
import { type ImpactState, NO_IMPACT, writeImpact } from './impact'
import { NO_PARETO, type ParetoState, writePareto } from './pareto'
import { NO_SCALING, type ScalingState, writeScaling } from './scaling'
import { type SweepState, writeSweep } from './sweep'
import { NO_TRENDS, type TrendsState, writeTrends } from './trends'

export const paths = {
  explore: (state?: ExploreState) => {
    const query = state ? writeExplore(state) : ''
    return query ? `/?${query}` : '/'
  },
  view: (id: string) => `/?view=${encodeURIComponent(id)}`,
  experiment: (id: number | string) => `/experiments/${encodeURIComponent(id)}`,
  group: (filter: Filter) => `/?where=${encodeURIComponent(JSON.stringify(filter))}`,
  compare: (state: { sides: Side[] } & Partial<CompareState>) => {
    const query = writeCompare({
      match: false,
      withSimulated: false,
      withEqual: false,
      onlyClear: false,
      logCurves: false,
      logTime: false,
      ...state,
    })
    return query ? `/compare?${query}` : '/compare'
  },
  compareView: (id: string) => `/compare?view=${encodeURIComponent(id)}`,
  trends: (state: Partial<TrendsState> = {}) => {
    const query = writeTrends({ ...NO_TRENDS, ...state })
    return query ? `/trends?${query}` : '/trends'
  },
  trendsView: (id: string) => `/trends?view=${encodeURIComponent(id)}`,
  pareto: (state: Partial<ParetoState> = {}) => {
    const query = writePareto({ ...NO_PARETO, ...state })
    return query ? `/pareto?${query}` : '/pareto'
  },
  paretoView: (id: string) => `/pareto?view=${encodeURIComponent(id)}`,
  impact: (state: Partial<ImpactState> = {}) => {
    const query = writeImpact({ ...NO_IMPACT, ...state })
    return query ? `/impact?${query}` : '/impact'
  },
  impactView: (id: string) => `/impact?view=${encodeURIComponent(id)}`,
  scaling: (state: Partial<ScalingState> = {}) => {
    const query = writeScaling({ ...NO_SCALING, ...state })
    return query ? `/scaling?${query}` : '/scaling'
  },
  scalingView: (id: string) => `/scaling?view=${encodeURIComponent(id)}`,
  sweeps: () => '/sweeps',
  sweep: (id: string, state?: SweepState) => {
    const query = state ? writeSweep(state) : ''
    return `/sweeps/${encodeURIComponent(id)}${query ? `?${query}` : ''}`
  },
  sweepResults: (id: string) => `/?tags.sweep=${encodeURIComponent(id)}`,
  sweepFile: (id: string, kinds: string) => `/api/export/sweep/${encodeURIComponent(id)}?kinds=${kinds}`,
  uploadResults: (job: string) => `/?stored.upload=${encodeURIComponent(job)}`,
  live: () => '/live',
  liveRun: (id: string) => `/live/${encodeURIComponent(id)}`,
  status: () => '/status',
  upload: () => '/upload',
  job: (id: string) => `/upload/${encodeURIComponent(id)}`,
  traces: (id: number | string) => `/api/export/traces/${encodeURIComponent(id)}`,
  report: (id: number | string) => `/api/data/experiments/${encodeURIComponent(id)}/report`,
  raw: (id: number | string) => `/api/data/experiments/${encodeURIComponent(id)}/raw`,
}
