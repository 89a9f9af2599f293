// The cautions above the metrics, by kind: inputs that differ and that can change the metrics.
import type { Caution } from '../api/types'
import { type Catalogue, longName, namesOf } from '../fields/catalogue'
import { count } from '../format/number'
import { isFailed, statusWord } from '../format/value'
import { Act } from '../ui/controls'
import { Icon } from '../ui/icons'
import { Simulated } from '../ui/verdict'
import css from './compare.module.css'
import { type Answer, cautionsFor, type MetricView, type SideView, valuesBySide, withMetrics } from './model'

interface Props {
  answer: Answer
  views: SideView[]
  metrics: MetricView[]
  catalogue: Catalogue
  isMatched: boolean
  onMatch: (match: boolean) => void
}

export function Cautions({ answer, views, metrics, catalogue, isMatched, onMatch }: Props) {
  const { matched } = answer
  const measured = withMetrics(views, metrics)
  const isComparable = measured.length > 1
  const cautions = cautionsFor(answer.cautions, measured, isMatched ? (matched?.inputs ?? []) : [])
  const alike = titles(answer.comparable)
  const notTold = titles(answer.unknown)
  const bare = views.filter((view) => !measured.includes(view))
  const fell = views.reduce((sum, { told }) => sum + (told.unmatched ?? 0), 0)
  const isSimulated = views.length > 0 && views.every(({ told }) => told.runs > 0 && told.simulated === told.runs)
  const isGroup = views.some(({ told, side }) => told.runs > 1 || !('ids' in side))
  return (
    <section className={css.cautions} aria-label="Cautions">
      {bare.map((view) => (
        <p key={view.letter} className={css.lead}>
          <Icon name="warn" />
          <span>
            <b>
              {view.letter} {view.told.runs === 0 ? 'has no run' : 'has no metrics'}
              {whyBare(view)}
            </b>
          </span>
        </p>
      ))}
      {isComparable && cautions.length === 0 && bare.length === 0 && alike.length > 0 && (
        <p className={css.fine}>{sentence(alike)} the same on all sides.</p>
      )}
      {isComparable && cautions.length > 0 && (
        <>
          <p className={css.lead}>
            <Icon name="warn" />
            <span>
              <b>Caution:</b> the sides differ in {listed(cautions.map(({ title }) => title))}, which may cause the
              differences below.
            </span>
          </p>
          <ul>
            {cautions.map((caution) => (
              <li key={caution.kind}>
                <One caution={caution} views={measured} catalogue={catalogue} />
              </li>
            ))}
          </ul>
        </>
      )}
      {isComparable && bare.length === 0 && notTold.length > 0 && (
        <p className={css.fine}>
          <b>Not recorded by some runs:</b> {listed(notTold)}. The sides may differ in these inputs.
        </p>
      )}
      {isSimulated && (
        <p className={css.fine}>
          All runs are <Simulated />: the metrics below are not of real hardware.
        </p>
      )}
      {isGroup && (
        <p className={css.match}>
          {matched && isMatched ? (
            <>
              <b>Matched:</b>{' '}
              <span>
                {count(matched.cell_count)}{' '}
                {matched.cell_count === 1 ? 'combination of inputs occurs' : 'combinations of inputs occur'} on all
                sides;{' '}
                {fell === 0 ? 'no run is excluded' : `${count(fell)} ${fell === 1 ? 'run is' : 'runs are'} excluded`}.{' '}
                {matched.inputs.length > 0 && (
                  <span title={matched.inputs.join('\n')}>Matched inputs: {namesOf(matched.inputs, catalogue)}.</span>
                )}{' '}
                {matched.unmatched_inputs.length > 0 && (
                  <span title={matched.unmatched_inputs.join('\n')}>
                    Compared inputs: {namesOf(matched.unmatched_inputs, catalogue)}.
                  </span>
                )}
              </span>{' '}
              <Act onPress={() => onMatch(false)}>Use all runs</Act>
            </>
          ) : (
            <>
              <Act onPress={() => onMatch(true)}>Keep only comparable results</Act>{' '}
              <span>to keep only runs whose other inputs, such as load and lengths, occur on every side.</span>
            </>
          )}
        </p>
      )}
    </section>
  )
}

// The reason why a side has no metrics, if its single run records it.
function whyBare({ told, experiment }: SideView) {
  const status = experiment?.fields['run.status']?.value
  return told.runs === 0 ? ': its inputs cannot be checked.' : isFailed(status) ? `: ${statusWord(status)}.` : '.'
}

const listed = (words: string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`

// Whether runs are simulated has a line of its own.
const titles = (kinds: Answer['comparable']) =>
  kinds.filter(({ kind }) => kind !== 'simulated').map(({ title }) => title)

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const sentence = (words: string[]) => capital(`${listed(words)} ${words.length === 1 ? 'is' : 'are'}`)

function One({ caution, views, catalogue }: { caution: Caution; views: SideView[]; catalogue: Catalogue }) {
  return (
    <>
      <p>
        <b>{capital(caution.title)}</b>: {caution.text}.
      </p>
      <dl>
        {caution.fields.map(({ field: id, sides }) => (
          <div key={id}>
            <dt title={id}>{longName(catalogue.get(id))}</dt>
            <dd>
              {valuesBySide(catalogue.get(id), sides, views).map(({ letters, text }) => (
                <span key={text}>
                  <b>{letters}</b> <bdi className="n">{text}</bdi>
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}
