// The line of cautions below the chart: which inputs differ, and how many results are not plotted. Its details show the
// rest.
import { memo, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Dialog, Popover } from 'react-aria-components'

import { usePoints } from '../api/queries'
import type { Caution } from '../api/types'
import { valuesOf, valuesText } from '../compare/model'
import { type Catalogue, longName, namesOf } from '../fields/catalogue'
import { count, formOfRow } from '../format/number'
import { valueText } from '../format/value'
import { Act, Button } from '../ui/controls'
import controls from '../ui/controls.module.css'
import { Icon } from '../ui/icons'
import { oneStop } from '../ui/one-stop'
import { Simulated } from '../ui/verdict'
import type { ChartState } from '../url/chart'
import css from './guard.module.css'
import { gapWords } from './gaps'
import type { Chart } from './items'
import { type LeftOut, leftOutOf, questionOf, sum } from './model'

interface Props {
  chart: Chart
  catalogue: Catalogue
  round: number
  set: (part: Partial<ChartState>) => void
  onAgain: () => void // retries what was not computed in time; the server kept its partial work
}

// Kinds in which an unset value is a choice of its own: no limit, no quantization, no verdict.
const UNSET_IS_VALUE = new Set(['load', 'lengths', 'precision', 'verdict'])

// The distinct values of the field with the most. A value that is not recorded is none.
export const countKinds = ({ kind, fields }: Pick<Caution, 'kind' | 'fields'>) =>
  Math.max(
    0,
    ...fields.map(({ sides: [side] }) =>
      side ? side.distinct + (UNSET_IS_VALUE.has(kind) && side.null > 0 ? 1 : 0) : 0,
    ),
  )

const distinctOf = ({ fields }: Caution) =>
  Math.max(
    0,
    ...fields.map(({ sides: [side] }) =>
      side ? side.distinct + (side.null > 0 ? 1 : 0) + (side.not_recorded > 0 ? 1 : 0) : 0,
    ),
  )

// Whether the caution applies to all results alike, for example if none is trusted.
const isOfAll = (caution: Caution) => distinctOf(caution) === 1

export const splitCautions = (cautions: Caution[]) => ({
  ofAll: cautions.filter(isOfAll),
  mixed: cautions.filter((caution) => !isOfAll(caution)),
})

// Kinds of cautions as the line counts them, the most important first. '' has no count: "failed requests".
const NOUNS: [kind: string, plural: string][] = [
  ['model', 'models'],
  ['lengths', 'lengths'],
  ['load', 'loads'],
  ['gpu', 'GPU types'],
  ['dataset', 'datasets'],
  ['precision', 'precisions'],
  ['engine', 'engine versions'],
  ['client', 'clients'],
  ['verdict', 'verdicts'],
  ['status', 'statuses'],
  ['failures', ''],
  ['neighbours', ''],
]
// Kinds whose fields have other names: Details shows the kind with each field.
const SEVERAL_FIELDS = new Set(['lengths', 'load', 'precision', 'client'])
const placeOf = ({ kind }: Caution) => NOUNS.findIndex(([known]) => known === kind) + 1 || NOUNS.length + 1

function mixedWords(caution: Caution) {
  const noun = NOUNS.find(([kind]) => kind === caution.kind)?.[1]
  return noun ? `${count(countKinds(caution))} ${noun}` : caution.title
}

const listOf = (cautions: Caution[], words: (caution: Caution) => string) =>
  cautions
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map(words)
    .join(', ')

// "3 GPU types, 2 loads; not recorded by some results: dataset". An input of the second list has fewer than two known
// values.
export function mixedList(mixed: Caution[]) {
  const isUnknown = (caution: Caution) =>
    countKinds(caution) < 2 && !NOUNS.some(([kind, noun]) => kind === caution.kind && noun === '')
  const [unknown, known] = [mixed.filter(isUnknown), mixed.filter((caution) => !isUnknown(caution))]
  return [
    known.length > 0 && listOf(known, mixedWords),
    unknown.length > 0 && `not recorded by some results: ${listOf(unknown, ({ title }) => title)}`,
  ]
    .filter(Boolean)
    .join('; ')
}

// The fields of cautions, the most important first: those with several known values, then those with unknown values.
export function fieldsOf(cautions: Caution[]) {
  const all = cautions
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .flatMap(({ kind, title, text, fields }) => fields.map((one) => ({ kind, title, text, ...one })))
  return {
    differing: all.filter((one) => countKinds({ kind: one.kind, fields: [one] }) > 1),
    unknown: all.filter((one) => countKinds({ kind: one.kind, fields: [one] }) < 2),
  }
}

// Keeps a count on the line of its value.
const joined = (text: string) => text.replaceAll(' (', '\u00a0(')

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function Fields({
  fields,
  catalogue,
  label,
}: {
  fields: ReturnType<typeof fieldsOf>['differing']
  catalogue: Catalogue
  label: string
}) {
  return (
    <dl className={css.unlike} aria-label={label}>
      {fields.map(({ kind, title, text, field: of, sides: [side] }) => {
        const field = catalogue.get(of)
        const form = formOfRow(field, side ? valuesOf([side]) : [])
        return (
          <div key={`${kind} ${of}`}>
            <dt title={`${of}\n${title}: ${text}`}>
              {SEVERAL_FIELDS.has(kind) && `${upperFirst(NOUNS.find(([known]) => known === kind)?.[1] ?? '')}: `}
              {longName(field)}
              {form.unit && ` [${form.unit}]`}
            </dt>
            <dd>
              <bdi>{side && joined(valuesText(field, side, Infinity, (value) => valueText(field, value, form)))}</bdi>
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

export function DifferingInputs({ cautions, catalogue }: { cautions: Caution[]; catalogue: Catalogue }) {
  const { differing, unknown } = fieldsOf(cautions)
  return (
    <>
      {differing.length > 0 && (
        <Section title="Differing inputs">
          <Fields fields={differing} catalogue={catalogue} label="Fields that differ" />
        </Section>
      )}
      {unknown.length > 0 && (
        <details className={css.unknown}>
          <summary>
            Not recorded by some results: {count(unknown.length)} {unknown.length === 1 ? 'field' : 'fields'}
          </summary>
          <Fields fields={unknown} catalogue={catalogue} label="Fields that some results do not record" />
        </details>
      )}
    </>
  )
}

// The number of groups whose inputs can be matched: the values of the color, or of the axis for bars without a color.
const groupsOf = ({ answer }: Chart) =>
  (answer.color ?? (answer.form === 'groups' ? (answer.x?.kinds ?? null) : null))?.kinds.filter(
    ({ state }) => state !== 'missing',
  ).length ?? 0
const GROUPS_MAX = 50
const DETAILS_HIGH = 390 // px: below the line there is that much room at 900 px
const REASONS_SAID = 2
const COUNT_AFTER_MS = 300 // matching costs the server more than the chart, so it waits until the filter settles

export const noMatchWords = (groups: number) =>
  `No combination of the other inputs occurs in all ${count(groups)} groups.`

function useSettled<T>(value: T): T | null {
  const [settled, setSettled] = useState<T | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), COUNT_AFTER_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled === value ? settled : null
}

// How many results matching would keep; null: not known yet.
function useMatchCount({ answer }: Chart, canMatch: boolean, round: number) {
  const settled = useSettled(answer)
  const request = settled && canMatch ? { ...questionOf(settled), match: true, count_only: true } : null
  const { data, isPlaceholderData } = usePoints(request, round)
  return request && data && !isPlaceholderData ? data.drawn : null
}

function MatchInputs({ keeps, groups, set }: { keeps: number | null; groups: number; set: Props['set'] }) {
  const why =
    keeps === null
      ? 'Counting the results that matching keeps.'
      : keeps === 0
        ? noMatchWords(groups)
        : 'Keeps only results whose other inputs, such as load and lengths, occur in every group. Inputs without a value that occurs in every group are compared instead.'
  return (
    <span title={why}>
      <Act isDisabled={!keeps} onPress={() => set({ match: true })}>
        Keep only comparable results{keeps !== null && ` (${count(keeps)})`}
      </Act>
    </span>
  )
}

// "12 combinations of inputs occur in all 6 groups"
const matchedWords = ({ answer: { matched } }: Chart) =>
  matched
    ? `${count(matched.cell_count)} ${matched.cell_count === 1 ? 'combination' : 'combinations'} of inputs ${matched.cell_count === 1 ? 'occurs' : 'occur'} in all ${count(matched.group_count)} groups`
    : ''

// "10 simulated, 5 for other reasons": all reasons if they are few, otherwise the most frequent one.
function reasonWords(reasons: LeftOut[]) {
  if (reasons.length === 1) return reasons[0]?.words ?? ''
  const named = reasons.length <= REASONS_SAID ? reasons : reasons.slice(0, 1)
  const others = sum(reasons.slice(named.length).map(({ rows }) => rows))
  return [
    ...named.map(({ rows, words }) => `${count(rows)} ${words}`),
    ...(others > 0 ? [`${count(others)} for other reasons`] : []),
  ].join(', ')
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  )
}

interface DetailsProps extends Props {
  mixed: Caution[]
  ofAll: Caution[]
  keeps: number | null
  canMatch: boolean
  onClose: () => void
}

function Details({ chart, catalogue, set, mixed, ofAll, keeps, canMatch, onClose }: DetailsProps) {
  const { answer, state } = chart
  const { matched } = answer
  const left = leftOutOf(answer, catalogue)
  const simulated = answer.excluded.simulated ?? 0
  const gaps = gapWords(chart)
  const act = (part: Partial<ChartState>) => {
    onClose()
    set(part)
  }
  return (
    <>
      <DifferingInputs cautions={mixed} catalogue={catalogue} />
      {ofAll.length > 0 && (
        <Section title="Cautions">
          <Fields fields={Object.values(fieldsOf(ofAll)).flat()} catalogue={catalogue} label="Fields with cautions" />
        </Section>
      )}
      {left.length > 0 && (
        <Section title="Not plotted">
          <ul>
            {left.map(({ reason, rows, words }) => (
              <li key={reason}>
                {count(rows)} {reason === 'simulated' ? <Simulated /> : words}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {simulated > 0 && (
        <p>
          <Act onPress={() => act({ withSimulated: true })}>Draw simulated results</Act>
        </p>
      )}
      {simulated === 0 && state.withSimulated && answer.simulated > 0 && answer.simulated < answer.count && (
        <p>
          <Act onPress={() => act({ withSimulated: false })}>Exclude simulated results</Act>
        </p>
      )}
      {gaps && (
        <Section title="Broken lines">
          <ul>
            {gaps.words.map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        </Section>
      )}
      {answer.form === 'thinned' && (
        <Section title={answer.lines ? 'Lines' : 'Marks'}>
          {answer.lines ? (
            <p>
              {count(answer.lines.id.length)} lines for {count(answer.drawn)} results. A wider line represents several
              results that are nearly equal on all axes.
            </p>
          ) : (
            <p>
              {count(answer.marks?.id.length ?? 0)} marks for {count(answer.drawn)} results. A larger mark represents
              several results at the same position.{' '}
              {answer.frontier_more_count ? 'Some results on the frontier' : 'Results on the frontier'}, isolated
              results and selected results have separate marks.
            </p>
          )}
        </Section>
      )}
      {matched && (
        <Section title="Matched inputs">
          <p>
            {matchedWords(chart)}. {count(answer.excluded.unmatched ?? 0)} results do not match and are not plotted.
          </p>
          {matched.inputs.length > 0 && (
            <p title={matched.inputs.join('\n')}>Matched inputs: {namesOf(matched.inputs, catalogue)}.</p>
          )}
          {matched.unmatched_inputs.length > 0 && (
            <p title={matched.unmatched_inputs.join('\n')}>
              Compared inputs: {namesOf(matched.unmatched_inputs, catalogue)}.
            </p>
          )}
        </Section>
      )}
      {canMatch && keeps === 0 && (
        <Section title="Comparable results">
          <p>{noMatchWords(groupsOf(chart))}</p>
        </Section>
      )}
      {state.match && !matched && (
        <Section title="Comparable results">
          <p>
            The inputs are not matched: matching needs 2 to {GROUPS_MAX} groups, by color
            {answer.form === 'groups' && ' or along the axis'}.
          </p>
        </Section>
      )}
    </>
  )
}

export const Guard = memo(function Guard(props: Props) {
  const { chart, catalogue, round, set, onAgain } = props
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const dialog = useId()
  const { answer } = chart
  const { ofAll, mixed } = splitCautions(answer.cautions)
  const groups = groupsOf(chart)
  const canMatch = !chart.state.match && mixed.length > 0 && groups > 1 && groups <= GROUPS_MAX
  const keeps = useMatchCount(chart, canMatch, round)
  const reasons = leftOutOf(answer, catalogue)
  const left = sum(reasons.map(({ rows }) => rows))
  const gaps = gapWords(chart)
  const simulated = (answer.excluded.simulated ?? 0) > 0 ? 0 : answer.simulated
  const parts: [key: string, words: ReactNode][] = [
    ...(chart.state.match
      ? [
          ['matched', <b key="">{answer.matched ? `Matched: ${matchedWords(chart)}` : 'Not matched'}</b>] as [
            string,
            ReactNode,
          ],
        ]
      : []),
    ...(mixed.length
      ? [
          [
            'mixed',
            <>
              <b>Mixed:</b>{' '}
              {mixedList(mixed)
                .split(/(?<=[,;]) /)
                .map((words) => (
                  <span key={words}>{words} </span>
                ))}
            </>,
          ] as [string, ReactNode],
        ]
      : []),
    ...(ofAll.length
      ? [
          [
            'care',
            <>
              <b>Caution:</b> {listOf(ofAll, ({ title }) => title)}
            </>,
          ] as [string, ReactNode],
        ]
      : []),
    ...(simulated
      ? [
          [
            'simulated',
            <>
              {simulated === answer.count ? 'All' : count(simulated)} <Simulated />
            </>,
          ] as [string, ReactNode],
        ]
      : []),
    ...(left
      ? [
          [
            'left',
            <span key="" title={reasons.map(({ rows, words }) => `${count(rows)} ${words}`).join('\n')}>
              {count(left)} {left === 1 ? 'result' : 'results'} not plotted: {reasonWords(reasons)}
            </span>,
          ] as [string, ReactNode],
        ]
      : []),
    ...(gaps
      ? [
          [
            'gaps',
            <span key="" title={gaps.words.join('\n')}>
              {count(gaps.count)} {gaps.count === 1 ? 'gap' : 'gaps'} in lines
            </span>,
          ] as [string, ReactNode],
        ]
      : []),
    ...(
      [
        ['x', answer.x],
        ['y', answer.y],
      ] as const
    ).flatMap(([name, axis]): [string, ReactNode][] =>
      axis && axis.not_positive > 0
        ? [
            [
              name,
              `${name} is not logarithmic: ${count(axis.not_positive)} ${axis.not_positive === 1 ? 'value is' : 'values are'} at or below zero`,
            ],
          ]
        : [],
    ),
    ...(answer.incomplete.length
      ? [['not ready', `not computed in time: ${answer.incomplete.join(', ')}`] as [string, ReactNode]]
      : []),
  ]
  if (parts.length === 0 && answer.form !== 'thinned') return null
  return (
    <div className={css.guard} role="note" aria-label="About this chart">
      {answer.cautions.length > 0 && <Icon name="warn" />}
      <span className={css.parts}>
        {parts.map(([key, words]) => (
          <span
            key={key}
            className={key === 'mixed' ? css.long : undefined}
            {...(key === 'mixed' && { title: mixedList(mixed) })}
          >
            {words}
          </span>
        ))}
        {parts.length === 0 && (
          <span>
            {count(answer.marks?.id.length ?? answer.lines?.id.length ?? 0)} {answer.lines ? 'lines' : 'marks'} for{' '}
            {count(answer.drawn)} results
          </span>
        )}
      </span>
      <span className={css.does} {...oneStop}>
        {canMatch && <MatchInputs keeps={keeps} groups={groups} set={set} />}
        {chart.state.match && <Act onPress={() => set({ match: false })}>Use all results</Act>}
        {answer.incomplete.length > 0 && <Act onPress={onAgain}>Retry</Act>}
        <Act
          ref={button}
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          {...(isOpen && { 'aria-controls': dialog })}
          onPress={() => setOpen(!isOpen)}
        >
          Details
        </Act>
      </span>
      {isOpen && (
        <Popover
          isOpen
          triggerRef={button}
          placement="bottom end"
          maxHeight={DETAILS_HIGH}
          onOpenChange={setOpen}
          className={controls.pop ?? ''}
        >
          <Dialog id={dialog} aria-label="Details of the chart" className={css.details ?? ''}>
            <Details
              {...props}
              mixed={mixed}
              ofAll={ofAll}
              keeps={keeps}
              canMatch={canMatch}
              onClose={() => setOpen(false)}
            />
            <p className={css.done}>
              <Button look="line" onPress={() => setOpen(false)}>
                Done
              </Button>
            </p>
          </Dialog>
        </Popover>
      )}
    </div>
  )
})
