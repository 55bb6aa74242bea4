import type { Ref } from 'react'
import type { GroupValues, Pick } from '../../../api/analysisTypes'
import type { ChartHandle } from '../../charts/LineChart'
import { useApp } from '../../../session/app'

/** Null where people behind figures may not be seen: then nothing can be picked. */
export type OnPick = ((pick: Pick) => void) | null

export interface ResultProps<Question, Answer> {
  question: Question
  answer: Answer
  onPick: OnPick
  /** Makes a picture of what is on screen. */
  ref?: Ref<ChartHandle>
}

/** Days of a question are days of its own zone, or else of the app's. */
export function useZone({ timezone }: { timezone?: string }): string {
  const { app } = useApp()
  return timezone ?? app.timezone
}

/** Only what names the group, without its figures. */
export function pickedGroup({ values, other, redacted }: GroupValues): GroupValues {
  return { values, other, redacted }
}
