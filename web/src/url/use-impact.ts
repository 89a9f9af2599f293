import { type ImpactState, readImpact } from './impact'
import { paths } from './paths'
import { type StateChange, type StateScreen, useViewState } from './use-view-state'

export type ImpactChange = StateChange<ImpactState>

const SCREEN: StateScreen<ImpactState> = { read: readImpact, path: paths.impact, viewPath: paths.impactView }

export const useImpactState = () => useViewState(SCREEN)
