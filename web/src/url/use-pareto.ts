import { type ParetoState, readPareto } from './pareto'
import { paths } from './paths'
import { type StateChange, type StateScreen, useViewState } from './use-view-state'

export type ParetoChange = StateChange<ParetoState>

const SCREEN: StateScreen<ParetoState> = { read: readPareto, path: paths.pareto, viewPath: paths.paretoView }

export const useParetoState = () => useViewState(SCREEN)
