// A modal dialog. Escape and a press outside close it.
import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Modal, ModalOverlay } from 'react-aria-components'

import css from './controls.module.css'

export function Dialog({ label, onClose, children }: { label: string; onClose: () => void; children: ReactNode }) {
  return (
    <ModalOverlay isOpen isDismissable onOpenChange={(open) => !open && onClose()} className={css.scrim ?? ''}>
      <Modal className={css.dialog ?? ''}>
        <AriaDialog aria-label={label} data-modal>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
