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

/** A dialog that begins in its first field, and that a stray click beside it does not close. */
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
      // While a dialog grows, its fields take no focus.
      transitionName=""
    >
      <Focused>{children}</Focused>
    </Modal>
  )
}

/** Whoever opens a dialog types on at once, and is back where they were when it is gone. */
function Focused({ children }: { children: React.ReactNode }) {
  const content = useRef<HTMLDivElement>(null)
  // Read while drawing: an effect would find the focus in the dialog already.
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

/** Focuses the first field as soon as it is there; a form may have to wait for its choices. */
function focusFirstField(content: HTMLElement): () => void {
  const observer = new MutationObserver(look)
  function look() {
    const field = content.querySelector<HTMLElement>('input:not([hidden]), textarea')
    if (!field) return
    observer.disconnect()
    field.focus()
  }
  observer.observe(content, { childList: true, subtree: true })
  // A dialog joins the document after the effects of what is in it, and an effect after painting
  // would come later than the next key.
  queueMicrotask(look)
  return () => observer.disconnect()
}
