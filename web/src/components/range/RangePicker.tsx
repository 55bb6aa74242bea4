/** The days a board covers. */
import { CalendarOutlined, LeftOutlined, RightOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useId, useState } from 'react'
import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { DayInput } from '../form/DayInput'
import { Disclosure, useClose } from './Disclosure'
import { dayCount, isRange, LONGEST_DAYS, PRESETS, type DayRange, type Preset } from './range'
import { rangeText } from './rangeText'
import { useRangeShortcuts } from './useRangeShortcuts'
import type { RangeParams } from './useRangeParams'
import styles from './RangePicker.module.css'

export function RangePicker({ params }: { params: RangeParams }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { range, preset, move } = params
  useRangeShortcuts(params)
  const days = rangeText(range, language)
  return (
    <div className={styles.picker} role="group" aria-label={t('range.label')}>
      <Button
        icon={<LeftOutlined aria-hidden />}
        aria-label={t('range.earlier')}
        title={t('range.earlier')}
        onClick={() => move(-1)}
      />
      <Disclosure
        label={t('range.choose')}
        button={{
          icon: <CalendarOutlined aria-hidden />,
          className: styles.button,
          children: (
            <span>
              {preset && <b>{t(`range.preset.${preset}`)}</b>}{' '}
              <span className={styles.days}>{days}</span>
            </span>
          ),
        }}
      >
        <Choices params={params} />
      </Disclosure>
      <Button
        icon={<RightOutlined aria-hidden />}
        aria-label={t('range.later')}
        title={t('range.later')}
        // There is no data after today.
        disabled={range.end >= params.today}
        onClick={() => move(1)}
      />
    </div>
  )
}

function Choices({ params: { range, preset, setRange } }: { params: RangeParams }) {
  const t = useT()
  const close = useClose()
  const choose = (chosen: Preset | DayRange) => {
    setRange(chosen)
    close()
  }
  return (
    <div className={styles.panel}>
      <ul className={styles.presets}>
        {PRESETS.map((one) => (
          <li key={one}>
            <button
              type="button"
              className={styles.preset}
              aria-pressed={one === preset}
              onClick={() => choose(one)}
            >
              {t(`range.preset.${one}`)}
            </button>
          </li>
        ))}
      </ul>
      <OwnRange range={range} onChoose={choose} />
    </div>
  )
}

function OwnRange({ range, onChoose }: { range: DayRange; onChoose: (range: DayRange) => void }) {
  const t = useT()
  const note = useId()
  const [typed, setTyped] = useState(range)
  const fits = isRange(typed)
  const field = (name: keyof DayRange, label: string) => (
    <div className={styles.field}>
      <label htmlFor={`${note}-${name}`}>{label}</label>
      <DayInput
        id={`${note}-${name}`}
        value={typed[name]}
        aria-invalid={!fits}
        aria-describedby={note}
        onChange={(day) => setTyped({ ...typed, [name]: day })}
      />
    </div>
  )
  return (
    <form
      className={styles.own}
      onSubmit={(event) => {
        event.preventDefault()
        if (fits) onChoose(typed)
      }}
    >
      <p className={styles.ownTitle}>{t('range.custom')}</p>
      {field('start', t('range.start'))}
      {field('end', t('range.end'))}
      <p id={note} className={fits ? styles.soft : styles.wrong} aria-live="polite">
        {fits
          ? t('range.days', { count: dayCount(typed) })
          : t('range.wrong', { years: Math.floor(LONGEST_DAYS / 365) })}
      </p>
      <Button type="primary" htmlType="submit" disabled={!fits}>
        {t('range.apply')}
      </Button>
    </form>
  )
}
