import { Link } from 'react-router'
import type { EventItem } from '../../../api/catalog'
import { ActionMenu, type Action } from '../../../components/ActionMenu'
import { Badge } from '../../../components/Badge'
import { Moment } from '../../../components/Moment'
import type { Column } from '../../../components/table/columns'
import { Counted, UNKNOWN } from '../../../components/table/Counted'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { goTo } from '../../../lib/navigation'
import { useAddressQuery } from '../../../router/useAddressQuery'
import { trendOfEvent } from './trendOfEvent'
import styles from './events.module.css'

interface EventColumns {
  onHide: (item: EventItem) => void
}

export function useEventColumns({ onHide }: EventColumns): Column<EventItem>[] {
  const t = useT()
  const { app, may, mayChange } = useApp()
  const [query] = useAddressQuery()

  /** Opens the drawer without changing the list. */
  const addressOf = (event: string) => {
    const next = new URLSearchParams(query)
    next.set('event', event)
    return { search: next.toString() }
  }
  const actions = (item: EventItem): Action[] => [
    ...(may('query:run')
      ? [
          {
            key: 'explore',
            label: t('events.explore'),
            onChoose: () => goTo(trendOfEvent(app, item.event)),
          },
        ]
      : []),
    ...(mayChange('metadata:manage')
      ? [
          {
            key: 'hide',
            label: t(item.hidden ? 'events.unhide' : 'events.hide'),
            onChoose: () => onHide(item),
          },
        ]
      : []),
  ]

  return [
    {
      key: 'name',
      title: t('events.event'),
      sorts: true,
      heads: true,
      render: (item) => (
        <>
          <span className={styles.name}>
            <Link to={addressOf(item.event)} preventScrollReset>
              {item.event}
            </Link>
            {item.hidden && <Badge tone="soft">{t('events.status.hidden')}</Badge>}
          </span>
          {item.description && <div className={styles.about}>{item.description}</div>}
        </>
      ),
    },
    {
      key: 'events',
      title: t('events.count'),
      sorts: true,
      numeric: true,
      render: (item) => <Counted value={item.events_30d} />,
    },
    {
      key: 'users',
      title: t('events.users'),
      sorts: true,
      numeric: true,
      render: (item) => <Counted value={item.users_30d} />,
    },
    {
      key: 'first_seen',
      title: t('events.firstSeen'),
      sorts: true,
      render: ({ first_seen: at }) => (at == null ? UNKNOWN : <Moment at={at} />),
    },
    {
      key: 'last_seen',
      title: t('events.lastSeen'),
      sorts: true,
      render: ({ last_seen: at }) => (at == null ? UNKNOWN : <Moment at={at} />),
    },
    {
      key: 'actions',
      title: t('common.actions'),
      actions: true,
      render: (item) => (
        <ActionMenu label={t('table.actionsOf', { name: item.event })} actions={actions(item)} />
      ),
    },
  ]
}
