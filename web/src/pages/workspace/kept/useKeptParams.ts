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
  /** Undefined: all. */
  whose: Whose | undefined
  change: ChangeParams<'whose'>
}

/** Newest first, unless the URL says otherwise. */
export function useKeptParams(): KeptParams {
  const [{ whose: written, ...params }, change] = useTableParams<'whose'>(CHOICES)
  const whose = WHOSE.find((one) => one === written)
  return { asked: sortedBy('updated_at', params), whose, change }
}
