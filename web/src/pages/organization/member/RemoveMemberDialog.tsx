/** Removing a member: what they lose, and the keys they leave behind. */
import { useQuery } from '@tanstack/react-query'
import { Checkbox } from 'antd'
import { useState } from 'react'
import {
  memberImpactQuery,
  removeMember,
  type MemberImpact,
  type Org,
  type OrgMember,
} from '../../../api/orgs'
import { DangerDialog } from '../../../components/DangerDialog'
import { formatCount } from '../../../components/table/Counted'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import styles from './MembersPage.module.css'

interface RemoveMemberDialogProps {
  org: Org
  member: OrgMember
  onDone: () => void
  onCancel: () => void
}

export function RemoveMemberDialog({ org, member, onDone, onCancel }: RemoveMemberDialogProps) {
  const t = useT()
  const impact = useQuery(memberImpactQuery(org.id, member.user_id))
  const language = useLanguageStore((state) => state.currentLang)
  const [disablesKeys, setDisablesKeys] = useState(false)
  return (
    <DangerDialog<MemberImpact, unknown>
      title={t('members.removeTitle', { name: member.name })}
      confirm={t('members.remove')}
      impact={impact}
      hits={({ app_count, access_key_count }) => [
        { label: t('members.hitApps'), count: app_count },
        { label: t('members.hitKeys'), count: access_key_count },
      ]}
      send={() => removeMember(org.id, member.user_id, disablesKeys)}
      onDone={onDone}
      onCancel={onCancel}
    >
      {({ access_key_count, access_keys }) => (
        <>
          <p>{t('members.removeText', { name: member.name, email: member.email })}</p>
          {access_key_count > 0 && (
            <>
              <p>{t('members.keysText')}</p>
              <ul className={styles.keys}>
                {access_keys.map((key) => (
                  <li key={key.id}>{t('members.keyOf', { key: key.name, app: key.app_name })}</li>
                ))}
                {/* The answer counts all keys but names only some. */}
                {access_key_count > access_keys.length && (
                  <li>
                    {t('members.keysMore', {
                      count: formatCount(access_key_count - access_keys.length, language),
                    })}
                  </li>
                )}
              </ul>
              <Checkbox
                checked={disablesKeys}
                onChange={({ target }) => setDisablesKeys(target.checked)}
              >
                {t('members.disableKeys')}
              </Checkbox>
            </>
          )}
        </>
      )}
    </DangerDialog>
  )
}
