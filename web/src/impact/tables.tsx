// Effects as a table, interactions, and the inputs without an effect.
import type { Impact, ImpactEffect } from '../api/types'
import type { Catalogue } from '../fields/catalogue'
import { count } from '../format/number'
import { NOT_RECORDED } from '../format/value'
import { Act } from '../ui/controls'
import { Explained, ExplainedHead } from '../ui/explained'
import { oneStop } from '../ui/one-stop'
import page from '../ui/page.module.css'
import { CellsFigure, EffectFigure, ImportanceFigure, PlainFigure, RatioFigure } from './figures'
import css from './impact.module.css'
import {
  changeWords,
  effectName,
  FINDINGS,
  findingWords,
  inputName,
  intervalWords,
  pWords,
  reasonWords,
  shareWords,
  valueWords,
} from './model'

interface Props {
  answer: Impact
  catalogue: Catalogue
}

interface TableProps extends Props {
  opened: ImpactEffect | undefined
  onOpen: (effect: ImpactEffect) => void
}

export function EffectTable({ answer, catalogue, opened, onOpen }: TableProps) {
  return (
    <div className={page.scroll} tabIndex={0} role="region" aria-label="Effects table" aria-description="Scrolls">
      <table className={page.rows} {...oneStop}>
        <thead>
          <tr>
            <th scope="col">Input</th>
            <th scope="col">Change</th>
            <th scope="col" className={page.num}>
              Effect
            </th>
            <ExplainedHead
              name="95 % CI"
              className={page.num}
              rows={[
                ['Definition', 'Range of the effects that the pairs are consistent with. The effect names its method.'],
                ['n', 'column Cells'],
              ]}
            />
            <ExplainedHead
              name="Finding"
              rows={[
                ['better, worse', findingWords('better', answer.effect)],
                ['none', findingWords('none', answer.effect)],
                ['unclear', findingWords('unclear', answer.effect)],
              ]}
            />
            <th scope="col" className={page.num}>
              Cells
            </th>
            <ExplainedHead
              name="Pairs"
              className={page.num}
              rows={[['Definition', 'Pairs of runs, one with each value, that are equal in all other inputs.']]}
            />
            <ExplainedHead
              name="p"
              className={page.num}
              rows={[
                ['Definition', 'Probability of an effect of at least this size if the input had none.'],
                ['n', 'column Cells'],
              ]}
            />
            <ExplainedHead
              name="q"
              className={page.num}
              rows={[
                [
                  'Definition',
                  'Least false discovery rate at which this effect counts as one, among all effects (Benjamini and Hochberg).',
                ],
                ['n', 'the effects of this page'],
              ]}
            />
            <th scope="col" className={page.num}>
              Plain means
            </th>
            <th scope="col" className={page.num}>
              Importance
            </th>
          </tr>
        </thead>
        <tbody>
          {answer.effects.map((effect) => {
            const [contrast] = effect.contrasts
            const name = effectName(effect, catalogue)
            return (
              contrast && (
                <tr
                  key={effect.inputs[0]?.field}
                  data-opened={effect === opened || undefined}
                  aria-current={effect === opened || undefined}
                >
                  <th scope="row">
                    <Act prints aria-pressed={effect === opened} onPress={() => onOpen(effect)}>
                      {name}
                    </Act>
                  </th>
                  <td>
                    <bdi>{changeWords(effect.inputs, contrast, catalogue)}</bdi>
                  </td>
                  <td className={page.num}>
                    <EffectFigure {...{ effect, answer, catalogue }} />
                  </td>
                  <td className={page.num}>{intervalWords(contrast)}</td>
                  <td data-finding={effect.finding} className={css.finding}>
                    {FINDINGS[effect.finding]}
                  </td>
                  <td className={page.num}>
                    <CellsFigure contrast={contrast} />
                  </td>
                  <td className={page.num}>{count(contrast.pair_count)}</td>
                  <td className={page.num}>{pWords(contrast.p)}</td>
                  <td className={page.num}>{pWords(effect.q)}</td>
                  <td className={page.num}>
                    <PlainFigure name={name} plain={contrast.plain} />
                  </td>
                  <td className={page.num}>
                    <ImportanceFigure {...{ effect, answer, name }} />
                  </td>
                </tr>
              )
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

export function Interactions({ answer, catalogue }: Props) {
  if (answer.interactions.length === 0)
    return (
      <p className={css.sentence}>
        No interaction can be measured: it needs two inputs with an effect, and cells with all four combinations of
        their values.
      </p>
    )
  return (
    <div className={page.scroll} tabIndex={0} role="region" aria-label="Interactions table" aria-description="Scrolls">
      <table className={page.rows} {...oneStop}>
        <thead>
          <tr>
            <th scope="col">Effect of</th>
            <th scope="col">Depends on</th>
            <th scope="col" className={page.num}>
              With the first value
            </th>
            <th scope="col" className={page.num}>
              With the second value
            </th>
            <th scope="col" className={page.num}>
              Ratio of both
            </th>
            <ExplainedHead
              name="95 % CI"
              className={page.num}
              rows={[
                ['Definition', 'Range of the effects that the pairs are consistent with. The effect names its method.'],
                ['n', 'column Cells'],
              ]}
            />
            <ExplainedHead
              name="Cells"
              className={page.num}
              rows={[
                [
                  'Definition',
                  'Combinations of all other inputs in which all four combinations of values were measured.',
                ],
              ]}
            />
          </tr>
        </thead>
        <tbody>
          {answer.interactions.map((one) => {
            const [first, second] = [effectName(one.first, catalogue), effectName(one.second, catalogue)]
            return (
              <tr key={`${first} ${second}`}>
                <th scope="row">
                  {first} <span className="dim">{changeWords(one.first.inputs, one.first, catalogue)}</span>
                </th>
                <td>
                  {second} <span className="dim">{changeWords(one.second.inputs, one.second, catalogue)}</span>
                </td>
                <td className={page.num}>
                  <RatioFigure
                    name={`Effect of ${first} with the first value of ${second}`}
                    definition="Effect in the cells in which the other input has its first value."
                    ratio={one.at_from}
                  />
                </td>
                <td className={page.num}>
                  <RatioFigure
                    name={`Effect of ${first} with the second value of ${second}`}
                    definition="Effect in the cells in which the other input has its second value."
                    ratio={one.at_to}
                  />
                </td>
                <td className={page.num}>
                  <RatioFigure
                    name={`Interaction of ${first} and ${second}`}
                    definition="Second effect divided by the first one, in cells with all four combinations. 0 %: the two effects multiply."
                    ratio={one}
                  />
                </td>
                <td className={page.num}>{intervalWords(one)}</td>
                <td className={page.num}>{count(one.cell_count)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

export function Rest({ answer, catalogue }: Props) {
  if (answer.rest.length === 0) return <p className={css.sentence}>Each input that varies has an effect above.</p>
  return (
    <div
      className={page.scroll}
      tabIndex={0}
      role="region"
      aria-label="Inputs without an effect"
      aria-description="Scrolls"
    >
      <table className={page.rows} {...oneStop}>
        <thead>
          <tr>
            <th scope="col">Input</th>
            <th scope="col">Reason</th>
            <th scope="col">Values</th>
            <th scope="col" className={page.num}>
              Plain means
            </th>
          </tr>
        </thead>
        <tbody>
          {answer.rest.map((rest) => {
            const name = inputName(rest, catalogue)
            const change = [rest.from, rest.to].map((value) => valueWords(rest.field, value, catalogue)).join(' → ')
            return (
              <tr key={rest.field}>
                <th scope="row" title={rest.field}>
                  {name}
                </th>
                <td className={page.text}>{reasonWords(rest, catalogue)}</td>
                <td>{rest.plain ? <bdi>{change}</bdi> : NOT_RECORDED}</td>
                <td className={page.num}>
                  {rest.plain ? <PlainFigure name={name} plain={rest.plain} /> : NOT_RECORDED}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

export function Constant({ answer, catalogue }: Props) {
  if (answer.constant.length === 0) return null
  return (
    <details className={css.constant}>
      <summary>
        {count(answer.constant.length)} {answer.constant.length === 1 ? 'input never varies' : 'inputs never vary'}
      </summary>
      <dl>
        {answer.constant.map(({ field, value }) => (
          <div key={field}>
            <dt title={field}>{inputName({ field }, catalogue)}</dt>
            <dd>
              <bdi>{valueWords(field, value, catalogue)}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

export const Explanation = ({ answer }: { answer: Impact }) => (
  <p className={css.sentence}>
    The forest predicts{' '}
    <Explained
      name="Explained share"
      rows={[
        [
          'Definition',
          'Share of the variance of the logarithm of the metric that the forest predicts for runs it has not seen.',
        ],
        ['n', `${count(Math.min(answer.count, 2000))} runs`],
        ['95 % CI', 'none'],
      ]}
    >
      {shareWords(answer.explained_share)}
    </Explained>{' '}
    of the variance
    {answer.explained_share !== null && answer.explained_share < 0.5 && ', so the importances mean little'}.
  </p>
)
