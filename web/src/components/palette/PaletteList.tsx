import { useEffect, useRef } from 'react'
import { useT } from '../../i18n/useT'
import type { Entry } from './entries'
import type { Section } from './sift'
import styles from './Palette.module.css'

interface PaletteListProps {
  id: string
  sections: Section[]
  /** The index that Enter would choose, counted across sections. */
  at: number
  onPoint: (entry: Entry) => void
  onChoose: (entry: Entry) => void
}

export function PaletteList({ id, sections, at, onPoint, onChoose }: PaletteListProps) {
  const t = useT()
  const list = useRef<HTMLDivElement>(null)
  const count = sections.reduce((sum, { entries }) => sum + entries.length, 0)
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView?.({ block: 'nearest' })
  }, [at, count])

  const starts = sections.map((_, index) =>
    sections.slice(0, index).reduce((sum, { entries }) => sum + entries.length, 0),
  )
  return (
    <div ref={list} id={id} role="listbox" aria-label={t('palette.open')} className={styles.list}>
      {sections.map(({ kind, entries }, index) => (
        <div key={kind} role="group" aria-labelledby={`${id}-${kind}`}>
          <p id={`${id}-${kind}`} className={styles.kind}>
            {t(`palette.kind.${kind}`)}
          </p>
          {entries.map((entry, place) => {
            const position = starts[index]! + place
            return (
              <div
                key={entry.id}
                id={`${id}-${position}`}
                role="option"
                aria-selected={position === at}
                className={styles.entry}
                onPointerMove={() => position !== at && onPoint(entry)}
                onClick={() => onChoose(entry)}
                data-atrium-ignore
              >
                <span className={styles.label}>{entry.label}</span>
                {entry.detail && (
                  <span className={styles.detail} title={entry.detail}>
                    {entry.detail}
                  </span>
                )}
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}
