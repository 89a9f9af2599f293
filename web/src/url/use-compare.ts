import { type CompareState, readCompare } from './compare'
import { paths } from './paths'
import { type StateChange, type StateScreen, useViewState } from './use-view-state'

export type CompareChange = StateChange<CompareState>

const SCREEN: StateScreen<CompareState> = { read: readCompare, path: paths.compare, viewPath: paths.compareView }

export const useCompare = () => useViewState(SCREEN)
