/** Enrollment: the app gets the secret, proves it with a code, and the recovery codes are shown. */
import { Button, Modal } from 'antd'
import { useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { confirmTotp, type TotpBeginning } from '../../api/security'
import { useT } from '../../i18n/useT'
import { inGroups } from '../../lib/recoveryCode'
import { CopyButton } from '../CopyButton'
import { CODE_LENGTH, CodeInput } from '../form/CodeInput'
import { Field } from '../form/Field'
import { FormError } from '../form/FormError'
import { SubmitButton } from '../form/SubmitButton'
import { useSubmit } from '../form/useSubmit'
import { RecoveryCodes } from './RecoveryCodes'
import dialog from '../dialog.module.css'
import styles from './mfa.module.css'

interface TotpDialogProps {
  open: boolean
  beginning: TotpBeginning
  onCancel: () => void
  onDone: () => void
}

export function TotpDialog({ open, beginning, onCancel, onDone }: TotpDialogProps) {
  const t = useT()
  const [codes, setCodes] = useState<string[] | null>(null)
  return (
    <Modal
      open={open}
      title={t(codes ? 'recovery.title' : 'totp.title')}
      footer={null}
      // The codes are shown once: a stray click or key must not close them.
      closable={codes ? false : { 'aria-label': t('common.close') }}
      mask={{ closable: false }}
      keyboard={!codes}
      width={480}
      destroyOnHidden
      afterClose={() => setCodes(null)}
      onCancel={onCancel}
    >
      {codes ? (
        <RecoveryCodes codes={codes} onStored={onDone} />
      ) : (
        <Enrollment beginning={beginning} onCancel={onCancel} onConfirmed={setCodes} />
      )}
    </Modal>
  )
}

interface EnrollmentProps {
  beginning: TotpBeginning
  onCancel: () => void
  onConfirmed: (codes: string[]) => void
}

function Enrollment({ beginning, onCancel, onConfirmed }: EnrollmentProps) {
  const t = useT()
  const element = useRef<HTMLFormElement>(null)
  const form = useForm({ defaultValues: { code: '' } })
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: ({ code }) => confirmTotp(code),
    done: onConfirmed,
  })
  return (
    <form ref={element} noValidate onSubmit={onSubmit}>
      <ol className={styles.steps}>
        <li>
          <p>{t('totp.scan')}</p>
          <img
            data-secret
            className={styles.qr}
            src={`data:image/svg+xml,${encodeURIComponent(beginning.qr_svg)}`}
            alt={t('totp.qr')}
          />
          <p className={styles.aside}>{t('totp.typed')}</p>
          <div className={styles.secret}>
            <code data-secret>{inGroups(beginning.secret)}</code>
            <CopyButton text={beginning.secret}>{t('totp.copySecret')}</CopyButton>
          </div>
        </li>
        <li>
          <FormError>{failure?.message}</FormError>
          <Field
            control={form.control}
            name="code"
            label={t('totp.code')}
            hint={t('totp.codeHint')}
            rules={{ validate: (code) => code.length === CODE_LENGTH || t('field.code.rule') }}
          >
            {(input) => (
              <CodeInput {...input} onComplete={() => element.current?.requestSubmit()} />
            )}
          </Field>
        </li>
      </ol>
      <div className={dialog.actions}>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
        <SubmitButton sending={sending} retryAt={failure?.retryAt}>
          {t('totp.confirm')}
        </SubmitButton>
      </div>
    </form>
  )
}
