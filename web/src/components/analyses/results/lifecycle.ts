import type { LifecycleState } from '../../../api/analysisTypes'
import { NEUTRAL } from '../../charts/colors'

/** Dormant people have no color of their own. */
export const STATES: { state: LifecycleState; color: number }[] = [
  { state: 'new', color: 0 },
  { state: 'returning', color: 2 },
  { state: 'resurrected', color: 1 },
  { state: 'dormant', color: NEUTRAL },
]
