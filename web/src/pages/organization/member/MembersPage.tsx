/** A team's members and pending invitations. */
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
  // A link in an email can open the dialog with the address of someone who wants to join.
  const [inviting, dialog] = useDialogInAddress('invite')

  /** Drops page, search, and filters, which belong to the previous tab. */
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
