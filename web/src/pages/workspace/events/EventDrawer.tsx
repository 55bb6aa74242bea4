/** One event in a drawer: what it means, how often it occurs, and its properties. */
import { useQuery } from '@tanstack/react-query'
import { Button, Drawer } from 'antd'
import { describeEvent, eventQuery, type EventItem } from '../../../api/catalog'
import { Badge } from '../../../components/Badge'
import { FormError } from '../../../components/form/FormError'
import { LinkButton } from '../../../components/LinkButton'
import { Loaded } from '../../../components/Loaded'
import { Moment } from '../../../components/Moment'
import { Counted, UNKNOWN } from '../../../components/table/Counted'
import { useT } from '../../../i18n/useT'
import { useApp, useWatched } from '../../../session/app'
import { Description } from './Description'
import { EventPropertyList } from './EventPropertyList'
import { trendOfEvent } from './trendOfEvent'
import { useHiding } from './useHiding'
import styles from './events.module.css'

interface EventDrawerProps {
  /** Undefined: closed. */
  event: string | undefined
  onClose: () => void
}

export function EventDrawer({ event, onClose }: EventDrawerProps) {
  const t = useT()
  return (
    <Drawer
      open={event !== undefined}
      title={event}
      size={640}
      closable={{ 'aria-label': t('common.close') }}
      destroyOnHidden
      onClose={onClose}
    >
      {event !== undefined && <Content key={event} event={event} />}
    </Drawer>
  )
}

function Content({ event }: { event: string }) {
  const t = useT()
  const { app } = useApp()
  const found = useQuery(eventQuery(app.id, event))
  return (
    <Loaded query={found} skeleton={8} empty={<p role="status">{t('events.gone')}</p>}>
      {(item) => <Details item={item} />}
    </Loaded>
  )
}

function Details({ item }: { item: EventItem }) {
  const t = useT()
  const { app, may, mayChange } = useApp()
  const watched = useWatched()
  const hiding = useHiding()
  const manages = mayChange('metadata:manage')
  const { event, hidden } = item
  return (
    <div className={styles.details}>
      {may('metadata:view') && (
        <Description
          label={t('events.description')}
          value={item.description}
          editable={manages}
          onSave={(description) => watched(describeEvent(app.id, { event, description }))}
        />
      )}
      <dl className={styles.facts}>
        <Fact name={t('events.count')}>
          <Counted value={item.events_30d} />
        </Fact>
        <Fact name={t('events.users')}>
          <Counted value={item.users_30d} />
        </Fact>
        <Fact name={t('events.firstSeen')}>
          {item.first_seen == null ? UNKNOWN : <Moment at={item.first_seen} />}
        </Fact>
        <Fact name={t('events.lastSeen')}>
          {item.last_seen == null ? UNKNOWN : <Moment at={item.last_seen} />}
        </Fact>
      </dl>
      <FormError>{hiding.failure}</FormError>
      <div className={styles.actions}>
        {may('query:run') && (
          <LinkButton type="primary" to={trendOfEvent(app, event)}>
            {t('events.explore')}
          </LinkButton>
        )}
        {manages && (
          <Button loading={hiding.busy} onClick={() => hiding.hide(item)}>
            {t(hidden ? 'events.unhide' : 'events.hide')}
          </Button>
        )}
        {hidden && <Badge tone="soft">{t('events.status.hidden')}</Badge>}
        {hidden && <span className={styles.soft}>{t('events.hiddenText')}</span>}
      </div>
      <EventPropertyList event={event} editable={manages} />
    </div>
  )
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
