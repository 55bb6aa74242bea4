import { useQuery } from '@tanstack/react-query'
import { eventsQuery } from '../../../api/catalog'
import { SearchSelect, useTypeahead } from '../../../components/form/SearchSelect'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import styles from './explore.module.css'

const MOST_SHOWN = 20

interface EventPickerProps {
  id: string
  value: string | null
  onChange: (event: string | null) => void
}

/** Any event, or one of those in the catalog; also one by its name, which hides from the catalog. */
export function EventPicker({ id, value, onChange }: EventPickerProps) {
  const t = useT()
  const { app, may } = useApp()
  const typeahead = useTypeahead()
  const { typed, search, opened } = typeahead
  const events = useQuery({
    ...eventsQuery(app.id, {
      page: 1,
      page_size: MOST_SHOWN,
      search,
      status: 'visible',
      sort: 'events',
      order: 'desc',
    }),
    enabled: opened && may('event:view'),
  })
  const known = events.data?.items.map(({ event }) => event) ?? []
  const own = typed.trim()
  const names = own && !known.includes(own) ? [...known, own] : known
  return (
    <SearchSelect<string>
      typeahead={typeahead}
      found={events}
      id={id}
      className={styles.picker}
      allowClear
      placeholder={t('explore.anyEvent')}
      value={value ?? undefined}
      notFoundContent={events.error?.message ?? t('explore.typeEvent')}
      options={names.map((name) => ({ value: name, label: name }))}
      onChange={(chosen: string | undefined) => onChange(chosen ?? null)}
    />
  )
}
