import { useQuery } from '@tanstack/react-query'
import { eventsQuery } from '../../../api/catalog'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { SearchSelect, useTypeahead } from '../../form/SearchSelect'
import { MOST } from '../question'
import { useFault } from './useFault'
import styles from './builder.module.css'

const MOST_SHOWN = 20

interface EventPickerProps {
  label: string
  /** The path in the question. */
  place?: string
  /** The placeholder if none is chosen. */
  placeholder?: string
  /** Empty: any event. */
  value: string[]
  onChange: (events: string[]) => void
}

/** Any event, or some from the catalog; hidden events can be typed by name. */
export function EventPicker({ label, place, placeholder, value, onChange }: EventPickerProps) {
  const t = useT()
  const fault = useFault(place)
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
    <>
      <SearchSelect<string[]>
        {...fault.field}
        typeahead={typeahead}
        found={events}
        mode="multiple"
        aria-label={label}
        className={styles.picker}
        allowClear
        maxCount={MOST.events}
        placeholder={placeholder ?? t('analyses.anyEvent')}
        value={value}
        notFoundContent={events.error?.message ?? t('analyses.typeEvent')}
        options={names.map((name) => ({ value: name, label: name }))}
        onChange={onChange}
      />
      {fault.note}
    </>
  )
}
