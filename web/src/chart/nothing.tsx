// A chart without marks: why there are none, and the axes that would draw.
import { usePoints } from '../api/queries'
import type { PointsResponse } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { count } from '../format/number'
import { Act, Button } from '../ui/controls'
import { CHART, type ChartKind, type ChartState } from '../url/chart'
import css from './chart.module.css'
import { noMatchWords } from './guard'
import type { Chart } from './items'
import { isList } from './kind-rows'
import { choicesOf, leftOutOf, lowerFirst, questionOf } from './model'

const OFFERS = 4

interface Props {
  chart: Chart
  catalogue: Catalogue
  round: number
  set: (part: Partial<ChartState>) => void
}

type Choice = NonNullable<PointsResponse['choices']>[number]

export function choiceWords({ x, y, value, form }: Choice, catalogue: Catalogue) {
  const name = (id: string | undefined) => longName(catalogue.get(id ?? ''))
  if (value) return `${name(value)} by ${lowerFirst(name(x))} and ${lowerFirst(name(y))}`
  return y ? `${name(y)} ${form === 'groups' ? 'by' : 'against'} ${lowerFirst(name(x))}` : name(x)
}

function Reason({ chart: { answer, state }, catalogue, set }: Props) {
  const left = leftOutOf(answer, catalogue)
  if (answer.count === 0) return <span>No experiment matches the filter.</span>
  if (answer.excluded.unmatched)
    return (
      <span>
        {noMatchWords(answer.matched?.group_count ?? 0)}{' '}
        <Act onPress={() => set({ match: false })}>Use all results</Act>
      </span>
    )
  return (
    <span>
      Not plotted: {left.map(({ rows, words }) => `${count(rows)} ${words}`).join(', ')}.{' '}
      {answer.excluded.simulated && !state.withSimulated ? (
        <Act onPress={() => set({ withSimulated: true })}>Draw simulated results</Act>
      ) : null}
    </span>
  )
}

// How many results each usual pair of axes of a kind has; those that have none are left out.
function useOffers({ chart: { answer }, catalogue, round }: Props, kind: ChartKind, isAsked: boolean) {
  const {
    x: _,
    y: __,
    value: ___,
    axes: ____,
    color: _____,
    match: ______,
    form: _______,
    ...rows
  } = questionOf(answer)
  const request = { ...rows, count_only: true, choices: choicesOf({ ...CHART, kind }, catalogue) }
  const { data, isPlaceholderData } = usePoints(isAsked ? request : null, round)
  return isAsked && data && !isPlaceholderData
    ? (data.choices ?? []).filter((choice) => choice.count > 0).slice(0, OFFERS)
    : null
}

export function Nothing(props: Props) {
  const {
    chart: { answer, state },
    catalogue,
    set,
  } = props
  const canOffer = answer.count > 0 && !answer.excluded.unmatched
  const isOwn = !isList(state.kind) // a list of axes has no pairs
  const own = useOffers(props, state.kind, canOffer && isOwn)
  const scatter = useOffers(props, 'scatter', canOffer && (!isOwn || own?.length === 0))
  const offers = own?.length ? own : (scatter ?? [])
  const kind = own?.length ? state.kind : 'scatter'
  return (
    <div className={css.none} role="note" aria-label="No chart">
      <b>{answer.count === 0 ? 'No results to draw.' : 'No result can be drawn with these axes.'}</b>
      <Reason {...props} />
      {offers.length > 0 && <span>These axes have results:</span>}
      {offers.map((choice) => (
        <Button
          key={choiceWords(choice, catalogue)}
          look="line"
          onPress={() => set({ kind, x: choice.x ?? null, y: choice.y ?? null, value: choice.value ?? null })}
        >
          {choiceWords(choice, catalogue)}{' '}
          <span className="n dim">
            ({count(choice.count)} of {count(answer.count)})
          </span>
        </Button>
      ))}
    </div>
  )
}
