/**
 * Deleting a team for good. Its apps must be deleted first, each with its own 30-day grace period.
 */
import { Button } from 'antd'
import { useState } from 'react'
import { ApiError } from '../../../api/errors'
import { deleteOrg, type Org } from '../../../api/orgs'
import { DangerDialog } from '../../../components/DangerDialog'
import { Dialog } from '../../../components/Dialog'
import { LinkButton } from '../../../components/LinkButton'
import { useT } from '../../../i18n/useT'
import { paths } from '../../../paths'
import dialog from '../../../components/dialog.module.css'

interface DeleteOrgDialogProps {
  org: Org
  onDone: () => void
  onCancel: () => void
}

export function DeleteOrgDialog({ org, onDone, onCancel }: DeleteOrgDialogProps) {
  const t = useT()
  const [blocked, setBlocked] = useState(org.app_count > 0)
  if (blocked) return <Blocked org={org} onCancel={onCancel} />
  return (
    <DangerDialog
      title={t('orgs.deleteTitle', { name: org.name })}
      confirm={t('deletion.submit')}
      name={org.name}
      hits={() => [{ label: t('orgs.members'), count: org.member_count }]}
      send={(typed) =>
        deleteOrg(org.id, typed).catch((error: unknown) => {
          // An app waiting to be purged blocks it too, but isn't in the list.
          if (error instanceof ApiError && error.code === 'org_has_apps') setBlocked(true)
          throw error
        })
      }
      onDone={onDone}
      onCancel={onCancel}
    >
      <p>{t('orgs.deleteText')}</p>
    </DangerDialog>
  )
}

function Blocked({ org, onCancel }: { org: Org; onCancel: () => void }) {
  const t = useT()
  return (
    <Dialog title={t('orgs.deleteBlocked')} width={480} onCancel={onCancel}>
      <p className={dialog.lead}>{t('orgs.deleteBlockedText')}</p>
      <div className={dialog.actions}>
        <Button onClick={onCancel}>{t('common.close')}</Button>
        <LinkButton to={paths.deletedApps({ org: org.id })}>{t('title.deletedApps')}</LinkButton>
        <LinkButton type="primary" to={paths.teamApps({ org: org.id })}>
          {t('title.teamApps')}
        </LinkButton>
      </div>
    </Dialog>
  )
}
