import { FilterOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import type { EventChoice } from '../../../api/analysisTypes'
import { useT } from '../../../i18n/useT'
import { EventPicker } from './EventPicker'
import { FilterGroup, NEW_TEST } from './FilterGroup'
import styles from './builder.module.css'

interface EventChoiceFieldProps {
  /** The events' role in the question. */
  label: string
  /** The path in the question. */
  place?: string
  /** The placeholder if none is chosen. */
  placeholder?: string
  value: EventChoice
  onChange: (choice: EventChoice) => void
  /** Shown beside the events: the measure, or a step's position. */
  children?: React.ReactNode
}

/** One event, several treated as one, or any event, plus their filters. */
export function EventChoiceField(props: EventChoiceFieldProps) {
  const { label, place, placeholder, value, onChange, children } = props
  const t = useT()
  return (
    <div className={styles.choice}>
      <div className={styles.row}>
        <EventPicker
          label={label}
          place={place && `${place}.events`}
          placeholder={placeholder}
          value={value.events}
          onChange={(events) => onChange({ ...value, events })}
        />
        {!value.filters && (
          <Button
            type="text"
            icon={<FilterOutlined aria-hidden />}
            aria-label={t('analyses.filterEvent', { event: label })}
            title={t('analyses.filterEvent', { event: label })}
            onClick={() => onChange({ ...value, filters: { all: [NEW_TEST] } })}
          />
        )}
        {children}
      </div>
      {value.filters && (
        <FilterGroup
          legend={t('analyses.filtersOf', { event: label })}
          place={place && `${place}.filters`}
          events={value.events}
          filters={value.filters}
          onChange={(filters) => onChange({ events: value.events, ...(filters && { filters }) })}
        />
      )}
    </div>
  )
}
