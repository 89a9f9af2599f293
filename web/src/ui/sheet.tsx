// A modal sheet at the bottom of a phone's screen. Escape and a press outside close it.
import type { ReactNode } from 'react'
import { Dialog, Modal, ModalOverlay } from 'react-aria-components'

import css from './controls.module.css'

export function Sheet({ label, onClose, children }: { label: string; onClose: () => void; children: ReactNode }) {
  return (
    <ModalOverlay isOpen isDismissable onOpenChange={(open) => !open && onClose()} className={css.shade ?? ''}>
      <Modal className={css.sheet ?? ''}>
        <Dialog aria-label={label} data-modal className={css.sheetBody ?? ''}>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
