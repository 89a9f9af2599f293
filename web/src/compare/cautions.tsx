// What has to be read before any figure: what makes these runs hard to compare, by kind.
import type { Caution } from '../api/types'
import { type Catalogue, longName, namesOf } from '../fields/catalogue'
import { count } from '../format/number'
import { Act } from '../ui/controls'
import { Icon } from '../ui/icons'
import { Simulated } from '../ui/verdict'
import css from './compare.module.css'
import { type Answer, type SideView, valuesText } from './model'

interface Props {
  answer: Answer
  views: SideView[]
  catalogue: Catalogue
  isMatched: boolean
  onMatch: (match: boolean) => void
}

export function Cautions({ answer, views, catalogue, isMatched, onMatch }: Props) {
  const { matched } = answer
  // matching makes the sides alike in these fields
  const matchedBy = new Set(isMatched ? matched?.by : [])
  const cautions = answer.cautions.filter(({ fields }) => fields.length === 0 || !fields.every(({ field }) => matchedBy.has(field)))
  const alike = titles(answer.alike)
  const notTold = titles(answer.not_told)
  const empty = views.filter(({ told }) => told.runs === 0).map(({ letter }) => letter)
  const fell = views.reduce((sum, { told }) => sum + (told.fell_out ?? 0), 0)
  const isSimulated = views.length > 0 && views.every(({ told }) => told.runs > 0 && told.simulated === told.runs)
  const isGroup = views.some(({ told, side }) => told.runs > 1 || !('ids' in side))
  return (
    <section className={css.cautions} aria-label="With care">
      {empty.length > 0 && <p className={css.fine}><b>{listed(empty)} {empty.length === 1 ? 'has' : 'have'} no run:</b> its inputs cannot be checked.</p>}
      {cautions.length === 0 ? alike.length > 0 && <p className={css.fine}>{sentence(alike)} alike on all sides.</p> : (
        <>
          <p className={css.lead}><Icon name="warn" /><span><b>Read with care:</b> {listed(cautions.map(({ title }) => title))}. {cautions.length === 1 ? 'This' : 'These'} may cause the differences below.</span></p>
          <ul>{cautions.map((caution) => <li key={caution.kind}><One caution={caution} views={views} catalogue={catalogue} /></li>)}</ul>
        </>
      )}
      {empty.length === 0 && notTold.length > 0 && <p className={css.fine}><b>Not recorded by all runs:</b> {listed(notTold)}. {notTold.length === 1 ? 'It' : 'They'} may differ.</p>}
      {isSimulated && <p className={css.fine}>All of these are <Simulated />: no metric below is of real hardware.</p>}
      {isGroup && (
        <p className={css.match}>
          {matched && isMatched ? (
            <>
              <b>Matched cells:</b> <span>{count(matched.cells)} {matched.cells === 1 ? 'cell' : 'cells'} occur on all sides; {fell === 0 ? 'no run is excluded' : `${count(fell)} ${fell === 1 ? 'run is' : 'runs are'} excluded`}.{' '}
                {matched.by.length > 0 && <span title={matched.by.join('\n')}>Alike in {namesOf(matched.by, catalogue)}.</span>}{' '}
                {matched.apart.length > 0 && <span title={matched.apart.join('\n')}>Compared: {namesOf(matched.apart, catalogue)}.</span>}</span>{' '}
              <Act onPress={() => onMatch(false)}>Use all runs</Act>
            </>
          ) : <><Act onPress={() => onMatch(true)}>Match cells</Act> <span>keeps only runs whose other inputs occur on every side</span></>}
        </p>
      )}
    </section>
  )
}

const listed = (words: string[]) => (words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`)

// Whether runs are simulated has a line of its own.
const titles = (kinds: Answer['alike']) => kinds.filter(({ kind }) => kind !== 'simulated').map(({ title }) => title)

function sentence(words: string[]) {
  const text = `${listed(words)} ${words.length === 1 ? 'is' : 'are'}`
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function One({ caution, views, catalogue }: { caution: Caution; views: SideView[]; catalogue: Catalogue }) {
  return (
    <>
      <b>{caution.title}</b>: {caution.text}.{' '}
      {caution.fields.map(({ field: id, sides }) => {
        const field = catalogue.get(id)
        const texts = sides.map((told) => valuesText(field, told))
        const isOne = new Set(texts).size === 1
        return <span key={id} className={css.told} title={id}>{longName(field)} <bdi className="n">{isOne ? texts[0] : texts.map((text, at) => `${views[at]?.letter ?? ''} ${text}`).join(' · ')}</bdi> </span>
      })}
    </>
  )
}
