/** The team board's context. Everything but the team's data is in the URL. */
import { useMemo } from 'react'
import type { App } from '../../api/app'
import { FIGURES } from '../../api/overall'
import type { Board } from '../../components/figures/board'
import { useRangeParams } from '../../components/range/useRangeParams'
import { useAddressQuery } from '../../router/useAddressQuery'
import { useOrg } from '../../session/org'
import { chosenApps, isZone, withParam } from './address'

export function useBoardFromAddress(apps: App[] | undefined): Board {
  const org = useOrg()
  const [query, setQuery] = useAddressQuery()
  const zone = query.get('zone')
  const timezone = zone && isZone(zone) ? zone : org.timezone
  const params = useRangeParams(timezone)
  const { granularity, compare } = params
  const { start, end } = params.range

  const listed = query.get('apps')
  const chosen = useMemo(() => chosenApps(listed, apps), [listed, apps])
  const question = useMemo(
    () => ({
      start,
      end,
      granularity,
      compare,
      timezone,
      app_ids: chosen.length > 0 ? chosen : undefined,
    }),
    [start, end, granularity, compare, timezone, chosen],
  )
  return {
    orgId: org.id,
    question,
    params,
    apps,
    chosen,
    course: FIGURES.find((name) => name === query.get('metric')) ?? 'events',
    set: (name, value) =>
      setQuery((before) => withParam(before, name, value), { preventScrollReset: true }),
  }
}
