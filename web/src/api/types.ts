// Short names for what openapi-typescript makes of the contract.
import type { components } from './schema'

type Schemas = components['schemas']
export type Field = Schemas['Field']
export type Facet = Schemas['Facet']
export type ValueCount = Schemas['ValueCount']
export type Row = Schemas['Row']
export type ApplyRequest = Schemas['ApplyRequest']
export type ApplyAnswer = Schemas['ApplyAnswer']
export type OptionsAnswer = Schemas['OptionsAnswer']
export type ValuesAnswer = Schemas['ValuesAnswer']
export type Preset = Schemas['Preset']
export type PresetRequest = Schemas['PresetRequest']
export type View = Schemas['View']
export type ExportRequest = Schemas['ExportRequest']
export type Experiment = Schemas['Experiment']
export type FieldValue = Schemas['FieldValue']
export type Job = Schemas['Job']
export type JobItem = Schemas['JobItem']
export type Fault = Schemas['Fault']
export type Problem = Schemas['Problem']
export type Health = Schemas['Health']
export type Sort = Schemas['Sort']
export type Accepted = Schemas['Accepted']

// The generated type of a filter does not know which members go together.
export type Scalar = string | number | boolean
export type Predicate = { field: string; op: string; value?: Scalar | Scalar[] }
export type Filter = { and: Filter[] } | { or: Filter[] } | { not: Filter } | Predicate

// What stands in a cell: undefined is not recorded, null is unset.
export type Cell = unknown
