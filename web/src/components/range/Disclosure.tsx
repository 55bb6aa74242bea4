/** A button that opens a panel below it; clicking or focusing elsewhere closes it. */
import { Button, type ButtonProps } from 'antd'
import { createContext, useContext, useId, useRef, useState } from 'react'
import { useDismiss } from '../useDismiss'
import styles from './Disclosure.module.css'

interface DisclosureProps {
  button: Omit<ButtonProps, 'onClick'>
  /** The panel's accessible name. */
  label: string
  children: React.ReactNode
}

const CloseContext = createContext(() => {})

/** Lets the panel's content close it. */
export function useClose(): () => void {
  return useContext(CloseContext)
}

export function Disclosure({ button, label, children }: DisclosureProps) {
  const id = useId()
  const frame = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const [side, setSide] = useState<'start' | 'end' | null>(null)
  const open = side !== null
  const close = () => {
    setSide(null)
    opener.current?.focus()
  }
  useDismiss(frame, open, (byKey) => (byKey ? close() : setSide(null)))

  const show = () => {
    const { left = 0, right = 0 } = opener.current?.getBoundingClientRect() ?? {}
    // Toward the side of the screen with more room.
    setSide((left + right) / 2 > window.innerWidth / 2 ? 'end' : 'start')
  }
  return (
    <div ref={frame} className={styles.frame}>
      <Button
        {...button}
        ref={opener}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => (open ? setSide(null) : show())}
      />
      {open && (
        <div id={id} role="group" aria-label={label} className={styles.panel} data-side={side}>
          <CloseContext value={close}>{children}</CloseContext>
        </div>
      )}
    </div>
  )
}
