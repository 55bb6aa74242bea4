import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import type { Series } from '../../../api/analysisTypes'
import { useT } from '../../../i18n/useT'
import { LETTERS, MOST, without, type TrendDraft } from '../question'
import { EventChoiceField } from './EventChoiceField'
import { MeasurePicker } from './MeasurePicker'
import { Part, type BuilderProps } from './parts'
import { TypedText } from './TypedText'
import { useFault } from './useFault'
import styles from './builder.module.css'

export function TrendBuilder({ draft, onChange }: BuilderProps<TrendDraft>) {
  const t = useT()
  const fault = useFault('formula')
  const { series, formula = '' } = draft
  const change = (changed: Series[]) => onChange({ ...draft, series: changed })
  const replace = (at: number, one: Series) =>
    change(series.map((before, index) => (index === at ? one : before)))
  return (
    <Part name={t('analyses.series')}>
      <ol className={styles.rows}>
        {series.map((one, index) => (
          <li key={index} className={styles.lettered}>
            <span className={styles.letter} aria-hidden="true">
              {LETTERS[index]}
            </span>
            <EventChoiceField
              place={`series[${index}]`}
              label={t('analyses.eventOf', { letter: LETTERS[index]! })}
              value={one}
              onChange={(choice) => replace(index, { ...choice, measure: one.measure })}
            >
              {series.length > 1 && (
                <Button
                  type="text"
                  icon={<CloseOutlined aria-hidden />}
                  aria-label={t('analyses.removeSeries', { letter: LETTERS[index]! })}
                  onClick={() => change(series.filter((_, at) => at !== index))}
                />
              )}
              <div className={styles.row}>
                <MeasurePicker
                  place={`series[${index}].measure`}
                  letter={LETTERS[index]!}
                  events={one.events}
                  value={one.measure}
                  onChange={(measure) => replace(index, { ...one, measure })}
                />
              </div>
            </EventChoiceField>
          </li>
        ))}
      </ol>
      <Button
        type="dashed"
        size="small"
        icon={<PlusOutlined aria-hidden />}
        disabled={series.length >= MOST.series}
        onClick={() => change([...series, { events: [], measure: { of: 'events' } }])}
      >
        {t('analyses.addSeries')}
      </Button>
      {(series.length > 1 || formula !== '') && (
        <>
          <label className={styles.formula}>
            <span>{t('analyses.formula')}</span>
            <TypedText
              {...fault.field}
              value={formula}
              placeholder="A / B * 100"
              isRight={(text) => /^[A-F\d\s.+\-*/()]*$/.test(text)}
              onChange={(text) =>
                onChange(text === '' ? without(draft, 'formula') : { ...draft, formula: text })
              }
            />
          </label>
          {fault.note}
        </>
      )}
    </Part>
  )
}
