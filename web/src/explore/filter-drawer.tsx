// The filters as a drawer, in windows narrower than 1,024 px.
import type { ReactNode } from 'react'
import { Dialog, Modal, ModalOverlay } from 'react-aria-components'

import { count } from '../format/number'
import { Button, IconButton } from '../ui/controls'
import { Icon } from '../ui/icons'
import css from './explore.module.css'

export function FilterDrawer({
  isOpen,
  onClose,
  onTree,
  matching,
  children,
}: {
  isOpen: boolean
  onClose: () => void
  onTree: () => void
  matching: number | undefined
  children: ReactNode
}) {
  return (
    <ModalOverlay isOpen={isOpen} onOpenChange={(open) => !open && onClose()} isDismissable className={css.shade ?? ''}>
      <Modal className={css.drawer ?? ''}>
        <Dialog aria-label="Filters" data-modal>
          <div className={css.drawerHead}>
            <h2>Filters</h2>
            <span className="grow" />
            <Button onPress={onTree}>
              <Icon name="tree" />
              Edit filter tree
            </Button>
            <IconButton icon="close" name="Close" onPress={onClose} />
          </div>
          {children}
          {matching !== undefined && (
            <div className={css.drawerFoot}>
              <Button look="fill" onPress={onClose}>
                {matching === 0
                  ? 'Show no experiments'
                  : `Show ${count(matching)} ${matching === 1 ? 'experiment' : 'experiments'}`}
              </Button>
            </div>
          )}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
