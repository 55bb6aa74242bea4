import { Select } from 'antd'
import type { Aggregate, Counted, Measure } from '../../../api/analysisTypes'
import { useT } from '../../../i18n/useT'
import { besideField } from '../../form/TimezoneSelect'
import { AGGREGATES, COUNTED, hasProperty } from '../question'
import { PropertyPicker } from './PropertyPicker'
import styles from './builder.module.css'

interface MeasurePickerProps {
  letter: string
  events: string[]
  value: Measure
  onChange: (measure: Measure) => void
}

/** What is counted of the events, or worked out of a property's values. */
export function MeasurePicker({ letter, events, value, onChange }: MeasurePickerProps) {
  const t = useT()
  const option = (one: Counted | Aggregate) => ({ value: one, label: t(`analyses.measure.${one}`) })
  const choose = (of: Counted | Aggregate) => {
    const aggregate = AGGREGATES.find((one) => one === of)
    if (!aggregate) return onChange({ of: of as Counted })
    onChange({ of: aggregate, property: hasProperty(value) ? value.property : '' })
  }
  return (
    <>
      <Select<Counted | Aggregate>
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
      {hasProperty(value) && (
        <PropertyPicker
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
