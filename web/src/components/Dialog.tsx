import { Modal } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useT } from '../i18n/useT'

export interface DialogProps {
  open?: boolean
  title: string
  width?: number
  zIndex?: number
  onCancel: () => void
  children: React.ReactNode
}

/** A dialog that begins in its first field, and that a stray click beside it does not close. */
export function Dialog({ open = true, width = 440, children, ...props }: DialogProps) {
  const t = useT()
  const content = useRef<HTMLDivElement>(null)
  useFocusReturn()
  return (
    <Modal
      {...props}
      open={open}
      width={width}
      footer={null}
      closable={{ 'aria-label': t('common.close') }}
      mask={{ closable: false }}
      destroyOnHidden
      // The field cannot take the focus by itself: while the dialog opens, it is not there to be seen.
      afterOpenChange={(shown) => {
        if (shown)
          content.current?.querySelector<HTMLElement>('input:not([hidden]), textarea')?.focus()
      }}
    >
      <div ref={content}>{children}</div>
    </Modal>
  )
}

/** Whoever takes the dialog away instead of closing it must not lose the person's place. */
function useFocusReturn(): void {
  // Read while drawing: an effect would find the focus in the dialog already.
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (before instanceof HTMLElement) before.focus()
    },
    [before],
  )
}
