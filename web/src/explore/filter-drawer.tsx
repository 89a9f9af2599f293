// Below 1,024 px the filters come from the left when asked for.
import type { ReactNode } from 'react'
import { Dialog, Modal, ModalOverlay } from 'react-aria-components'

import { IconButton } from '../ui/controls'
import css from './explore.module.css'

export function FilterDrawer({ isOpen, onClose, children }: { isOpen: boolean; onClose: () => void; children: ReactNode }) {
  return (
    <ModalOverlay isOpen={isOpen} onOpenChange={(open) => !open && onClose()} isDismissable className={css.shade ?? ''}>
      <Modal className={css.drawer ?? ''}>
        <Dialog aria-label="Filters" data-modal>
          <div className={css.drawerHead}>
            <h2>Filters</h2>
            <IconButton icon="close" name="Close" onPress={onClose} />
          </div>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
