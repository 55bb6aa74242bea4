import type { Ref } from 'react'
import type { GroupValues, Pick } from '../../../api/analysisTypes'
import type { ChartHandle } from '../../charts/LineChart'
import { useApp } from '../../../session/app'

/** Null if the user may not see the people behind figures, so nothing can be picked. */
export type OnPick = ((pick: Pick) => void) | null

export interface ResultProps<Question, Answer> {
  question: Question
  answer: Answer
  onPick: OnPick
  /** Exports a picture of what is on screen. */
  ref?: Ref<ChartHandle>
}

/** A question's days are in its own time zone, or else in the app's. */
export function useZone({ timezone }: { timezone?: string }): string {
  const { app } = useApp()
  return timezone ?? app.timezone
}

/** Only the fields that identify the group, without its figures. */
export function pickedGroup({ values, other, redacted }: GroupValues): GroupValues {
  return { values, other, redacted }
}
