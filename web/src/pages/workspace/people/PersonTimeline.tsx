/** What someone did, newest first, paging backward. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useId, useState } from 'react'
import { timelineQuery, type PersonKind, type TimelineItem } from '../../../api/people'
import { FormError } from '../../../components/form/FormError'
import { Loaded } from '../../../components/Loaded'
import { Panel } from '../../../components/Panel'
import { RowSkeleton } from '../../../components/table/RowSkeleton'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { clockTime } from '../../../lib/time'
import { useUser } from '../../../session/useUser'
import { PropertyList } from '../PropertyList'
import { byDay } from './days'
import shared from '../workspace.module.css'
import styles from './people.module.css'

interface PersonTimelineProps {
  kind: PersonKind
  personRef: string
}

export function PersonTimeline({ kind, personRef }: PersonTimelineProps) {
  const t = useT()
  const { app } = useApp()
  const timeline = useInfiniteQuery(timelineQuery(app.id, kind, personRef))
  return (
    <Panel title={t('people.timeline')} lead={t('people.timelineLead')}>
      <Loaded query={timeline} skeleton={<RowSkeleton rows={8} />}>
        {({ pages }) => (
          <>
            <Days items={pages.flatMap(({ items }) => items)} />
            {/* Loaded items stay, even if the next ones fail to load. */}
            <FormError>{timeline.error?.message}</FormError>
            {timeline.hasNextPage && (
              <Button
                loading={timeline.isFetchingNextPage}
                onClick={() => void timeline.fetchNextPage()}
              >
                {t('people.earlier')}
              </Button>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  )
}

function Days({ items }: { items: TimelineItem[] }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const zone = useUser()?.timezone ?? 'UTC'
  if (items.length === 0) return <p className={shared.soft}>{t('people.timelineNone')}</p>
  return byDay(items, zone).map(({ day, items: ofDay }) => (
    <section key={day} className={styles.day}>
      <h3 className={styles.dayTitle}>{dayText(day, language)}</h3>
      <ol className={styles.events}>
        {ofDay.map((item) => (
          <Step key={item.log_id} item={item} />
        ))}
      </ol>
    </section>
  ))
}

const dayText = (day: string, language: string) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'full', timeZone: 'UTC' }).format(
    Date.parse(`${day}T12:00:00Z`),
  )

function Step({ item }: { item: TimelineItem }) {
  const t = useT()
  const id = useId()
  const language = useLanguageStore((state) => state.currentLang)
  const zone = useUser()?.timezone ?? 'UTC'
  const [open, setOpen] = useState(false)
  const place = [item.os, item.browser, item.device_type].filter(Boolean).join(' · ')
  return (
    <li>
      <button
        type="button"
        className={styles.step}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <span className={styles.time}>{clockTime(Date.parse(item.at), language, zone)}</span>
        <span className={styles.event}>{item.event}</span>
        <span className={styles.path}>{item.url_path}</span>
      </button>
      {open && (
        <div id={id} className={styles.stepDetails}>
          {place && <p className={shared.soft}>{place}</p>}
          <PropertyList
            label={t('properties.title')}
            properties={item.properties}
            redacted={item.redacted > 0}
          />
        </div>
      )}
    </li>
  )
}
