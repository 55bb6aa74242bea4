import { useMemo } from 'react'
import { FIGURES } from '../../../api/overall'
import type { Board } from '../../../components/figures/board'
import { changed, useRangeParams } from '../../../components/range/useRangeParams'
import { useApp } from '../../../session/app'
import { useAddressQuery } from '../../../router/useAddressQuery'

/** Long enough that some of the first new people had time to come back. */
const DEFAULTS = { preset: '30d' } as const

/** The same board as the team's, but for one app and in its time zone. */
export function useAppBoard(): Board {
  const { app, held } = useApp()
  const [query, setQuery] = useAddressQuery()
  const params = useRangeParams(app.timezone, DEFAULTS)
  const { granularity, compare, timezone } = params
  const { start, end } = params.range
  const chosen = useMemo(() => [app.id], [app.id])
  const question = useMemo(
    () => ({ start, end, granularity, compare, timezone, app_ids: chosen }),
    [start, end, granularity, compare, timezone, chosen],
  )
  return {
    orgId: app.org_id,
    question,
    params,
    apps: useMemo(() => [{ ...app, permissions: [...held] }], [app, held]),
    chosen,
    course: FIGURES.find((name) => name === query.get('metric')) ?? 'events',
    set: (name, value) =>
      setQuery((before) => changed(before, name, value ?? '', ''), { preventScrollReset: true }),
  }
}
