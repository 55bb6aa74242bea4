/** Whether all members need a second factor. Owners decide, once they have one themselves. */
import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { ApiError } from '../../../api/errors'
import { updateOrg } from '../../../api/orgs'
import { ConfirmDialog } from '../../../components/ConfirmDialog'
import { FormError } from '../../../components/form/FormError'
import { TotpEnrollment } from '../../../components/mfa/TotpEnrollment'
import { Panel } from '../../../components/Panel'
import { useT } from '../../../i18n/useT'
import { useOrg, useOrgMay } from '../../../session/org'
import { reloadUser } from '../../../session/session'
import { useUser } from '../../../session/useUser'
import { useOrgChange } from './useOrgChange'
import styles from './SecuritySection.module.css'

export function SecuritySection() {
  const t = useT()
  const org = useOrg()
  const may = useOrgMay('org_security:manage')
  const on = org.require_mfa
  return (
    <Panel id="security" title={t('setting.security')} lead={t('setting.securityLead')}>
      <p className={styles.state}>
        {t('setting.mfaState')} <strong>{t(on ? 'setting.mfaOn' : 'setting.mfaOff')}</strong>
      </p>
      {may ? <Requirement on={on} /> : <p>{t('setting.ownersOnly')}</p>}
    </Panel>
  )
}

function Requirement({ on }: { on: boolean }) {
  const t = useT()
  const org = useOrg()
  const show = useOrgChange()
  const mfa = useUser()?.mfa
  const [asking, setAsking] = useState(false)
  const changing = useMutation({
    mutationFn: () => updateOrg(org.id, { require_mfa: !on }),
    onSuccess: (changed) => {
      show(changed)
      // Whether the user's own account needs one depends on their teams.
      void reloadUser().catch(() => {})
    },
    onSettled: () => setAsking(false),
  })
  const refused = changing.error instanceof ApiError && changing.error.code === 'mfa_enrol_first'
  const has = mfa !== undefined && (mfa.totp || mfa.passkeys > 0)

  if (!on && !has) {
    return (
      <div className={styles.first}>
        <p>{t('setting.enrolFirst')}</p>
        <TotpEnrollment type="default" />
      </div>
    )
  }
  return (
    <>
      <FormError>{refused ? t('mfa.wantedAgain') : changing.error?.message}</FormError>
      <Button onClick={() => setAsking(true)}>
        {t(on ? 'setting.mfaStop' : 'setting.mfaStart')}
      </Button>
      <ConfirmDialog
        open={asking}
        title={t(on ? 'setting.mfaStopTitle' : 'setting.mfaStartTitle')}
        confirm={t(on ? 'setting.mfaStop' : 'setting.mfaStart')}
        danger={on}
        busy={changing.isPending}
        onConfirm={() => changing.mutate()}
        onCancel={() => setAsking(false)}
      >
        {t(on ? 'setting.mfaStopText' : 'setting.mfaStartText')}
      </ConfirmDialog>
    </>
  )
}
