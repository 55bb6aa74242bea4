/** Teams at the user's own email domain, which they can ask to join. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { askToJoin, joinableOrgsQuery, type JoinableOrg } from '../../api/invitations'
import { FormError } from '../../components/form/FormError'
import { Moment } from '../../components/Moment'
import { useT } from '../../i18n/useT'
import styles from './NoAuthPage.module.css'

export function NoAuthJoinable() {
  const t = useT()
  // Optional: invitations and creating a team work without it.
  const { data: teams } = useQuery(joinableOrgsQuery)
  if (!teams || teams.length === 0) return null
  return (
    <section aria-labelledby="joinable-title">
      <h2 id="joinable-title" className={styles.title}>
        {t('noAuth.joinable')}
      </h2>
      <p className={styles.soft}>{t('noAuth.joinableText')}</p>
      <ul className={styles.teams}>
        {teams.map((team) => (
          <Joinable key={team.id} team={team} />
        ))}
      </ul>
    </section>
  )
}

function Joinable({ team }: { team: JoinableOrg }) {
  const t = useT()
  const client = useQueryClient()
  const asking = useMutation({
    mutationFn: () => askToJoin(team.id),
    onSettled: () => client.invalidateQueries(joinableOrgsQuery),
  })
  return (
    <li className={styles.team}>
      <div>
        <strong>{team.name}</strong>
        {team.asked_at && (
          <p className={styles.soft}>
            <Moment after={t('noAuth.asked')} at={team.asked_at} />
          </p>
        )}
        <FormError>{asking.error?.message}</FormError>
      </div>
      <Button
        loading={asking.isPending}
        disabled={isRecent(team.asked_at)}
        aria-label={t('noAuth.askOf', { name: team.name })}
        onClick={() => asking.mutate()}
      >
        {t('noAuth.ask')}
      </Button>
    </li>
  )
}

const DAY_MS = 86_400_000

/** Owners are notified at most once a day. */
function isRecent(askedAt: string | null | undefined): boolean {
  return askedAt != null && Date.now() - Date.parse(askedAt) < DAY_MS
}
