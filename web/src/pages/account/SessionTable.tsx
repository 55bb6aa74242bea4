/**
 * Where the user is signed in: a table, and cards on a phone. Roles are explicit because browsers
 * drop a table's semantics once its rows are styled as cards.
 */
import { Button } from 'antd'
import type { Session } from '../../api/profile'
import { Moment } from '../../components/Moment'
import { useT } from '../../i18n/useT'
import { deviceName } from './deviceName'
import styles from './SessionsSection.module.css'

interface SessionTableProps {
  sessions: Session[]
  onEnd: (session: Session) => void
}

export function SessionTable({ sessions, onEnd }: SessionTableProps) {
  const t = useT()
  const captions = [
    t('sessions.device'),
    t('sessions.ip'),
    t('sessions.since'),
    t('sessions.lastSeen'),
  ]
  return (
    <table className={styles.table} role="table" aria-labelledby="sessions-title">
      <thead role="rowgroup">
        <tr role="row">
          {captions.map((caption) => (
            <th key={caption} role="columnheader" scope="col">
              {caption}
            </th>
          ))}
          <th role="columnheader" scope="col">
            <span className="visually-hidden">{t('common.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} onEnd={onEnd} />
        ))}
      </tbody>
    </table>
  )
}

function SessionRow({ session, onEnd }: { session: Session; onEnd: (session: Session) => void }) {
  const t = useT()
  return (
    <tr role="row">
      <td role="cell">
        <span>
          <span className={styles.device}>{deviceName(t, session)}</span>
          {session.is_current && <span className={styles.tag}>{t('sessions.thisDevice')}</span>}
        </span>
      </td>
      <td role="cell">
        <Caption>{t('sessions.ip')}</Caption>
        {session.ip || '—'}
      </td>
      <td role="cell">
        <Caption>{t('sessions.since')}</Caption>
        <Moment at={session.created_at} />
      </td>
      <td role="cell">
        <Caption>{t('sessions.lastSeen')}</Caption>
        {session.is_current ? t('sessions.now') : <Moment at={session.last_seen_at} />}
      </td>
      <td role="cell">
        {!session.is_current && (
          <Button size="small" onClick={() => onEnd(session)}>
            {t('sessions.end')}
          </Button>
        )}
      </td>
    </tr>
  )
}

/** Screen readers use the table's headings instead. */
function Caption({ children }: { children: string }) {
  return (
    <span className={styles.caption} aria-hidden="true">
      {children}
    </span>
  )
}
