/** A small window over the page that can be moved by pointer or keyboard. */
import { useEffect, useId, useRef, useState } from 'react'
import { useT } from '../../i18n/useT'
import styles from './FloatingWindow.module.css'
import { clamp, rememberedPlace, rememberPlace, SIZE, usualPlace, type Place } from './place'

const STEP = 16
const MOVES: Record<string, Place> = {
  ArrowLeft: { left: -STEP, top: 0 },
  ArrowRight: { left: STEP, top: 0 },
  ArrowUp: { left: 0, top: -STEP },
  ArrowDown: { left: 0, top: STEP },
}

const viewport = () => ({
  width: document.documentElement.clientWidth,
  height: window.innerHeight,
})

interface FloatingWindowProps {
  title: string
  children: React.ReactNode
  onClose: () => void
}

export function FloatingWindow({ title, children, onClose }: FloatingWindowProps) {
  const t = useT()
  const titleId = useId()
  const grip = useRef<{ pointer: number; left: number; top: number } | null>(null)
  // Keeps the requested place: when the viewport grows again, the window returns to it.
  const [wish, setWish] = useState<Place>(() => rememberedPlace() ?? usualPlace(viewport()))
  const [room, setRoom] = useState(viewport)
  const place = clamp(wish, SIZE, room)

  useEffect(() => {
    const resized = () => setRoom(viewport())
    window.addEventListener('resize', resized)
    return () => window.removeEventListener('resize', resized)
  }, [])

  const move = (to: Place) => setWish(clamp(to, SIZE, viewport()))
  const settle = (to: Place) => {
    const settled = clamp(to, SIZE, viewport())
    setWish(settled)
    rememberPlace(settled)
  }

  const take = (event: React.PointerEvent) => {
    if (event.button !== 0) return
    grip.current = {
      pointer: event.pointerId,
      left: event.clientX - place.left,
      top: event.clientY - place.top,
    }
    event.currentTarget.setPointerCapture?.(event.pointerId)
  }
  const held = (event: React.PointerEvent): Place | null =>
    grip.current?.pointer === event.pointerId
      ? { left: event.clientX - grip.current.left, top: event.clientY - grip.current.top }
      : null
  const drag = (event: React.PointerEvent) => {
    const to = held(event)
    if (to) move(to)
  }
  const drop = (event: React.PointerEvent) => {
    const to = held(event)
    grip.current = null
    if (to) settle(to)
  }
  const nudge = (event: React.KeyboardEvent) => {
    const by = MOVES[event.key]
    if (!by) return
    event.preventDefault()
    settle({ left: place.left + by.left, top: place.top + by.top })
  }

  return (
    <section
      className={styles.window}
      style={{ ...place, ...SIZE }}
      role="dialog"
      aria-labelledby={titleId}
    >
      <header className={styles.bar}>
        <button
          type="button"
          id={titleId}
          className={styles.handle}
          aria-description={t('floating.move')}
          onPointerDown={take}
          onPointerMove={drag}
          onPointerUp={drop}
          onPointerCancel={drop}
          onKeyDown={nudge}
        >
          {title}
        </button>
        <button
          type="button"
          className={styles.close}
          aria-label={t('floating.close')}
          onClick={onClose}
        >
          ×
        </button>
      </header>
      <div className={styles.body}>{children}</div>
    </section>
  )
}
