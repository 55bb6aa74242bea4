import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { removeSso, ssoQuery, type SsoSettings } from '../../../api/sso'
import { DangerDialog } from '../../../components/DangerDialog'
import { Panel } from '../../../components/Panel'
import { useT } from '../../../i18n/useT'
import { useOrg } from '../../../session/org'
import { useEnvironment } from '../../../session/useEnvironment'

export function RemovalSection() {
  const t = useT()
  const org = useOrg()
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  return (
    <Panel id="removal" title={t('ssoRemoval.title')} lead={t('ssoRemoval.lead')}>
      <Button danger onClick={() => setAsking(true)}>
        {t('ssoRemoval.submit')}
      </Button>
      {asking && (
        <RemovalDialog
          onDone={() => {
            setAsking(false)
            void client.invalidateQueries({ queryKey: ssoQuery(org.id).queryKey })
          }}
          onCancel={() => setAsking(false)}
        />
      )}
    </Panel>
  )
}

function RemovalDialog(props: { onDone: () => void; onCancel: () => void }) {
  const t = useT()
  const org = useOrg()
  const mailLeaves = useEnvironment()?.mail_configured !== false
  // People decide by these numbers, so they must be current.
  const impact = useQuery({ ...ssoQuery(org.id), refetchOnMount: 'always' })
  return (
    <DangerDialog<SsoSettings, unknown>
      {...props}
      title={t('ssoRemoval.question')}
      confirm={t('ssoRemoval.submit')}
      name={org.name}
      impact={impact}
      hits={({ linked_members, only_way_members }) => [
        { label: t('ssoRemoval.linked'), count: linked_members },
        { label: t('ssoRemoval.onlyWay'), count: only_way_members },
      ]}
      send={() => removeSso(org.id)}
    >
      <p>{t(mailLeaves ? 'ssoRemoval.text' : 'ssoRemoval.textNoMail')}</p>
    </DangerDialog>
  )
}
