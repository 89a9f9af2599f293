// Below 1,024 px the filters come from the left when asked for.
import type { ReactNode } from 'react'
import { Dialog, Modal, ModalOverlay } from 'react-aria-components'

import { Button, IconButton } from '../ui/controls'
import { Icon } from '../ui/icons'
import css from './explore.module.css'

export function FilterDrawer({ isOpen, onClose, onTree, children }: { isOpen: boolean; onClose: () => void; onTree: () => void; children: ReactNode }) {
  return (
    <ModalOverlay isOpen={isOpen} onOpenChange={(open) => !open && onClose()} isDismissable className={css.shade ?? ''}>
      <Modal className={css.drawer ?? ''}>
        <Dialog aria-label="Filters" data-modal>
          <div className={css.drawerHead}>
            <h2>Filters</h2>
            <span className="grow" />
            <Button onPress={onTree}><Icon name="tree" />Filter tree</Button>
            <IconButton icon="close" name="Close" onPress={onClose} />
          </div>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
