/**
 * Tabs that follow the ARIA practices: one Tab stop, arrow keys move between them. Ant Design's
 * bring a menu, a resize observer, and an animation that the sign-in page would pay for.
 */
import { useId, useRef } from 'react'
import styles from './Tabs.module.css'

interface Tab<Key extends string> {
  key: Key
  label: string
}

interface TabsProps<Key extends string> {
  label: string
  tabs: Tab<Key>[]
  active: Key
  onChoose: (key: Key) => void
  /** The active tab's panel. */
  children: React.ReactNode
}

export function Tabs<Key extends string>(props: TabsProps<Key>) {
  const { label, tabs, active, onChoose, children } = props
  const id = useId()
  const list = useRef<HTMLDivElement>(null)

  function onKeyDown(event: React.KeyboardEvent) {
    const target = nextTab(
      event.key,
      tabs.findIndex(({ key }) => key === active),
      tabs.length,
    )
    if (target === null) return
    event.preventDefault()
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[target]?.focus()
    onChoose(tabs[target]!.key)
  }

  return (
    <>
      <div ref={list} className={styles.list} role="tablist" aria-label={label}>
        {tabs.map((tab) => (
          <button
            key={tab.key}
            type="button"
            role="tab"
            id={`${id}-${tab.key}`}
            className={styles.tab}
            aria-selected={tab.key === active}
            aria-controls={tab.key === active ? `${id}-panel` : undefined}
            tabIndex={tab.key === active ? 0 : -1}
            onClick={() => onChoose(tab.key)}
            onKeyDown={onKeyDown}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${active}`}>
        {children}
      </div>
    </>
  )
}

function nextTab(key: string, at: number, count: number): number | null {
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % count
    case 'ArrowLeft':
      return (at + count - 1) % count
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}
