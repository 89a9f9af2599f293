// The values of one point, in a panel: nothing covers the data for long, and the text can be selected.
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { Link } from 'wouter'

import { useExperiment, usePoints } from '../api/queries'
import { type Catalogue, isRepeat, longName } from '../fields/catalogue'
import { count, plainNumber } from '../format/number'
import { lowEnd } from '../format/unit'
import { NOT_RECORDED, nullWord, wholeText, withUnit } from '../format/value'
import { Breaks } from '../ui/breaks'
import { IconButton } from '../ui/controls'
import { oneStop } from '../ui/one-stop'
import { Simulated, Verdict } from '../ui/verdict'
import { Pin } from '../tray/pin'
import { paths } from '../url/paths'
import { canBrushOn } from './brush'
import css from './chart.module.css'
import { aboutOf, type Chart, isOverRuns, type Item, linesOf, nameOf, type Named, OVER_RUNS, ownNameOf } from './items'
import { groupOf } from './group'
import { KINDS } from './kind-rows'
import { usePointName } from './point-name'
import { questionOf } from './model'

interface Props {
  chart: Chart
  item: Item | null
  catalogue: Catalogue
  round: number
  onClose: () => void
}

function emptyWords(chart: Chart) {
  return `Select a ${KINDS[chart.state.kind].nouns[0]} to see its values.${canBrushOn(chart) ? ' Drag to filter by a region.' : ''}`
}

// A sheet that opens over the answer of the SLO scrolls it into view.
function useSloInView(isOpen: boolean) {
  const aside = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const sheet = aside.current
    const slo = isOpen && sheet ? sheet.closest('section')?.querySelector('[role=group][aria-label=SLO]') : null
    if (!sheet || !slo || getComputedStyle(sheet).position !== 'fixed') return
    if (slo.getBoundingClientRect().bottom > sheet.getBoundingClientRect().top) slo.scrollIntoView({ block: 'start' })
  }, [isOpen])
  return aside
}

export function Reading({ chart, item, catalogue, round, onClose }: Props) {
  const aside = useSloInView(item !== null)
  if (!item)
    return (
      <aside className={css.reading} aria-label="Reading">
        <p className={css.quiet}>{emptyWords(chart)}</p>
      </aside>
    )
  return (
    <aside ref={aside} className={css.reading} aria-label="Reading" data-pinned>
      <div className={css.head}>
        {item.id === null ? (
          <b>
            <bdi>{nameOf(chart, item)}</bdi>
          </b>
        ) : (
          <ExperimentName id={item.id} own={ownNameOf(chart, item)} />
        )}
        <IconButton icon="close" name="Unpin" onPress={onClose} />
      </div>
      {item.id === null ? (
        <Group chart={chart} item={item} />
      ) : (
        <Experiment id={item.id} chart={chart} item={item} catalogue={catalogue} round={round} />
      )}
    </aside>
  )
}

function ExperimentName({ id, own: given }: { id: number; own: string | null }) {
  const { short, own, full } = usePointName(id, given)
  return (
    <b title={full}>
      <bdi>
        <Breaks text={short} />
      </bdi>
      {own && (
        <>
          {' '}
          <bdi className={css.by}>
            <Breaks text={own} />
          </bdi>
        </>
      )}
    </b>
  )
}

const Lines = ({ lines }: { lines: [string, string][] }) => (
  <dl>
    {lines.map(([what, value]) => (
      <div key={what} style={{ display: 'contents' }}>
        <dt>{what}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

const Values = ({ children }: { children: ReactNode }) => (
  <div className={css.values} tabIndex={0} role="group" aria-label="Values">
    {children}
  </div>
)

function Group({ chart, item }: { chart: Chart; item: Item }) {
  const filter = groupOf(chart, item)
  return (
    <>
      <Values>
        <Lines lines={linesOf(chart, item)} />
        {isOverRuns(chart) && <p className={css.by}>{OVER_RUNS}</p>}
      </Values>
      {filter && (
        <p className={css.acts}>
          <Pin side={{ filter }} name={nameOf(chart, item)} words="Pin as a group" />
        </p>
      )}
    </>
  )
}

// The document stores the confidence interval of a metric next to it, with the suffix "_ci95".
function intervalOf(fields: Record<string, { value?: unknown } | undefined>, axis: Named | null) {
  const ends = [0, 1].map((end) => fields[`${axis?.field.id ?? ''}_ci95.${end}`]?.value)
  if (!axis || typeof ends[0] !== 'number' || typeof ends[1] !== 'number') return null
  return `${plainNumber(lowEnd(axis.field, ends[0]), axis.form)} – ${plainNumber(ends[1], axis.form)} ${axis.form.unit}`
}

function Experiment({
  id,
  chart,
  item,
  catalogue,
  round,
}: {
  id: number
  chart: Chart
  item: Item
  catalogue: Catalogue
  round: number
}) {
  const experiment = useExperiment(String(id))
  const fields = (experiment.data?.fields ?? {}) as Record<string, { value?: unknown } | undefined>
  const requests = fields['results.completed']?.value
  const intervals = [chart.y, chart.x]
    .map((axis) => [axis, intervalOf(fields, axis)] as const)
    .filter(([, text]) => text !== null)
  const isSimulated = experiment.data?.simulated === true
  return (
    <>
      <Values>
        <p className={css.sub}>
          <Verdict verdict={aboutOf(chart.answer)?.verdict[item.at]} />
          {isSimulated && <Simulated />}
          <span>{typeof requests === 'number' ? `${count(requests)} requests, ` : ''}1 run</span>
        </p>
        <Lines lines={linesOf(chart, item)} />
        {intervals.length > 0 && (
          <>
            <p className={css.by}>95 % CI within the run</p>
            <Lines lines={intervals.map(([axis, text]) => [axis?.name ?? '', text ?? ''])} />
          </>
        )}
        {chart.answer.marks && <Differs chart={chart} id={id} catalogue={catalogue} round={round} />}
      </Values>
      <p className={css.acts} {...oneStop}>
        <Link href={paths.experiment(id)}>Open experiment</Link>
        <Pin side={{ ids: [id] }} name={nameOf(chart, item)} />
      </p>
    </>
  )
}

function Differs({ chart, id, catalogue, round }: { chart: Chart; id: number; catalogue: Catalogue; round: number }) {
  const near = usePoints({ ...questionOf(chart.answer), form: 'neighbors', neighbors: id }, round).data?.neighbors
  if (!near || near.id !== id || near.fields.length === 0) return null
  const fields = near.fields.filter(
    ({ field, value }) => !near.fields.some((other) => isRepeat(field, other.field) && other.value === value),
  )
  return (
    <div className={css.differs}>
      <p className={css.by}>Differences from the {near.count} nearest results</p>
      <dl>
        {fields.map(({ field: name, value, differing_count: differ }) => {
          const field = catalogue.get(name)
          const words =
            value === undefined
              ? NOT_RECORDED
              : value === null
                ? nullWord(field)
                : typeof value === 'string'
                  ? wholeText(field, value)
                  : withUnit(field, value)
          return (
            <div key={name} style={{ display: 'contents' }}>
              <dt title={`${name}: ${differ} of ${near.count} have another value`}>{longName(field)}</dt>
              <dd>
                <bdi>
                  <Breaks text={words} />
                </bdi>
              </dd>
            </div>
          )
        })}
      </dl>
    </div>
  )
}
