/** Looks up an account's sessions by address, to end one or all of them. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import {
  accountSessionsQuery,
  endAccountSessions,
  type AccountSession,
  type AccountSessions,
} from '../../api/operatorSessions'
import { ApiError } from '../../api/errors'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { FormError } from '../../components/form/FormError'
import { LoadFailure } from '../../components/LoadFailure'
import { Moment } from '../../components/Moment'
import { Page } from '../../components/Page'
import { SearchBox } from '../../components/table/SearchBox'
import { Toolbar } from '../../components/table/Toolbar'
import { useT } from '../../i18n/useT'
import { OperatorOnly } from './OperatorOnly'
import styles from './errors.module.css'

export default function SessionsPage() {
  return (
    <OperatorOnly>
      <Sessions />
    </OperatorOnly>
  )
}

function Sessions() {
  const t = useT()
  // Not in the URL: it would stay in a shared machine's history.
  const [email, setEmail] = useState('')
  const found = useQuery(accountSessionsQuery(email.trim()))
  return (
    <Page wide title={t('title.operatorSessions')} lead={t('operatorSessions.lead')}>
      <Toolbar>
        <SearchBox
          className={styles.search}
          label={t('operatorSessions.email')}
          value={email}
          onSearch={(typed) => setEmail(typed ?? '')}
        />
      </Toolbar>
      {found.data ? (
        <Found account={found.data} onEnded={() => void found.refetch()} />
      ) : found.error instanceof ApiError && found.error.status === 404 ? (
        <p role="status">{t('operatorSessions.nobody')}</p>
      ) : (
        found.error && (
          <LoadFailure
            error={found.error}
            retrying={found.isFetching}
            onRetry={() => void found.refetch()}
          />
        )
      )}
    </Page>
  )
}

function Found({ account, onEnded }: { account: AccountSessions; onEnded: () => void }) {
  const t = useT()
  const [asking, setAsking] = useState<AccountSession | 'all' | null>(null)
  const ending = useMutation({
    mutationFn: (target: AccountSession | 'all') =>
      endAccountSessions(account.email, target === 'all' ? undefined : target.id),
    onSettled: () => {
      setAsking(null)
      onEnded()
    },
  })
  const { sessions, name, email } = account
  return (
    <section aria-label={t('operatorSessions.of', { name, email })}>
      <h2>{t('operatorSessions.of', { name, email })}</h2>
      <FormError>{ending.error?.message}</FormError>
      <p role="status">
        {ending.isSuccess
          ? t('operatorSessions.ended')
          : sessions.length === 0
            ? t('operatorSessions.none')
            : ''}
      </p>
      <ul>
        {sessions.map((session) => (
          <li key={session.id}>
            {session.user_agent} · {session.ip} · <Moment at={session.last_seen_at} />{' '}
            <Button size="small" onClick={() => setAsking(session)}>
              {t('sessions.end')}
            </Button>
          </li>
        ))}
      </ul>
      {sessions.length > 0 && (
        <Button danger onClick={() => setAsking('all')}>
          {t('operatorSessions.endAll')}
        </Button>
      )}
      <ConfirmDialog
        danger
        open={asking !== null}
        busy={ending.isPending}
        title={t('operatorSessions.endTitle', { name })}
        confirm={t(asking === 'all' ? 'operatorSessions.endAll' : 'sessions.end')}
        onConfirm={() => asking && ending.mutate(asking)}
        onCancel={() => setAsking(null)}
      >
        {t('operatorSessions.endText')}
      </ConfirmDialog>
    </section>
  )
}
