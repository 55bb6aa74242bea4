/** How many people get from step to step, where they drop off, and how long they take. */
import { useImperativeHandle, useState } from 'react'
import type { FunnelAnswer, FunnelQuestion } from '../../../api/analysisTypes'
import { useT } from '../../../i18n/useT'
import { FunnelCourse } from './FunnelCourse'
import { FunnelGroups } from './FunnelGroups'
import { FunnelSpread } from './FunnelSpread'
import { FunnelSteps } from './FunnelSteps'
import { useFunnelPlots } from './funnelPlots'
import { plotPicture } from './plotOption'
import type { ResultProps } from './result'
import { Nothing, View } from './View'

const VIEWS = ['steps', 'groups', 'course', 'spread'] as const

export function FunnelResult(props: ResultProps<FunnelQuestion, FunnelAnswer>) {
  const { question, answer, onPick, ref } = props
  const t = useT()
  const [chosen, setChosen] = useState<(typeof VIEWS)[number]>('steps')
  const plots = useFunnelPlots(question, answer)
  const offered = VIEWS.filter((view) => view !== 'groups' || answer.groups.length > 0)
  // The next answer may have no groups.
  const view = offered.includes(chosen) ? chosen : 'steps'
  useImperativeHandle(
    ref,
    () => ({ toPng: (title = '', note) => plotPicture(plots[view], title, note) }),
    [plots, view],
  )
  if (!answer.steps[0]?.people) return <Nothing />
  return (
    <View
      value={view}
      choices={offered.map((value) => ({ value, name: t(`results.funnel.view.${value}`) }))}
      onChoose={setChosen}
    >
      {view === 'steps' && <FunnelSteps question={question} answer={answer} onPick={onPick} />}
      {view === 'groups' && (
        <FunnelGroups question={question} answer={answer} plot={plots.groups} onPick={onPick} />
      )}
      {view === 'course' && (
        <FunnelCourse question={question} answer={answer} plot={plots.course} onPick={onPick} />
      )}
      {view === 'spread' && <FunnelSpread answer={answer} plot={plots.spread} />}
    </View>
  )
}
