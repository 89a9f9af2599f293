// Short names for the types that openapi-typescript generates.
import type { components } from './schema'

type Schemas = components['schemas']
export type Field = Schemas['Field']
export type Facet = Schemas['Facet']
export type Row = Schemas['Row']
export type ApplyRequest = Schemas['ApplyRequest']
// A request for one page of rows.
export type PageRequest = ApplyRequest & { limit: number }
export type ApplyResponse = Schemas['ApplyResponse']
export type Preset = Schemas['Preset']
export type PresetRequest = Schemas['PresetRequest']
export type View = Schemas['View']
export type ExportRequest = Schemas['ExportRequest']
export type Experiment = Schemas['Experiment']
export type FieldValue = Schemas['FieldValue']
export type Upload = Schemas['Upload']
export type UploadItem = Schemas['UploadItem']
export type UploadItemState = Schemas['UploadItemState']
export type Uploads = Schemas['Uploads']
export type OnKnown = Schemas['ConflictPolicy']
export type ItemDiff = Schemas['ItemDiff']
export type AbsentFiles = Schemas['MissingArtifacts']
export type ChangeRequest = Schemas['ChangeRequest']
export type Changes = Schemas['Changes']
export type Artifacts = Schemas['Artifacts']
export type Fault = Schemas['Fault']
export type Problem = Schemas['Problem']
export type Sort = Schemas['Sort']
export type PointsRequest = Schemas['PointsRequest']
export type PointsResponse = Schemas['PointsResponse']
export type PointsAxis = NonNullable<Schemas['PointsAxis']>
type PointsKinds = NonNullable<Schemas['PointsKinds']>
export type Kind = PointsKinds['kinds'][number]
export type CompareRequest = Schemas['CompareRequest']
export type Comparison = Schemas['Comparison']
export type ComparedSide = Schemas['ComparedSide']
export type ComparedInput = Schemas['ComparedInput']
export type ComparedValues = Schemas['ComparedValues']
export type ComparedMetric = Schemas['ComparedMetric']
export type ComparedFigure = Schemas['ComparedFigure']
export type ComparedRatio = Schemas['ComparedRatio']
export type ComparedFamily = Schemas['ComparedFamily']
export type SeriesBins = Schemas['SeriesBins']
export type RequestPage = Schemas['RequestPage']
export type LogLines = Schemas['LogLines']
export type Commands = Schemas['Commands']
export type Sweep = Schemas['Sweep']
export type SweepHead = Schemas['SweepHead']
export type SweepRun = Schemas['SweepRun']
export type Sweeps = Schemas['Sweeps']
export type Caution = Schemas['Caution']
export type TraceSums = Schemas['TraceSummary']
export type LiveRun = Schemas['LiveRun']
export type LiveRuns = Schemas['LiveRuns']
export type LiveListed = Schemas['LiveListed']
export type LiveHistory = Schemas['LiveHistory']
export type LiveEnd = Schemas['LiveEnd']
export type LiveSilence = Schemas['LiveSilence']

// The generated type of a filter does not express which keys belong together.
export type Scalar = string | number | boolean
export type Operator = Schemas['Operator']
export type Predicate = { field: string; op: Operator; value?: Scalar | Scalar[] }
export type Filter = { and: Filter[] } | { or: Filter[] } | { not: Filter } | Predicate

// The value of a cell: undefined is not recorded, null is unset.
export type Cell = unknown
