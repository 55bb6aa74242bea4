/** Questions about the app's events, asked by whoever wonders: what, of which kind, by what, when. */
import { useId } from 'react'
import { MEASURES } from '../../../api/explore'
import { ChoiceGroup } from '../../../components/ChoiceGroup'
import { Page } from '../../../components/Page'
import { GranularityPicker } from '../../../components/range/GranularityPicker'
import { RangePicker } from '../../../components/range/RangePicker'
import { HelpButton } from '../../../components/shortcuts/HelpButton'
import { useRangeParams } from '../../../components/range/useRangeParams'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { Answer } from './Answer'
import { EventPicker } from './EventPicker'
import { FilterRows } from './FilterRows'
import { PropertyPicker } from './PropertyPicker'
import { bodyOf } from '../../../components/explore/question'
import { useQuestion } from './useQuestion'
import styles from './explore.module.css'

const DEFAULTS = { preset: '7d', compare: 'none' } as const

export default function ExplorePage() {
  const t = useT()
  const id = useId()
  const { app } = useApp()
  const [question, change] = useQuestion()
  const time = useRangeParams(app.timezone, DEFAULTS)
  const { range, granularity } = time
  const body = bodyOf(question, { ...range, granularity, timezone: app.timezone })
  return (
    <Page wide title={t('title.explore')} lead={t('explore.lead')}>
      <section className={styles.question} aria-label={t('explore.question')}>
        <div className={styles.fields}>
          <label htmlFor={`${id}-event`}>{t('events.event')}</label>
          <EventPicker
            id={`${id}-event`}
            value={question.event}
            onChange={(event) => change({ event })}
          />
          <span>{t('explore.measure')}</span>
          <ChoiceGroup
            label={t('explore.measure')}
            value={question.measure}
            choices={MEASURES.map((value) => {
              const name = t(`explore.measure.${value}`)
              return { value, name, shown: name }
            })}
            onChoose={(measure) => change({ measure })}
          />
          <label htmlFor={`${id}-group`}>{t('explore.group')}</label>
          <PropertyPicker
            id={`${id}-group`}
            event={question.event}
            value={question.group}
            placeholder={t('explore.noGroup')}
            clearable
            onChange={(group) => change({ group })}
          />
        </div>
        <FilterRows
          event={question.event}
          filters={question.filters}
          onChange={(filters) => change({ filters })}
        />
      </section>
      <div className={styles.time}>
        <RangePicker params={time} />
        <GranularityPicker params={time} />
        <HelpButton />
      </div>
      <Answer body={body} />
    </Page>
  )
}
