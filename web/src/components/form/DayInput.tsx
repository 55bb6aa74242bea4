/**
 * A date, typed as 2026-03-01 or picked from a calendar. The native date input would use the
 * browser's language, not the console's.
 */
import { DatePicker } from 'antd'
import dayjs from 'dayjs'
import { useState } from 'react'
import { useT } from '../../i18n/useT'
import { besideField } from './TimezoneSelect'
import styles from './DayInput.module.css'

const FORMAT = 'YYYY-MM-DD'

interface DayInputProps {
  /** Empty for none. */
  value: string
  min?: string
  max?: string
  onChange: (day: string) => void
  id?: string
  status?: '' | 'error'
  allowClear?: boolean
  onBlur?: () => void
  ref?: (instance: { focus: () => void } | null) => void
  'aria-invalid'?: boolean
  'aria-describedby'?: string
}

export function DayInput({
  value,
  onChange,
  min,
  max,
  allowClear = false,
  ...rest
}: DayInputProps) {
  const t = useT()
  const [open, setOpen] = useState(false)
  const chosen = isDay(value) ? dayjs(value) : null
  return (
    // Typed dates count immediately: a form can be submitted without leaving the field.
    <span
      className={styles.day}
      onChangeCapture={({ target }) => {
        const typed = (target as HTMLInputElement).value.trim()
        if (typed === value || (typed !== '' && !isDay(typed))) return
        onChange(typed)
        // While typing, the calendar isn't needed and would cover the next field.
        setOpen(false)
      }}
    >
      <DatePicker
        {...rest}
        className={styles.input}
        value={chosen}
        format={FORMAT}
        placeholder={t('field.day')}
        allowClear={allowClear}
        showNow={false}
        minDate={min && isDay(min) ? dayjs(min) : undefined}
        maxDate={max && isDay(max) ? dayjs(max) : undefined}
        getPopupContainer={besideField}
        open={open}
        onOpenChange={setOpen}
        onChange={(day) => onChange(day?.format(FORMAT) ?? '')}
      />
    </span>
  )
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && dayjs(text).format(FORMAT) === text
}
