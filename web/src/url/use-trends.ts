import { paths } from './paths'
import { readTrends, type TrendsState } from './trends'
import { type StateChange, type StateScreen, useViewState } from './use-view-state'

export type TrendsChange = StateChange<TrendsState>

const SCREEN: StateScreen<TrendsState> = { read: readTrends, path: paths.trends, viewPath: paths.trendsView }

export const useTrendsState = () => useViewState(SCREEN)
