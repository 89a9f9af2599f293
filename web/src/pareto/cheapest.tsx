// The cheapest configuration that keeps all limits, by price, by GPU and by energy, and where each number is from.
import { useMemo } from 'react'

import { usePrices } from '../api/prices'
import type { ParetoRequest, Slo } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { formFor, showNumber } from '../format/number'
import { time } from '../format/time'
import { Act } from '../ui/controls'
import { Explained } from '../ui/explained'
import { oneStop } from '../ui/one-stop'

import { type Configuration, runs } from './model'
import css from './pareto.module.css'
import { intervalOr, useMeans } from './use-means'

const KINDS = [
  [
    'price',
    'by price',
    'derived.cost_per_million_output_tokens',
    'lowest price of a million output tokens',
    'per million output tokens',
  ],
  ['gpu', 'by GPU', 'derived.output_throughput_per_gpu', 'highest output throughput per GPU', 'per GPU'],
  ['watt', 'by energy', 'results.energy_per_token_j', 'lowest energy per output token', ''], // its unit is J/tok
] as const

const FIELDS = KINDS.map(([, , field]) => field)

interface Props {
  slo: Slo
  all: Configuration[]
  catalogue: Catalogue
  request: ParetoRequest | null // of the configurations
  onOpen: (id: number) => void
}

export function Cheapest({ slo, all, catalogue, request, onOpen }: Props) {
  const prices = usePrices()
  const chosen = useMemo(
    () =>
      all.filter(({ point }) => KINDS.some(([kind]) => slo.cheapest[kind]?.ids.some((id) => point.ids.includes(id)))),
    [slo, all],
  )
  const mean = useMeans(chosen, FIELDS, request)
  if (slo.feasible_count === 0) return null
  const sourceOf = (kind: (typeof KINDS)[number][0], id: number) => {
    if (kind !== 'price') return 'Measured: the mean of the runs.'
    const gpu = slo.configurations.find(({ ids }) => ids.includes(id))?.gpu
    const price = prices.data?.prices.find((one) => one.gpu === gpu)
    if (!price || !prices.data) return 'The stored prices.'
    const stored = prices.data.changed_at === null ? '' : `, stored ${time(prices.data.changed_at)}`
    return `${price.per_hour} ${prices.data.currency ?? ''} per hour and ${price.gpu}${stored}`.replace('  ', ' ')
  }
  return (
    <section className={css.cheapest} aria-label="Cheapest within all limits" {...oneStop}>
      <b>Cheapest within all limits</b>
      {KINDS.map(([kind, words, id, best, per]) => {
        const field = catalogue.get(id)
        const one = slo.cheapest[kind]
        const newest = one?.ids.at(-1)
        if (!one || newest === undefined)
          return (
            <span key={kind}>
              {words}: {kind === 'price' ? 'no price known' : 'not known'}
            </span>
          )
        const form = formFor(field, [one.value])
        const interval = mean(newest, id)
        return (
          <span key={kind}>
            {words}:{' '}
            <Act prints onPress={() => onOpen(newest)}>
              {all.find(({ point }) => point.ids.includes(newest))?.name ?? `result ${newest}`}
            </Act>
            ,{' '}
            <Explained
              name={longName(field)}
              rows={[
                ['Definition', `${field.help}. Chosen: the ${best}.`],
                ['n', runs(one.ids.length)],
                ['95 % CI', interval ? intervalOr(interval, form) : 'not known yet'],
                ['Source', sourceOf(kind, newest)],
              ]}
            >
              {showNumber(one.value, form)}
            </Explained>{' '}
            {form.unit} {per}
          </span>
        )
      })}
    </section>
  )
}
