import { useInfiniteQuery } from '@tanstack/react-query'
import { Button, Skeleton } from 'antd'
import { useEffect, useRef } from 'react'
import { notificationsQuery, type Notification } from '../api/notifications'
import { LoadFailure } from '../components/LoadFailure'
import { useLanguageStore } from '../i18n/store'
import { useT } from '../i18n/useT'
import { BellItem } from './BellItem'
import { useMarkRead } from './useMarkRead'
import styles from './BellPanel.module.css'

interface BellPanelProps {
  id: string
  unread: number
  /** Called when a notification leads to another page. */
  onLeave: () => void
}

export function BellPanel({ id, unread, onLeave }: BellPanelProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const list = useInfiniteQuery(notificationsQuery(language))
  const marking = useMarkRead()
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => panel.current?.focus(), [])

  const items = withoutRepeats(list.data?.pages.flatMap((page) => page.items) ?? [])
  return (
    <div
      ref={panel}
      id={id}
      className={styles.panel}
      role="dialog"
      aria-label={t('bell.label')}
      tabIndex={-1}
    >
      <div className={styles.head}>
        <h2 className={styles.title}>{t('bell.label')}</h2>
        {unread > 0 && (
          <Button
            type="link"
            size="small"
            loading={marking.isPending && marking.variables === 'all'}
            onClick={() => marking.mutate('all')}
          >
            {t('bell.readAll')}
          </Button>
        )}
      </div>
      <div className={styles.body}>
        {marking.error && (
          <p role="alert" className={styles.failure}>
            {marking.error.message}
          </p>
        )}
        {list.data ? (
          items.length === 0 ? (
            <p className={styles.empty}>{t('bell.empty')}</p>
          ) : (
            <ul className={styles.list}>
              {items.map((item) => (
                <BellItem
                  key={item.id}
                  item={item}
                  onOpen={() => {
                    if (!item.read_at) marking.mutate(item.id)
                    if (item.link) onLeave()
                  }}
                />
              ))}
            </ul>
          )
        ) : (
          !list.error && (
            <Skeleton
              active
              className={styles.loading}
              title={false}
              paragraph={{ rows: 4 }}
              aria-label={t('common.loading')}
            />
          )
        )}
        {list.error && (
          <div className={styles.loading}>
            <LoadFailure
              error={list.error}
              retrying={list.isFetching}
              onRetry={() =>
                void (list.isFetchNextPageError ? list.fetchNextPage() : list.refetch())
              }
            />
          </div>
        )}
        {list.hasNextPage && !list.error && (
          <Button
            type="link"
            block
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            {t('bell.older')}
          </Button>
        )}
      </div>
    </div>
  )
}

/** A new notification shifts the last item of one page onto the next. */
function withoutRepeats(items: Notification[]): Notification[] {
  return [...new Map(items.map((item) => [item.id, item])).values()]
}
