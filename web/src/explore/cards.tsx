// On a phone a card stands for a row.
import { Link } from 'wouter'

import type { ApplyAnswer, Row } from '../api/types'
import { CARD_FACTS, CARD_FIGURES, type Catalogue, shortName } from '../fields/catalogue'
import { formFor } from '../format/number'
import { briefly, NOT_RECORDED, showValue, UNSET } from '../format/value'
import { join } from '../ui/controls'
import { Simulated, Verdict } from '../ui/verdict'
import { paths } from '../url/paths'
import explore from './explore.module.css'
import { nameOf } from './grid'
import css from './grid.module.css'

function facts(catalogue: Catalogue, row: Row) {
  return CARD_FACTS.flatMap((id) => {
    const value = row.cells[id]
    if (value === undefined || value === null) return []
    const field = catalogue.get(id)
    const text = briefly(field, showValue(field, value, formFor(field, [])))
    return [id === 'server.tensor_parallel_size' ? `TP ${text}` : text]
  }).join(' · ')
}

export function Cards({ catalogue, answer, isWaiting }: { catalogue: Catalogue; answer: ApplyAnswer; columns: string[]; isWaiting: boolean }) {
  const figures = CARD_FIGURES.map((id) => {
    const field = catalogue.get(id)
    return { field, form: formFor(field, answer.rows.map((row) => row.cells[id])) }
  })
  return (
    <ul className={join(css.cards, isWaiting && explore.waiting)}>
      {answer.rows.map((row) => (
        <li key={row.id} className={row.simulated ? css.simulated : undefined}>
          <div className={css.top}>
            <Link className="clip" href={paths.experiment(row.id)}><bdi>{nameOf(row)}</bdi></Link>
            {row.simulated && <Simulated />}
            <Verdict verdict={row.verdict} />
          </div>
          <p className={`clip ${css.by ?? ''}`}><bdi>{facts(catalogue, row) || row.run_id}</bdi></p>
          <dl>
            {figures.map(({ field, form }) => {
              const value = row.cells[field.id]
              return (
                <div key={field.id}>
                  <dt>{shortName(field)}</dt>
                  <dd className={css.num}>
                    {value === undefined ? NOT_RECORDED : value === null ? UNSET : <>{showValue(field, value, form)} <small>{form.unit}</small></>}
                  </dd>
                </div>
              )
            })}
          </dl>
        </li>
      ))}
    </ul>
  )
}
