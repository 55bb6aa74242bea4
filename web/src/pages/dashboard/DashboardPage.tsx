/** The figures of all the team's apps on one board. */
import { useQuery } from '@tanstack/react-query'
import { allAppsQuery } from '../../api/overall'
import { BoardProvider } from '../../components/figures/board'
import { Refused } from '../../components/Refused'
import { OrgUnloaded } from '../../layouts/OrgUnloaded'
import { OrgProvider, useOrg, useOrgOnScreen } from '../../session/org'
import { BoardFrame } from './BoardFrame'
import { useBoardFromAddress } from './board'
import { NoApps } from './NoApps'

export default function DashboardPage() {
  const screen = useOrgOnScreen()
  const org = screen.org.data
  if (!org) return <OrgUnloaded {...screen} />
  return (
    <OrgProvider value={org}>
      {/* One team's data must never appear under another's name. */}
      <TeamBoard key={org.id} />
    </OrgProvider>
  )
}

function TeamBoard() {
  const org = useOrg()
  // Only the filter's names and the links need the apps, so the board doesn't wait for them.
  const { data: apps } = useQuery(allAppsQuery(org.id))
  const board = useBoardFromAddress(apps)
  if (apps?.length === 0) return <NoApps />
  if (apps && !apps.some(({ permissions }) => permissions.includes('dashboard:view'))) {
    return <Refused />
  }
  return (
    <BoardProvider value={board}>
      <BoardFrame />
    </BoardProvider>
  )
}
