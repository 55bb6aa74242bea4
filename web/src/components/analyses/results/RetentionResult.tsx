/** Of the people who started in the same day, week, or month, how many come back. */
import { useImperativeHandle, useMemo, useState } from 'react'
import type { RetentionAnswer, RetentionQuestion } from '../../../api/analysisTypes'
import { Select } from 'antd'
import { ChoiceGroup } from '../../ChoiceGroup'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { GroupAverages } from './GroupAverages'
import { HeatMap } from './HeatMap'
import { heatPicture } from './heatPicture'
import { plotPicture } from './plotOption'
import { Plot } from './Plot'
import { pickedGroup, useZone, type ResultProps } from './result'
import { curveOf } from './retention'
import { useGroupName } from './useGroupName'
import { Nothing, View } from './View'
import { groupKey } from './words'
import styles from './results.module.css'

const VIEWS = ['table', 'curve', 'groups'] as const
const COUNTED = ['share', 'people'] as const

export function RetentionResult(props: ResultProps<RetentionQuestion, RetentionAnswer>) {
  const { question, answer, onPick, ref } = props
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const timezone = useZone(question)
  const nameOf = useGroupName(question)
  const [chosen, setChosen] = useState<(typeof VIEWS)[number]>('table')
  const [counted, setCounted] = useState<(typeof COUNTED)[number]>('share')
  const [groupChosen, setGroup] = useState<string | null>(null)
  const offered = VIEWS.filter((view) => view !== 'groups' || answer.groups.length > 0)
  const view = offered.includes(chosen) ? chosen : 'table'
  const plot = useMemo(() => {
    const groups = view === 'groups' ? answer.groups : []
    return curveOf({ average: answer.average, groups }, question.unit, language, t, nameOf)
  }, [answer, view, question.unit, language, t, nameOf])
  const group = answer.groups.find((one, index) => groupKey(one, index) === groupChosen)
  const { unit } = question
  useImperativeHandle(
    ref,
    () => ({
      toPng: (title = '', note) => {
        if (view !== 'table') return plotPicture(plot, title, note)
        const { cohorts, average } = group ?? answer
        const style = { granularity: unit, timezone, language }
        const shown = group ? `${title} · ${nameOf(group)}` : title
        return heatPicture({ unit, cohorts, average, counted, style, t }, shown, note)
      },
    }),
    [view, plot, group, answer, unit, counted, timezone, language, nameOf, t],
  )
  if (answer.cohorts.every(({ size }) => size === 0)) return <Nothing />

  return (
    <View
      value={view}
      choices={offered.map((value) => ({ value, name: t(`results.retention.view.${value}`) }))}
      onChoose={setChosen}
      beside={
        view === 'table' && (
          <>
            <ChoiceGroup
              label={t('results.retention.counted')}
              value={counted}
              choices={COUNTED.map((value) => {
                const name = t(`results.retention.counted.${value}`)
                return { value, name, shown: name }
              })}
              onChoose={setCounted}
            />
            {answer.groups.length > 0 && (
              <Select
                className={styles.choice}
                aria-label={t('results.value')}
                value={group ? groupChosen! : ''}
                onChange={(key: string) => setGroup(key || null)}
                options={[
                  { value: '', label: t('results.everybody') },
                  ...answer.groups.map((one, index) => ({
                    value: groupKey(one, index),
                    label: nameOf(one),
                  })),
                ]}
              />
            )}
          </>
        )
      }
    >
      {view === 'table' && (
        <HeatMap
          key={groupChosen}
          question={question}
          cohorts={(group ?? answer).cohorts}
          average={(group ?? answer).average}
          counted={counted}
          onPick={
            onPick &&
            ((cohort, unit) =>
              onPick({
                of: 'retention',
                cohort,
                unit,
                group: group ? pickedGroup(group) : null,
              }))
          }
        />
      )}
      {view === 'curve' && (
        <Plot data={plot} label={t('results.retention.view.curve')} heading={t('chart.time')} />
      )}
      {view === 'groups' && (
        <>
          <Plot
            data={plot}
            label={t('results.retention.view.groups')}
            heading={t('chart.time')}
            hasTable
          />
          <GroupAverages unit={question.unit} answer={answer} nameOf={nameOf} />
        </>
      )}
    </View>
  )
}
