/** Teams the user belongs to but can't open anything in. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { allOrgs, orgChoicesQuery, type Org } from '../../api/orgs'
import { LeaveTeamDialog } from '../../components/teams/LeaveTeamDialog'
import { useT } from '../../i18n/useT'
import styles from './NoAuthPage.module.css'

interface NoAuthTeamsProps {
  /** Why nothing can be opened, unless already explained. */
  reason?: string
  onLeft: () => void
}

export function NoAuthTeams({ reason, onLeft }: NoAuthTeamsProps) {
  const t = useT()
  const client = useQueryClient()
  const { data: teams } = useQuery(orgChoicesQuery)
  const [leaving, setLeaving] = useState<Org | null>(null)
  if (!teams || teams.length === 0) return null
  return (
    <section aria-labelledby="teams-title">
      <h2 id="teams-title" className={styles.title}>
        {t('noAuth.teams')}
      </h2>
      {reason && <p className={styles.soft}>{reason}</p>}
      <ul className={styles.teams}>
        {teams.map((team) => (
          <li key={team.id} className={styles.team}>
            <div>
              <strong>{team.name}</strong>
              <p className={styles.soft}>{t(`org.role.${team.role}`)}</p>
            </div>
            <Button
              aria-label={t('noAuth.leaveOf', { name: team.name })}
              onClick={() => setLeaving(team)}
            >
              {t('orgs.do.leave')}
            </Button>
          </li>
        ))}
      </ul>
      {leaving && (
        <LeaveTeamDialog
          org={leaving}
          onDone={() => {
            setLeaving(null)
            void client.invalidateQueries(allOrgs)
            onLeft()
          }}
          onCancel={() => setLeaving(null)}
        />
      )}
    </section>
  )
}
