// How many servers and GPUs a load needs: plain arithmetic over measured request rates.
import type { Slo } from '../api/types'
import { type Configuration, RATE } from './model'

export interface Need {
  one: Configuration
  rate: number // requests per second of one server, the mean over its runs
  low: number | null // its 95 % confidence interval; null: one run
  high: number | null
  gpu: string | null
  perServer: number | null // GPUs; null: not recorded
  servers: number
  serversMost: number | null // at the lower end of the interval; null: no interval, or it includes 0
  gpus: number | null
  gpusMost: number | null
  feasible: Slo['configurations'][0]['feasible']
}

// A share of a server that rounding alone adds is none: 1.1 * 200 / 22 is 10. The smallest load needs a server.
const ROUNDING = 1e-9

export const serversFor = (load: number, margin: number, rate: number) =>
  Math.max(1, Math.ceil((load * (1 + margin)) / rate - ROUNDING))

// The configurations that keep all limits, the fewest GPUs first. `margin`: a share of the load. `slo`: the answer to
// the limits and, as the last one, a minimum of RATE.
export function needsOf(all: Configuration[], slo: Slo, load: number, margin: number): Need[] {
  const at = slo.limits.findLastIndex(({ field }) => field === RATE)
  const byId = new Map(slo.configurations.flatMap((one) => one.ids.map((id) => [id, one] as const)))
  const needs = all.flatMap((one): Need[] => {
    const measured = byId.get(one.id)
    const value = measured?.values[at]
    const rate = value?.mean ?? 0
    if (!measured || !value || measured.kept !== true || !(rate > 0)) return []
    const { gpu, gpu_count: count, feasible } = measured
    const perServer = count !== null && count > 0 ? count : null
    const servers = serversFor(load, margin, rate)
    const serversMost = value.low !== null && value.low > 0 ? serversFor(load, margin, value.low) : null
    return [
      {
        one,
        rate,
        low: value.low,
        high: value.high,
        gpu,
        perServer,
        servers,
        serversMost,
        gpus: perServer && servers * perServer,
        gpusMost: perServer && serversMost && serversMost * perServer,
        feasible,
      },
    ]
  })
  const order = (need: Need) => need.gpus ?? Infinity
  return needs.toSorted((a, b) => order(a) - order(b) || a.servers - b.servers || b.rate - a.rate)
}
