// The pairs of one effect: the cells with their runs, linked to the experiments and to Compare.
import { Link } from 'wouter'

import { causeOf } from '../api/client'
import { usePairs } from '../api/impact'
import type { Impact, ImpactEffect, ImpactPairs } from '../api/types'
import type { Catalogue } from '../fields/catalogue'
import { count, type Form, formFor, showNumber } from '../format/number'
import { Pin } from '../tray/pin'
import { Act, Bone, ButtonLink, Note, Select } from '../ui/controls'
import { Explained } from '../ui/explained'
import { oneStop } from '../ui/one-stop'
import page from '../ui/page.module.css'
import type { ImpactState } from '../url/impact'
import { paths } from '../url/paths'
import type { ImpactChange } from '../url/use-impact'
import { EffectFigure, PlainFigure } from './figures'
import css from './impact.module.css'
import {
  cells,
  changeOf,
  changeWords,
  contrastOf,
  effectName,
  inputName,
  inputNames,
  intervalWords,
  pairs as pairWords,
  pairsRequestOf,
  ratioWords,
  runs,
  valueWords,
} from './model'

const RUNS_SHOWN = 4
const COMPARED_MOST = 100 // runs of both sides, whose ids are in the address

interface Props {
  answer: Impact
  effect: ImpactEffect
  state: ImpactState
  change: ImpactChange
  catalogue: Catalogue
  round: number
}

export function Pairs({ answer, effect, state, change, catalogue, round }: Props) {
  const contrast = contrastOf(effect, state.change)
  const found = usePairs(pairsRequestOf(state), round)
  if (!contrast) return null
  const name = effectName(effect, catalogue)
  return (
    <section className={page.block} aria-label="Pairs">
      <div className={page.blockHead}>
        <h2>{name}</h2>
        <p>
          <bdi>{changeWords(effect.inputs, contrast, catalogue)}</bdi>
        </p>
        <span className={page.end}>
          <Act onPress={() => change({ input: null, change: null })}>Close</Act>
        </span>
      </div>
      {effect.contrasts.length > 1 && (
        <p className={css.sentence}>
          <Select
            label="Values to compare"
            value={String(effect.contrasts.indexOf(contrast))}
            onChange={(at) => {
              const next = effect.contrasts[Number(at)]
              if (next) change({ change: changeOf(effect, next) })
            }}
            options={effect.contrasts.map((one, at) => [
              String(at),
              `${changeWords(effect.inputs, one, catalogue)}: ${ratioWords(one.ratio)}, ${cells(one.cell_count)}`,
            ])}
          />
          {effect.more_level_count > 0 && ` ${count(effect.more_level_count)} rarer values are not compared.`}
        </p>
      )}
      <p className={css.sentence}>
        In runs that are equal in all other inputs, {answer.metric.label} changes by{' '}
        <EffectFigure {...{ effect, answer, catalogue, contrast }} /> ({intervalWords(contrast)}),{' '}
        {pairWords(contrast.pair_count)} of runs in {cells(contrast.cell_count)}. Plain group means say{' '}
        <PlainFigure name={name} plain={contrast.plain} />.
        {contrast.with.length > 0 &&
          ` ${inputNames(contrast.with, catalogue)} changes with it in all runs, so the effect includes theirs.`}
      </p>
      {found.error && (
        <Note kind="bad" role="alert">
          <b>Could not load the pairs.</b> {causeOf(found.error)} <Act onPress={() => void found.refetch()}>Retry</Act>
        </Note>
      )}
      {found.isFetching && !found.data && <Bone width={480} />}
      {found.data && <Cells pairs={found.data} name={name} {...{ answer, catalogue }} />}
    </section>
  )
}

function Cells({
  pairs,
  answer,
  catalogue,
  name,
}: { pairs: ImpactPairs; name: string } & Omit<Props, 'effect' | 'state' | 'change' | 'round'>) {
  const field = catalogue.get(answer.metric.field)
  const form = formFor(
    field,
    pairs.cells.flatMap(({ from, to }) => [from.median, to.median]),
  )
  const [from, to] = [pairs.from, pairs.to].map((values) =>
    pairs.inputs.map((input, i) => valueWords(input.field, values[i], catalogue)).join(', '),
  ) as [string, string]
  const sides = (['from', 'to'] as const).map((side) => pairs.cells.flatMap((cell) => cell[side].ids))
  const all = sides.flat().length
  return (
    <>
      {all <= COMPARED_MOST && pairs.more_count === 0 && (
        <p className={css.acts}>
          <ButtonLink
            look="line"
            href={paths.compare({
              sides: [
                { ids: sides[0] ?? [], label: from },
                { ids: sides[1] ?? [], label: to },
              ],
            })}
          >
            Compare all {count(all)} runs
          </ButtonLink>
        </p>
      )}
      <div className={page.scroll} tabIndex={0} role="region" aria-label="Pairs table" aria-description="Scrolls">
        <table className={page.rows}>
          <thead>
            <tr>
              {pairs.fields.map((input) => (
                <th key={input.field} scope="col" title={input.field}>
                  {inputName(input, catalogue)}
                </th>
              ))}
              {[from, to].map((words, i) => [
                <th key={`${i} median`} scope="col" className={page.num}>
                  {words} <span className="dim">{form.unit}</span>
                </th>,
                <th key={`${i} runs`} scope="col">
                  Runs
                </th>,
              ])}
              <th scope="col" className={page.num}>
                Ratio
              </th>
              <th scope="col">Compare</th>
            </tr>
          </thead>
          <tbody {...oneStop}>
            {pairs.cells.map((cell) => (
              <tr key={cell.from.ids[0]}>
                {pairs.fields.map((input, i) => (
                  <td key={input.field}>
                    <bdi>{valueWords(input.field, cell.values[i], catalogue)}</bdi>
                  </td>
                ))}
                <Side of={cell.from} form={form} name={`${name} ${from}`} />
                <Side of={cell.to} form={form} name={`${name} ${to}`} />
                <td className={page.num}>
                  <Explained
                    name="Ratio of a cell"
                    rows={[
                      ['Definition', 'Second median divided by the first one. All other inputs are equal.'],
                      ['n', `${runs(cell.from.ids.length)} and ${runs(cell.to.ids.length)}`],
                      ['95 % CI', 'over the cells, not within one'],
                    ]}
                  >
                    {ratioWords(cell.ratio)}
                  </Explained>
                </td>
                <td>
                  <Link
                    className="inline"
                    href={paths.compare({
                      sides: [
                        { ids: cell.from.ids, label: from },
                        { ids: cell.to.ids, label: to },
                      ],
                    })}
                  >
                    Compare
                  </Link>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pairs.more_count > 0 && (
        <p className={css.sentence}>{cells(pairs.more_count)} with smaller differences are not listed.</p>
      )}
    </>
  )
}

function Side({ of, form, name }: { of: ImpactPairs['cells'][0]['from']; form: Form; name: string }) {
  return (
    <>
      <td className={page.num}>
        {of.median === null ? (
          '–'
        ) : (
          <Explained
            name={`Median with ${name}`}
            rows={[
              ['Definition', 'Median of the metric over the runs of the cell with this value.'],
              ['n', runs(of.ids.length)],
              ['95 % CI', 'over the cells, not within one'],
            ]}
          >
            {showNumber(of.median, form)}
          </Explained>
        )}
      </td>
      <td>
        <span className={css.runs}>
          {of.ids.slice(0, RUNS_SHOWN).map((id) => (
            <Link key={id} className="inline" href={paths.experiment(id)} aria-label={`Experiment ${id}`}>
              {id}
            </Link>
          ))}
          {of.ids.length > RUNS_SHOWN && <span className="dim">{count(of.ids.length - RUNS_SHOWN)} more</span>}
          <Pin side={{ ids: of.ids }} name={`${name}, ${runs(of.ids.length)} from ${of.ids[0]}`} words="Pin" />
        </span>
      </td>
    </>
  )
}
