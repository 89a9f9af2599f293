// A modal dialog. Escape and a press outside close it.
import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Modal, ModalOverlay } from 'react-aria-components'

import { join } from './controls'
import css from './controls.module.css'

interface Props {
  label: string
  isWide?: boolean // for tables
  onClose: () => void
  children: ReactNode
}

export function Dialog({ label, isWide = false, onClose, children }: Props) {
  return (
    <ModalOverlay isOpen isDismissable onOpenChange={(open) => !open && onClose()} className={css.scrim ?? ''}>
      <Modal className={join(css.dialog, isWide && css.wide)}>
        <AriaDialog aria-label={label} data-modal>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
