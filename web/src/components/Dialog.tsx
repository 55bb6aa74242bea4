import { Modal } from 'antd'
import { useLayoutEffect, useRef, useState } from 'react'
import { useT } from '../i18n/useT'

export interface DialogProps {
  open?: boolean
  title: string
  width?: number
  zIndex?: number
  onCancel: () => void
  children: React.ReactNode
}

/** A dialog that focuses its first field and doesn't close on a stray click outside. */
export function Dialog({ open = true, width = 440, children, ...props }: DialogProps) {
  const t = useT()
  return (
    <Modal
      {...props}
      open={open}
      width={width}
      footer={null}
      closable={{ 'aria-label': t('common.close') }}
      mask={{ closable: false }}
      destroyOnHidden
      // Fields can't take focus during the opening animation.
      transitionName=""
    >
      <Focused>{children}</Focused>
    </Modal>
  )
}

/** Focuses the dialog on opening and restores the focus on closing. */
function Focused({ children }: { children: React.ReactNode }) {
  const content = useRef<HTMLDivElement>(null)
  // Read during render: by the time of an effect, the focus is already in the dialog.
  const [before] = useState(() => document.activeElement)
  useLayoutEffect(() => {
    const stop = focusFirstField(content.current!)
    return () => {
      stop()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [before])
  return <div ref={content}>{children}</div>
}

/** Focuses the first field once it appears; a form may be waiting for its options. */
function focusFirstField(content: HTMLElement): () => void {
  const observer = new MutationObserver(look)
  function look() {
    const field = content.querySelector<HTMLElement>('input:not([hidden]), textarea')
    if (!field) return
    observer.disconnect()
    field.focus()
  }
  observer.observe(content, { childList: true, subtree: true })
  // A dialog is attached after its content's effects run, and an effect after painting would miss
  // the next key press.
  queueMicrotask(look)
  return () => observer.disconnect()
}
