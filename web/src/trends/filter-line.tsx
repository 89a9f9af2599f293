// The filter in words, with a link to the place where it is changed.
import { Link } from 'wouter'

import type { Catalogue } from '../fields/catalogue'
import { FilterWords } from '../filter/filter-words'
import { treeOf } from '../filter/model'
import { treePieces } from '../filter/tree-words'
import { Act } from '../ui/controls'
import { paths } from '../url/paths'
import { exploreOf, type TrendsState } from '../url/trends'
import type { TrendsChange } from '../url/use-trends'
import css from './trends.module.css'

export function FilterLine({
  state,
  change,
  catalogue,
}: {
  state: TrendsState
  change: TrendsChange
  catalogue: Catalogue
}) {
  const tree = treeOf(state.choices, state.where)
  return (
    <p className={css.filter}>
      {tree ? (
        <>
          <span className="dim">Filter:</span>{' '}
          <bdi>
            <FilterWords pieces={treePieces(catalogue, tree)} />
          </bdi>{' '}
          <Act onPress={() => change({ choices: {}, where: undefined })}>Clear filter</Act>{' '}
        </>
      ) : (
        <span className="dim">All experiments. </span>
      )}
      <Link href={paths.explore(exploreOf(state))}>{tree ? 'Change filter in Explore' : 'Filter in Explore'}</Link>
    </p>
  )
}
