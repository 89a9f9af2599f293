// Numbers with their definition, n and interval one key away.
import type { Impact, ImpactEffect, ImpactPlain, ImpactRatio } from '../api/types'
import type { Catalogue } from '../fields/catalogue'
import { count } from '../format/number'
import { Explained } from '../ui/explained'
import { changeWords, effectName, intervalWords, methodWords, pairs, pWords, ratioWords, shareWords } from './model'

export function EffectFigure({
  effect,
  answer,
  catalogue,
  contrast = effect.contrasts[0],
}: {
  effect: ImpactEffect
  answer: Impact
  catalogue: Catalogue
  contrast?: ImpactEffect['contrasts'][0] | undefined
}) {
  if (!contrast) return null
  const { plain } = contrast
  return (
    <Explained
      name={`Effect of ${effectName(effect, catalogue)} on ${answer.metric.label}`}
      rows={[
        [
          'Definition',
          'Median, over the cells, of the metric with the second value divided by that with the first one. The runs of a cell are equal in all other inputs.',
        ],
        ['Change', changeWords(effect.inputs, contrast, catalogue)],
        ['n', `${pairs(contrast.pair_count)} of runs in ${count(contrast.cell_count)} cells`],
        ['95 % CI', intervalWords(contrast)],
        ['Method', methodWords(contrast.method)],
        [
          'Plain group means',
          `${ratioWords(plain.ratio)}, over ${count(plain.from_count)} and ${count(plain.to_count)} runs that also differ in other inputs`,
        ],
      ]}
    >
      {ratioWords(contrast.ratio)}
    </Explained>
  )
}

export const CellsFigure = ({ contrast }: { contrast: ImpactEffect['contrasts'][0] }) => (
  <Explained
    name="Cells and pairs"
    rows={[
      ['Definition', 'Combinations of all other inputs in which both values were measured.'],
      ['n', `${count(contrast.cell_count)} cells, ${pairs(contrast.pair_count)} of runs`],
    ]}
  >
    {count(contrast.cell_count)}
  </Explained>
)

export function ImportanceFigure({ effect, answer, name }: { effect: ImpactEffect; answer: Impact; name: string }) {
  return (
    <Explained
      name={`Importance of ${name}`}
      rows={[
        [
          'Definition',
          'Permutation importance: how much worse a random forest predicts runs it has not seen when the values of the input are shuffled, as a share of the variance. It does not separate inputs that vary together.',
        ],
        ['n', `${count(Math.min(answer.count, 2000))} runs`],
        ['Explained by the forest', shareWords(answer.explained_share)],
        ['95 % CI', 'none: a rank, not a measurement'],
      ]}
    >
      {shareWords(effect.importance)}
    </Explained>
  )
}

export function RatioFigure({ name, definition, ratio }: { name: string; definition: string; ratio: ImpactRatio }) {
  return (
    <Explained
      name={name}
      rows={[
        ['Definition', definition],
        ['n', `${count(ratio.cell_count)} cells`],
        ['95 % CI', intervalWords(ratio)],
        ['Method', methodWords(ratio.method)],
        ['p of no effect', pWords(ratio.p)],
      ]}
    >
      {ratioWords(ratio.ratio)}
    </Explained>
  )
}

// The ratio that a comparison of group means shows.
export function PlainFigure({ name, plain }: { name: string; plain: ImpactPlain }) {
  return (
    <Explained
      name={`Plain group means of ${name}`}
      rows={[
        [
          'Definition',
          'Mean of all runs with the second value divided by the mean of those with the first one. Other inputs differ, too, so it is no effect of this input.',
        ],
        ['n', `${count(plain.from_count)} and ${count(plain.to_count)} runs`],
        ['95 % CI', 'none: the groups are not comparable'],
      ]}
    >
      {ratioWords(plain.ratio)}
    </Explained>
  )
}
