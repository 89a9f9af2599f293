// The runs that complete the grid of the filtered results.
import type { Filter } from '../api/types'
import type { Catalogue } from '../fields/catalogue'
import { MissingRuns } from '../planner/missing-panel'
import { IconButton } from '../ui/controls'
import { Dialog } from '../ui/dialog'
import css from './preset-bar.module.css'

interface Props {
  tree: Filter | undefined
  catalogue: Catalogue
  onClose: () => void
}

export const MissingDialog = ({ tree, catalogue, onClose }: Props) => (
  <Dialog label="Missing combinations" isWide onClose={onClose}>
    <div className={css.form}>
      <div className={css.head}>
        <h2>Missing combinations</h2>
        <IconButton icon="close" name="Close" onPress={onClose} />
      </div>
      <p className="dim">The runs that complete the grid of the filtered results, or settle its frontier.</p>
      <MissingRuns
        request={{ ...(tree && { filter: tree }), simulated: true, untrusted: true }}
        catalogue={catalogue}
      />
    </div>
  </Dialog>
)
