// What one must know before two points are compared: in what they differ that is no result, and what is not drawn.
import { memo, useId, useState } from 'react'

import type { Caution } from '../api/types'
import { valuesOf, valuesText } from '../compare/model'
import { type Catalogue, longName, namesOf } from '../fields/catalogue'
import { count, formOfRow } from '../format/number'
import { valueText } from '../format/value'
import { Act } from '../ui/controls'
import { Icon } from '../ui/icons'
import { Simulated } from '../ui/verdict'
import type { ChartState } from '../url/chart'
import css from './chart.module.css'
import type { Chart } from './items'
import { leftOutOf, lowerFirst } from './model'

const NAMED = 2 // fields of a kind; the list below has all

interface Props {
  chart: Chart
  catalogue: Catalogue
  set: (part: Partial<ChartState>) => void
  onAgain: () => void // for what there was no time for: what was begun is kept
}

// All points have the same there, which is not as it should be: no verdict is "trusted".
const isOfAll = ({ fields }: Caution) => fields.every(({ sides: [told] }) => told && told.distinct + (told.null > 0 ? 1 : 0) + (told.not_recorded > 0 ? 1 : 0) === 1)

// "load form (max concurrency, number of prompts)"
function kindWords({ title, fields }: Caution, catalogue: Catalogue) {
  const names = fields.map(({ field }) => lowerFirst(longName(catalogue.get(field))))
  const more = names.length - NAMED
  const words = more > 1 ? `${names.slice(0, NAMED).join(', ')} and ${more} more` : names.join(', ')
  return words === title ? title : `${title} (${words})`
}

const words = (cautions: Caution[], catalogue: Catalogue) => cautions.map((caution) => kindWords(caution, catalogue)).join(', ')

// Every field that is not alike, with what the points have there.
function Fields({ id, cautions, catalogue }: { id: string; cautions: Caution[]; catalogue: Catalogue }) {
  return (
    <dl id={id} tabIndex={0} className={css.unlike} aria-label="What is not alike">
      {cautions.flatMap(({ kind, title, text, fields }) => fields.map(({ field: of, sides: [told] }) => {
        const field = catalogue.get(of)
        const form = formOfRow(field, told ? valuesOf([told]) : [])
        return (
          <div key={`${kind} ${of}`}>
            <dt title={`${of}\n${title}: ${text}`}>{longName(field)}{form.unit && ` [${form.unit}]`}</dt>
            <dd className="n"><bdi>{told && valuesText(field, told, Infinity, (value) => valueText(field, value, form))}</bdi></dd>
          </div>
        )
      }))}
    </dl>
  )
}

// What cells are matched between: the kinds of the colour, and of bars without one those of their axis.
const groupsOf = ({ answer }: Chart) => answer.colour ?? (answer.form === 'groups' ? answer.x?.kinds ?? null : null)

function Matched({ chart: { answer }, catalogue }: { chart: Chart; catalogue: Catalogue }) {
  const { matched } = answer
  const fell = answer.left_out.unmatched ?? 0
  if (!matched) return <>Cells are not matched: that needs 2 to 50 groups, by colour{answer.form === 'groups' && ' or along the axis'}. </>
  return (
    <>
      <b>Matched cells:</b> {count(matched.cells)} {matched.cells === 1 ? 'cell' : 'cells'} occur in all {count(matched.groups)} groups; {fell === 0 ? 'no result fell out' : `${count(fell)} ${fell === 1 ? 'result' : 'results'} fell out`}.{' '}
      {matched.by.length > 0 && <span title={matched.by.join('\n')}>Alike in {namesOf(matched.by, catalogue)}. </span>}
      {matched.apart.length > 0 && <span title={matched.apart.join('\n')}>Compared: {namesOf(matched.apart, catalogue)}. </span>}
    </>
  )
}

export const Guard = memo(function Guard({ chart, catalogue, set, onAgain }: Props) {
  const [isOpen, setOpen] = useState(false)
  const list = useId()
  const { answer } = chart
  const { cautions } = answer
  const isMatched = chart.state.match
  const ofAll = cautions.filter(isOfAll)
  const mixed = cautions.filter((caution) => !isOfAll(caution))
  const canMatch = !isMatched && mixed.length > 0 && (groupsOf(chart)?.kinds.length ?? 0) > 1
  const simulated = answer.left_out.simulated ?? 0
  const left = leftOutOf(answer, catalogue).filter(({ reason }) => reason !== 'simulated' && reason !== 'unmatched')
  const gaps = chart.axes.filter(({ gaps: rows }) => rows > 0)
  const marks = answer.marks ?? answer.lines
  const log = [answer.x, answer.y].filter((axis) => axis && axis.not_positive > 0)
  if (!isMatched && cautions.length === 0 && simulated === 0 && left.length === 0 && log.length === 0 && answer.form !== 'thinned' && answer.simulated === 0 && gaps.length === 0 && answer.not_ready.length === 0) return null
  return (
    <div className={css.guard} role="note" aria-label="About this chart">
      {cautions.length > 0 && <Icon name="warn" />}
      <span>
        {mixed.length > 0 && <><b>These points are not all alike:</b> {words(mixed, catalogue)}. </>}
        {ofAll.length > 0 && <><b>All of these are to be read with care:</b> {words(ofAll, catalogue)}. </>}
        {isMatched && <Matched chart={chart} catalogue={catalogue} />}
        {(simulated > 0 || left.length > 0) && (
          <>
            Not drawn: {simulated > 0 && <>{count(simulated)} <Simulated />{left.length > 0 && ', '}</>}
            {left.map(({ rows, words }) => `${count(rows)} ${words}`).join(', ')}.{' '}
          </>
        )}
        {simulated === 0 && answer.simulated > 0 && <>{answer.simulated === answer.count ? 'All' : count(answer.simulated)} of these are <Simulated />. </>}
        {gaps.length > 0 && <>Broken lines: {gaps.map(({ name, gaps: rows }) => `${count(rows)} without ${lowerFirst(name)}`).join(', ')}. </>}
        {answer.not_ready.length > 0 && <>There was no time for: {answer.not_ready.join(', ')}. </>}
        {answer.form === 'thinned' && answer.lines && <>{count(answer.drawn)} results as {count(answer.lines.id.length)} lines: a wider one stands for those that run beside it. What is like no other and what is selected stand each for itself. </>}
        {answer.form === 'thinned' && answer.marks && <>{count(answer.drawn)} results as {count(marks?.id.length ?? 0)} marks: a larger one stands for those around it. The frontier{answer.frontier === null ? '' : answer.frontier_more ? ' in part' : ''}, what lies alone and what is selected stand each for itself. </>}
        {log.map((axis) => axis && <span key={axis.field}>No logarithmic axis: {count(axis.not_positive)} of them {axis.not_positive === 1 ? 'is' : 'are'} at or below zero. </span>)}
      </span>
      <span className={css.end}>
        {cautions.length > 0 && <Act aria-expanded={isOpen} {...(isOpen && { 'aria-controls': list })} onPress={() => setOpen(!isOpen)}>{isOpen ? 'Hide the fields' : 'Which fields'}</Act>}
        {answer.not_ready.length > 0 && <Act onPress={onAgain}>Ask again</Act>}
        {canMatch && <span title="Keeps only results whose other inputs occur in every group"><Act onPress={() => set({ match: true })}>Match cells</Act></span>}
        {isMatched && <Act onPress={() => set({ match: false })}>Take all results</Act>}
        {simulated > 0 && <Act onPress={() => set({ withSimulated: true })}>Draw simulated ones</Act>}
        {simulated === 0 && chart.state.withSimulated && answer.simulated < answer.count && <Act onPress={() => set({ withSimulated: false })}>Leave simulated ones out</Act>}
      </span>
      {isOpen && cautions.length > 0 && <Fields id={list} cautions={cautions} catalogue={catalogue} />}
    </div>
  )
})
