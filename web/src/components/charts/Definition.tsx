/** A small "i" beside a figure's name that explains how it is counted. */
import { InfoCircleOutlined } from '@ant-design/icons'
import { useId, useRef, useState } from 'react'
import { useT } from '../../i18n/useT'
import { useDismiss } from '../useDismiss'
import styles from './Definition.module.css'

export function Definition({ of, children }: { of: string; children: React.ReactNode }) {
  const t = useT()
  const id = useId()
  const frame = useRef<HTMLSpanElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const [side, setSide] = useState<'start' | 'end' | null>(null)
  const open = side !== null

  const show = () => {
    const at = button.current?.getBoundingClientRect().left ?? 0
    // Toward the middle of the screen, where there is room.
    setSide(at > window.innerWidth / 2 ? 'end' : 'start')
  }
  useDismiss(frame, open, (byKey) => {
    setSide(null)
    if (byKey) button.current?.focus()
  })

  return (
    <span
      ref={frame}
      className={styles.frame}
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && show()}
      onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setSide(null)}
    >
      <button
        ref={button}
        type="button"
        className={styles.button}
        aria-label={t('chart.definitionOf', { name: of })}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        // With a mouse, hovering has already opened it.
        onClick={({ detail }) => (open && detail === 0 ? setSide(null) : show())}
      >
        <InfoCircleOutlined aria-hidden />
      </button>
      {open && (
        <span id={id} role="note" className={styles.note} data-side={side}>
          {children}
        </span>
      )}
    </span>
  )
}
