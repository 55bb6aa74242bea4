/** A board's context: team, range, apps, and figure. Each card makes its own request. */
import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import type { App } from '../../api/app'
import {
  overallQuery,
  type FigureName,
  type OverallPart,
  type OverallQuestion,
} from '../../api/overall'
import { useLanguageStore } from '../../i18n/store'
import type { RangeParams } from '../range/useRangeParams'

export interface Board {
  orgId: string
  question: OverallQuestion
  params: RangeParams
  /** All of the team's apps the user may see; undefined until loaded. */
  apps: App[] | undefined
  /** IDs; empty for all. */
  chosen: string[]
  /** The figure the trend shows. */
  course: FigureName
  set: (name: 'apps' | 'metric' | 'zone', value: string | null) => void
}

const BoardContext = createContext<Board | null>(null)
export const BoardProvider = BoardContext.Provider

export function useBoard(): Board {
  const board = useContext(BoardContext)
  if (!board) throw new Error('useBoard is called outside of a BoardProvider')
  return board
}

/** One part of the answer, requested separately. */
export function useOverall<Part extends OverallPart>(part: Part) {
  const { orgId, question } = useBoard()
  const language = useLanguageStore((state) => state.currentLang)
  return useQuery(overallQuery(orgId, part, question, language))
}
