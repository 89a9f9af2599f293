// A sweep's part of an address: what differs from what the page chooses by itself.
//
//   x= y=   keys of its points   metric=   the field that colours cells
export interface SweepState {
  x: string
  y: string
  metric: string
}

export const METRIC = 'results.output_throughput'
const NAMES = ['x', 'y', 'metric'] as const

export function readSweep(search: string): SweepState {
  const query = new URLSearchParams(search)
  return { x: query.get('x') ?? '', y: query.get('y') ?? '', metric: query.get('metric') || METRIC }
}

export function writeSweep(state: SweepState) {
  const query = new URLSearchParams()
  for (const name of NAMES) if (state[name] !== '' && state[name] !== METRIC) query.set(name, state[name])
  return query.toString()
}
