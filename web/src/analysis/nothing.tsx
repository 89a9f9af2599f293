// Shown instead of a drawing: what is missing, and what to do.
import type { ReactNode } from 'react'
import { Link } from 'wouter'

import { Act, ButtonLink } from '../ui/controls'
import { paths } from '../url/paths'
import css from './analysis.module.css'

interface Props {
  total: number // results of the store
  needs: string // a sentence for an empty store
  isFiltered: boolean
  onClear: () => void // removes the filter
  children: ReactNode // for a store that has results
}

export function Nothing({ total, needs, isFiltered, onClear, children }: Props) {
  if (total === 0)
    return (
      <div className={css.empty}>
        <p>No results yet. {needs}</p>
        <code>profllm sweep run FILE --upload {window.location.origin}</code>
        <p>
          <Link className="inline" href={paths.upload()}>
            Upload earlier results
          </Link>
        </p>
      </div>
    )
  return (
    <div className={css.empty}>
      {children}
      {isFiltered ? (
        <p>
          <Act onPress={onClear}>Clear filter</Act>
        </p>
      ) : (
        <ButtonLink look="line" href={paths.explore()}>
          Explore experiments
        </ButtonLink>
      )}
    </div>
  )
}
