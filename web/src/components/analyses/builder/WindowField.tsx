import { Select } from 'antd'
import { useState } from 'react'
import { useT } from '../../../i18n/useT'
import { besideField } from '../../form/TimezoneSelect'
import { MOST } from '../question'
import { NumberField } from './NumberField'
import styles from './builder.module.css'

const UNITS = { minute: 1, hour: 60, day: 1440 } as const
type Unit = keyof typeof UNITS
const LARGEST_FIRST = ['day', 'hour', 'minute'] as const

const unitOf = (minutes: number): Unit =>
  LARGEST_FIRST.find((unit) => minutes % UNITS[unit] === 0) ?? 'minute'

interface WindowFieldProps {
  label: string
  minutes: number
  onChange: (minutes: number) => void
}

/** A number and a unit: 1 minute to 90 days. */
export function WindowField({ label, minutes, onChange }: WindowFieldProps) {
  const t = useT()
  const [chosen, setUnit] = useState<Unit>(() => unitOf(minutes))
  // The URL can change independently, and not every window is a whole number of every unit.
  const unit = minutes % UNITS[chosen] === 0 ? chosen : unitOf(minutes)
  const most = MOST.windowMinutes / UNITS[unit]
  return (
    <span className={styles.window}>
      <NumberField
        place="window_minutes"
        key={unit}
        label={label}
        value={minutes / UNITS[unit]}
        least={1}
        most={most}
        onChange={(value) => onChange(value * UNITS[unit])}
      />
      <Select<Unit>
        aria-label={t('analyses.windowUnit')}
        value={unit}
        getPopupContainer={besideField}
        popupMatchSelectWidth={false}
        options={LARGEST_FIRST.map((value) => ({ value, label: t(`analyses.unit.${value}`) }))}
        onChange={(next) => {
          setUnit(next)
          onChange(Math.min(MOST.windowMinutes, (minutes / UNITS[unit]) * UNITS[next]))
        }}
      />
    </span>
  )
}
