import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button, Modal } from 'antd'
import { useState } from 'react'
import type { User } from '../../api/account'
import { removeTotp, renewRecoveryCodes, totpQuery, type TotpState } from '../../api/security'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { FormError } from '../../components/form/FormError'
import { Loaded } from '../../components/Loaded'
import { RecoveryCodes } from '../../components/mfa/RecoveryCodes'
import { TotpEnrollment } from '../../components/mfa/TotpEnrollment'
import { Moment } from '../../components/Moment'
import { useT } from '../../i18n/useT'
import { reloadUser } from '../../session/session'
import { Section } from './Section'
import styles from './Section.module.css'

/** With this few left, suggest new ones. */
const FEW_CODES = 3

/** The server's answer for someone who hasn't turned it on. */
const OFF: TotpState = { enabled: false, recovery_codes_left: 0 }

export function MfaSection({ user }: { user: User }) {
  const client = useQueryClient()
  // If known to be off, show that right away: otherwise the content below would jump from under a
  // click.
  const totp = useQuery({ ...totpQuery, placeholderData: user.mfa.totp ? undefined : OFF })
  const reload = () => void client.invalidateQueries(totpQuery)
  return (
    <Section name="mfa">
      <Loaded query={totp} skeleton={4}>
        {(state) =>
          state.enabled ? <TurnedOn state={state} onChange={reload} /> : <TotpEnrollment />
        }
      </Loaded>
    </Section>
  )
}

function TurnedOn({ state, onChange }: { state: TotpState; onChange: () => void }) {
  const t = useT()
  const left = state.recovery_codes_left
  return (
    <>
      <p className={styles.fact}>
        <strong className={styles.good}>{t('totp.on')}</strong>
        {state.confirmed_at && (
          <>
            {' · '}
            <Moment after={t('totp.since')} at={state.confirmed_at} />
          </>
        )}
      </p>
      <p className={left <= FEW_CODES ? styles.warning : styles.fact}>
        {t(left <= FEW_CODES ? 'recovery.few' : 'recovery.left', { count: left })}
      </p>
      <div className={styles.actions}>
        <Renewal onDone={onChange} />
        <TurnOff onDone={onChange} />
      </div>
    </>
  )
}

function Renewal({ onDone }: { onDone: () => void }) {
  const t = useT()
  const [asking, setAsking] = useState(false)
  const [open, setOpen] = useState(false)
  const renewing = useMutation({
    mutationFn: renewRecoveryCodes,
    onSuccess: () => setOpen(true),
    onSettled: () => setAsking(false),
  })
  return (
    <div>
      <FormError>{renewing.error?.message}</FormError>
      <Button onClick={() => setAsking(true)}>{t('recovery.renew')}</Button>
      <ConfirmDialog
        open={asking}
        title={t('recovery.renewTitle')}
        confirm={t('recovery.renew')}
        busy={renewing.isPending}
        onConfirm={() => renewing.mutate()}
        onCancel={() => setAsking(false)}
      >
        {t('recovery.renewText')}
      </ConfirmDialog>
      <Modal
        open={open}
        title={t('recovery.title')}
        footer={null}
        closable={false}
        mask={{ closable: false }}
        keyboard={false}
        width={480}
        destroyOnHidden
      >
        <RecoveryCodes
          codes={renewing.data ?? []}
          onStored={() => {
            setOpen(false)
            onDone()
          }}
        />
      </Modal>
    </div>
  )
}

function TurnOff({ onDone }: { onDone: () => void }) {
  const t = useT()
  const [asking, setAsking] = useState(false)
  const removing = useMutation({
    mutationFn: removeTotp,
    onSuccess: () => {
      onDone()
      void reloadUser().catch(() => {})
    },
    onSettled: () => setAsking(false),
  })
  return (
    <div>
      <FormError>{removing.error?.message}</FormError>
      <Button danger onClick={() => setAsking(true)}>
        {t('totp.disable')}
      </Button>
      <ConfirmDialog
        open={asking}
        title={t('totp.disableTitle')}
        confirm={t('totp.disable')}
        danger
        busy={removing.isPending}
        onConfirm={() => removing.mutate()}
        onCancel={() => setAsking(false)}
      >
        {t('totp.disableText')}
      </ConfirmDialog>
    </div>
  )
}
