/** The people of a team, and those it waits for. */
import { Button } from 'antd'
import { Page } from '../../../components/Page'
import { Tabs } from '../../../components/Tabs'
import { useT } from '../../../i18n/useT'
import { useAddressQuery } from '../../../router/useAddressQuery'
import { useDialogInAddress } from '../../../router/useDialogInAddress'
import { useOrgMay } from '../../../session/org'
import { InvitationsTab } from './InvitationsTab'
import { InviteDialog } from './InviteDialog'
import { MembersTab } from './MembersTab'
import styles from './MembersPage.module.css'

const TABS = ['members', 'invitations'] as const
type TabKey = (typeof TABS)[number]

export default function MembersPage() {
  const t = useT()
  const manages = useOrgMay('org_member:manage')
  const [query, setQuery] = useAddressQuery()
  const tab = (manages && TABS.find((key) => key === query.get('tab'))) || 'members'
  // A link in a mail can ask for the dialog, with the address of whoever wants to join.
  const [inviting, dialog] = useDialogInAddress('invite')

  /** Page, search and filters are those of the tab that is left. */
  function choose(key: TabKey) {
    const org = query.get('org') ?? ''
    setQuery(key === 'members' ? { org } : { org, tab: key }, { preventScrollReset: true })
  }

  return (
    <Page wide title={t('title.teamMembers')} lead={t('members.lead')}>
      {manages ? (
        <>
          <div className={styles.invite}>
            <Button type="primary" onClick={dialog.open}>
              {t('members.invite')}
            </Button>
          </div>
          <Tabs
            label={t('title.teamMembers')}
            tabs={TABS.map((key) => ({ key, label: t(`members.tab.${key}`) }))}
            active={tab}
            onChoose={choose}
          >
            {tab === 'members' ? <MembersTab /> : <InvitationsTab />}
          </Tabs>
        </>
      ) : (
        <MembersTab />
      )}
      {manages && inviting !== null && <InviteDialog address={inviting} onClose={dialog.close} />}
    </Page>
  )
}
