import { Link } from 'react-router'
import type { Notification } from '../api/notifications'
import { Moment } from '../components/Moment'
import { useT } from '../i18n/useT'
import styles from './BellPanel.module.css'

/** One notification. Opening it marks it as read and follows its link, if any. */
export function BellItem({ item, onOpen }: { item: Notification; onOpen: () => void }) {
  const t = useT()
  const words = (
    <>
      {!item.read_at && (
        <span className={styles.mark}>
          <span className="visually-hidden">{t('bell.new')}</span>
        </span>
      )}
      <span className={styles.subject}>{item.title}</span>
      <span className={styles.text}>{item.text}</span>
      <span className={styles.time}>
        <Moment at={item.created_at} />
      </span>
    </>
  )
  // A console path, and nothing a browser would read as another host.
  const link = item.link && /^\/(?![/\\])/.test(item.link) ? item.link : null
  return (
    <li>
      {link ? (
        <Link to={link} className={styles.item} onClick={onOpen}>
          {words}
        </Link>
      ) : (
        <button type="button" className={styles.item} data-atrium-ignore onClick={onOpen}>
          {words}
        </button>
      )}
    </li>
  )
}
