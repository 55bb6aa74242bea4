import { Select } from 'antd'
import type { Aggregate, Counted, Measure } from '../../../api/analysisTypes'
import { useT } from '../../../i18n/useT'
import { besideField } from '../../form/TimezoneSelect'
import { AGGREGATES, COUNTED, hasProperty } from '../question'
import { PropertyPicker } from './PropertyPicker'
import { useFault } from './useFault'
import styles from './builder.module.css'

interface MeasurePickerProps {
  /** The path in the question. */
  place: string
  letter: string
  events: string[]
  value: Measure
  onChange: (measure: Measure) => void
}

/** What to count: events, or something derived from a property's values. */
export function MeasurePicker({ place, letter, events, value, onChange }: MeasurePickerProps) {
  const t = useT()
  const fault = useFault(place)
  const option = (one: Counted | Aggregate) => ({ value: one, label: t(`analyses.measure.${one}`) })
  const choose = (of: Counted | Aggregate) => {
    const aggregate = AGGREGATES.find((one) => one === of)
    if (!aggregate) return onChange({ of: of as Counted })
    onChange({ of: aggregate, property: hasProperty(value) ? value.property : '' })
  }
  return (
    <>
      <Select<Counted | Aggregate>
        {...fault.field}
        className={styles.measure}
        aria-label={t('analyses.measureOf', { letter })}
        value={value.of}
        popupMatchSelectWidth={false}
        getPopupContainer={besideField}
        options={[
          { label: t('analyses.counted'), options: COUNTED.map(option) },
          { label: t('analyses.ofProperty'), options: AGGREGATES.map(option) },
        ]}
        onChange={choose}
      />
      {fault.note}
      {hasProperty(value) && (
        <PropertyPicker
          place={`${place}.property`}
          label={t('analyses.propertyOf', { letter })}
          events={events}
          numeric={value.of !== 'distinct'}
          value={value.property}
          onChange={(property) => property && onChange({ ...value, property })}
        />
      )}
    </>
  )
}
