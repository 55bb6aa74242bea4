/** Notifications: a bell with a count, and the panel it opens. */
import { BellOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useId, useRef, useState } from 'react'
import { unreadQuery } from '../api/notifications'
import { useT } from '../i18n/useT'
import { BellPanel } from './BellPanel'
import { useDismiss } from '../components/useDismiss'
import styles from './Bell.module.css'

const MOST_SHOWN = 99

export function Bell() {
  const t = useT()
  const [open, setOpen] = useState(false)
  const { data: unread = 0 } = useQuery(unreadQuery)
  const panel = useId()
  const frame = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useDismiss(frame, open, (byKey) => {
    setOpen(false)
    if (byKey) button.current?.focus()
  })
  return (
    <div ref={frame} className={styles.bell}>
      <Button
        ref={button}
        type="text"
        icon={<BellOutlined aria-hidden />}
        aria-label={unread > 0 ? t('bell.unread', { count: unread }) : t('bell.label')}
        aria-expanded={open}
        aria-controls={open ? panel : undefined}
        onClick={() => setOpen(!open)}
      />
      {unread > 0 && (
        <span className={styles.count} aria-hidden="true">
          {unread > MOST_SHOWN ? `${MOST_SHOWN}+` : unread}
        </span>
      )}
      {open && <BellPanel id={panel} unread={unread} onLeave={() => setOpen(false)} />}
    </div>
  )
}
