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

/** For how long a field is waited for, at most about half a second. */
const FRAMES = 30

/** A dialog that begins in its first field, and that a stray click beside it does not close. */
export function Dialog({ open = true, width = 440, children, ...props }: DialogProps) {
  const t = useT()
  const content = useRef<HTMLDivElement>(null)
  useFocusReturn()
  useFirstField(content, open)
  return (
    <Modal
      {...props}
      open={open}
      width={width}
      footer={null}
      closable={{ 'aria-label': t('common.close') }}
      mask={{ closable: false }}
      destroyOnHidden
    >
      <div ref={content}>{children}</div>
    </Modal>
  )
}

/**
 * The first field takes the focus as soon as it can: a dialog that opens is not there to be seen at first,
 * and whoever begins to type while it still moves must not lose a letter.
 */
function useFirstField(content: React.RefObject<HTMLDivElement | null>, open: boolean): void {
  useEffect(() => {
    if (!open) return
    let frame = 0
    const begin = (left: number) => {
      const field = content.current?.querySelector<HTMLElement>('input:not([hidden]), textarea')
      field?.focus()
      if (left > 0 && (!field || document.activeElement !== field)) {
        frame = requestAnimationFrame(() => begin(left - 1))
      }
    }
    begin(FRAMES)
    return () => cancelAnimationFrame(frame)
  }, [content, open])
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
