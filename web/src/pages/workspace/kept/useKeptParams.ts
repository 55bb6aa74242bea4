import type { Whose } from '../../../api/analyses'
import {
  sortedBy,
  useTableParams,
  type ChangeParams,
  type TableParams,
} from '../../../components/table/useTableParams'

export const WHOSE: readonly Whose[] = ['mine', 'shared']

const CHOICES = { sorts: ['name', 'updated_at'], filters: ['whose'] } as const

export interface KeptParams {
  asked: TableParams
  /** All of them where nothing is said. */
  whose: Whose | undefined
  change: ChangeParams<'whose'>
}

/** The newest first, unless the address says otherwise. */
export function useKeptParams(): KeptParams {
  const [{ whose: written, ...params }, change] = useTableParams<'whose'>(CHOICES)
  const whose = WHOSE.find((one) => one === written)
  return { asked: sortedBy('updated_at', params), whose, change }
}
