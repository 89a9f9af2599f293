// The filter in words, with a link to Explore, where it is changed.
import { Link } from 'wouter'

import type { Catalogue } from '../fields/catalogue'
import { Act } from '../ui/controls'
import type { ExploreState } from '../url/explore'
import { paths } from '../url/paths'
import css from './filter-line.module.css'
import { FilterWords } from './filter-words'
import { treeOf } from './model'
import { treePieces } from './tree-words'

type Filter = Pick<ExploreState, 'choices' | 'where'>

interface Props {
  state: Filter
  explore: Parameters<typeof paths.explore>[0] // the state of Explore with this filter
  change: (part: Filter) => void
  catalogue: Catalogue
}

export function FilterLine({ state, explore, change, catalogue }: Props) {
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
      <Link href={paths.explore(explore)}>{tree ? 'Change filter in Explore' : 'Filter in Explore'}</Link>
    </p>
  )
}
