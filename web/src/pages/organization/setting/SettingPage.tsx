/** A team's settings: name and time zone, retention, and sign-in requirements. */
import { UnsavedGuard } from '../../../components/form/unsaved'
import { Page } from '../../../components/Page'
import { useT } from '../../../i18n/useT'
import { useOrgMay } from '../../../session/org'
import { Refused } from '../../../components/Refused'
import { GeneralSection } from './GeneralSection'
import { SecuritySection } from './SecuritySection'

export default function SettingPage() {
  const t = useT()
  const may = useOrgMay('org:update')
  if (!may) return <Refused />
  return (
    <Page title={t('title.teamSetting')} lead={t('setting.lead')}>
      <UnsavedGuard>
        <GeneralSection />
      </UnsavedGuard>
      <SecuritySection />
    </Page>
  )
}
