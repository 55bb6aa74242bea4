import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { everythingOf } from '../../../api/app'
import { apiKeysQuery, type ApiKey } from '../../../api/keys'
import { FormNotice } from '../../../components/form/FormNotice'
import { Loaded } from '../../../components/Loaded'
import { Panel } from '../../../components/Panel'
import { RowSkeleton } from '../../../components/table/RowSkeleton'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { ApiKeyCard } from './ApiKeyCard'
import { DropPreviousDialog } from './DropPreviousDialog'
import { ResetKeysDialog } from './ResetKeysDialog'
import { SecretDialog } from './SecretDialog'
import { useMayReceive } from './useMayReceive'

type Asking = { what: 'reset' } | { what: 'drop'; key: ApiKey } | { what: 'values'; keys: ApiKey[] }

export function ApiKeys() {
  const t = useT()
  const { app } = useApp()
  const client = useQueryClient()
  const keys = useQuery(apiKeysQuery(app.id))
  const mayReceive = useMayReceive()
  const [asking, setAsking] = useState<Asking | null>(null)
  const [said, setSaid] = useState<string | null>(null)

  function finish(text: string, next: Asking | null = null) {
    setSaid(text)
    setAsking(next)
    // The snippet contains one of them too.
    void client.invalidateQueries(everythingOf(app.id))
  }

  return (
    <Panel
      title={t('keys.api')}
      lead={t('keys.apiLead')}
      action={
        mayReceive &&
        keys.data && <Button onClick={() => setAsking({ what: 'reset' })}>{t('keys.reset')}</Button>
      }
    >
      <FormNotice>{asking ? null : said}</FormNotice>
      <Loaded query={keys} skeleton={<RowSkeleton rows={4} />}>
        {(found) =>
          found.map((key) => (
            <ApiKeyCard
              key={key.kind}
              apiKey={key}
              onDrop={() => setAsking({ what: 'drop', key })}
            />
          ))
        }
      </Loaded>
      {asking?.what === 'reset' && (
        <ResetKeysDialog
          keys={keys.data ?? []}
          onCancel={() => setAsking(null)}
          onDone={(made) => finish(t('keys.resetDone'), { what: 'values', keys: made })}
        />
      )}
      {asking?.what === 'values' && (
        <SecretDialog
          title={t('keys.newTitle')}
          lead={t(
            asking.keys.some(({ kind }) => kind === 'query') ? 'keys.newOnce' : 'keys.newPublic',
          )}
          values={asking.keys.map(({ kind, key }) => ({
            label: t(`keys.kind.${kind}`),
            value: key,
            copy: t(`keys.copy.${kind}`),
          }))}
          onStored={() => setAsking(null)}
        />
      )}
      {asking?.what === 'drop' && (
        <DropPreviousDialog
          apiKey={asking.key}
          onCancel={() => setAsking(null)}
          onDone={() => finish(t('keys.dropped'))}
        />
      )}
    </Panel>
  )
}
