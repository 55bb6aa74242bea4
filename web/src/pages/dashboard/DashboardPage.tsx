/** The figures of all of a team's apps on one board. */
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
      {/* Nothing of one team may be seen under the name of another. */}
      <TeamBoard key={org.id} />
    </OrgProvider>
  )
}

function TeamBoard() {
  const org = useOrg()
  // The board does not wait for the apps: only their names in the filter and the ways into them do.
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
