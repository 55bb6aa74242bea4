/** The catalog of an app's events: names, counts, and descriptions. */
import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { EVENT_STATUSES, eventsQuery, type EventStatus } from '../../../api/catalog'
import { FormError } from '../../../components/form/FormError'
import { besideField } from '../../../components/form/TimezoneSelect'
import { LinkButton } from '../../../components/LinkButton'
import { Page } from '../../../components/Page'
import { formatCount } from '../../../components/table/Counted'
import { DataTable } from '../../../components/table/DataTable'
import { EmptyFace } from '../../../components/table/EmptyFace'
import { SearchBox } from '../../../components/table/SearchBox'
import { Toolbar } from '../../../components/table/Toolbar'
import { sortedBy, useTableParams } from '../../../components/table/useTableParams'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { paths } from '../../../paths'
import { useEventColumns } from './eventColumns'
import { EventDrawer } from './EventDrawer'
import { HidingNotice } from './HidingNotice'
import { useHiding } from './useHiding'
import shared from '../workspace.module.css'

const SORTS = ['name', 'events', 'users', 'first_seen', 'last_seen']
/** `event` is the one open in the drawer. */
const FILTERS = ['status', 'event'] as const

export default function EventsPage() {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { app } = useApp()
  const [{ event, ...params }, setParams] = useTableParams({ sorts: SORTS, filters: FILTERS })
  const status: EventStatus = EVENT_STATUSES.find((one) => one === params.status) ?? 'visible'
  const { page, page_size, search, sort, order } = sortedBy('events', params)
  const events = useQuery(eventsQuery(app.id, { page, page_size, search, status, sort, order }))
  const hiding = useHiding()
  const columns = useEventColumns({ onHide: hiding.hide })
  return (
    <Page wide title={t('title.events')} lead={t('events.lead')}>
      <FormError>{hiding.failure}</FormError>
      <HidingNotice done={hiding.done} onUndo={hiding.undo} />
      <Toolbar>
        <SearchBox
          className={shared.search}
          label={t('events.search')}
          value={search}
          onSearch={(text) => setParams({ search: text })}
        />
        <Select<EventStatus>
          className={shared.filter}
          aria-label={t('events.byStatus')}
          value={status}
          getPopupContainer={besideField}
          options={EVENT_STATUSES.map((value) => ({ value, label: t(`events.status.${value}`) }))}
          onChange={(value) => setParams({ status: value === 'visible' ? undefined : value })}
        />
      </Toolbar>
      <DataTable
        label={t('title.events')}
        query={events}
        params={{ page, page_size, search, sort, order }}
        onChange={setParams}
        filtered={status === 'hidden'}
        onClear={() => setParams({ search: undefined, status: undefined })}
        rowKey={(item) => item.event}
        columns={columns}
        empty={
          <EmptyFace
            title={t('events.none')}
            action={
              <LinkButton type="primary" to={paths.workspace.quickStart(app)}>
                {t('title.quickStart')}
              </LinkButton>
            }
          >
            {t('events.noneText')}
          </EmptyFace>
        }
      />
      {events.data?.other && (
        <p className={shared.soft}>
          {t('events.other', {
            events: formatCount(events.data.other.events_30d, language),
            users: formatCount(events.data.other.users_30d, language),
          })}
        </p>
      )}
      <EventDrawer
        event={event}
        // Stay on the same page of the list.
        onClose={() => setParams({ event: undefined, page })}
      />
    </Page>
  )
}
