import { paths } from './paths'
import { readScaling, type ScalingState } from './scaling'
import { type StateChange, type StateScreen, useViewState } from './use-view-state'

export type ScalingChange = StateChange<ScalingState>

const SCREEN: StateScreen<ScalingState> = { read: readScaling, path: paths.scaling, viewPath: paths.scalingView }

export const useScalingState = () => useViewState(SCREEN)
