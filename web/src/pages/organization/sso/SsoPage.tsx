/** A team's single sign-on: its domains, the provider it trusts, and who must use it. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ssoQuery, type SsoSettings } from '../../../api/sso'
import { UnsavedGuard } from '../../../components/form/unsaved'
import { Loaded } from '../../../components/Loaded'
import { Page } from '../../../components/Page'
import { RowSkeleton } from '../../../components/table/RowSkeleton'
import { Refused } from '../../../components/Refused'
import { useT } from '../../../i18n/useT'
import { useOrg, useOrgMay } from '../../../session/org'
import { DomainsSection } from './DomainsSection'
import { ProviderSection } from './ProviderSection'
import { RemovalSection } from './RemovalSection'

export default function SsoPage() {
  const may = useOrgMay('org_sso:manage')
  return may ? <SsoOfTeam /> : <Refused />
}

function SsoOfTeam() {
  const t = useT()
  const sso = useQuery(ssoQuery(useOrg().id))
  return (
    <Page title={t('title.teamSso')} lead={t('ssoSetting.lead')}>
      <Loaded query={sso} skeleton={<RowSkeleton rows={8} />}>
        {(settings) => <Sections sso={settings} />}
      </Loaded>
    </Page>
  )
}

function Sections({ sso }: { sso: SsoSettings }) {
  const [removals, setRemovals] = useState(0)
  const [was, setWas] = useState(sso.configured)
  if (was !== sso.configured) {
    setWas(sso.configured)
    if (was) setRemovals(removals + 1)
  }
  return (
    <>
      <UnsavedGuard>
        <DomainsSection domains={sso.domains} />
        {/* Once the settings are removed, unsaved input about the provider is discarded. */}
        <ProviderSection key={removals} sso={sso} />
      </UnsavedGuard>
      {sso.configured && <RemovalSection />}
    </>
  )
}
