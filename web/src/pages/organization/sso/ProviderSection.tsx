import { useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import { saveSso, ssoQuery, testSso, type SsoSettings } from '../../../api/sso'
import { Badge } from '../../../components/Badge'
import { ConfirmDialog } from '../../../components/ConfirmDialog'
import { CopyButton } from '../../../components/CopyButton'
import { Field } from '../../../components/form/Field'
import { FormError } from '../../../components/form/FormError'
import { PasswordInput } from '../../../components/form/PasswordInput'
import { filled } from '../../../components/form/rules'
import { SaveRow } from '../../../components/form/SaveRow'
import { TextInput } from '../../../components/form/TextInput'
import { useUnsaved } from '../../../components/form/unsaved'
import { useSubmit } from '../../../components/form/useSubmit'
import { useQuestion } from '../../../components/useQuestion'
import { Panel } from '../../../components/Panel'
import { useT } from '../../../i18n/useT'
import { useOrg } from '../../../session/org'
import { ConnectionTest, useConnectionTest } from './ConnectionTest'
import { UseFields } from './UseFields'
import { changeOf, issuerRule, needsSecret, valuesOf } from './values'
import organization from '../organization.module.css'
import styles from './sso.module.css'

export function ProviderSection({ sso }: { sso: SsoSettings }) {
  const t = useT()
  const org = useOrg()
  const client = useQueryClient()
  const [saved, setSaved] = useState(false)
  const enforcing = useQuestion()
  const form = useForm({ mode: 'onBlur', defaultValues: valuesOf(sso) })
  const { control, formState } = form
  useUnsaved(formState.isDirty)
  const issuer = useWatch({ control, name: 'issuer' })
  const unlinked = sso.unlinked_members
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: async (values) => {
      const change = changeOf(values)
      // Anyone not linked is locked out as soon as this is saved.
      if (change.enforced && !sso.enforced && !(await enforcing.ask(unlinked))) return null
      return saveSso(org.id, change)
    },
    done: (changed) => {
      if (!changed) return
      client.setQueryData(ssoQuery(org.id).queryKey, changed)
      form.reset(valuesOf(changed))
      setSaved(true)
    },
  })
  const test = useConnectionTest(async () => {
    if (!(await form.trigger(['issuer', 'client_id', 'client_secret'], { shouldFocus: true }))) {
      return null
    }
    const { issuer, client_id, client_secret } = changeOf(form.getValues())
    return testSso(org.id, { issuer, client_id, client_secret })
  })
  const asksSecret = needsSecret(sso, issuer)

  return (
    <Panel id="provider" title={t('ssoSetting.provider')} lead={t('ssoSetting.providerLead')}>
      <p className={styles.state}>
        {t('ssoSetting.state')} <State sso={sso} />
      </p>
      <div className={styles.copyRow}>
        <div>
          <span className={styles.term}>{t('ssoSetting.redirectUri')}</span>
          <code className={styles.value}>{sso.redirect_uri}</code>
        </div>
        <CopyButton text={sso.redirect_uri}>{t('ssoSetting.copyUri')}</CopyButton>
      </div>
      <form noValidate className={organization.form} onSubmit={onSubmit}>
        <FormError>{failure?.message}</FormError>
        <Field
          control={control}
          name="issuer"
          label={t('ssoSetting.issuer')}
          hint={t('ssoSetting.issuer.hint')}
          rules={{ ...issuerRule(t), deps: sso.has_secret ? ['client_secret'] : undefined }}
        >
          {(input) => (
            <TextInput
              {...input}
              inputMode="url"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              placeholder="https://login.example.com"
            />
          )}
        </Field>
        <Field
          control={control}
          name="client_id"
          label={t('ssoSetting.clientId')}
          rules={filled(t('ssoSetting.clientId.required'))}
        >
          {(input) => (
            <TextInput {...input} autoComplete="off" autoCapitalize="none" spellCheck={false} />
          )}
        </Field>
        <Field
          control={control}
          name="client_secret"
          label={t('ssoSetting.secret')}
          hint={
            sso.has_secret
              ? t(asksSecret ? 'ssoSetting.secret.again' : 'ssoSetting.secret.kept')
              : undefined
          }
          rules={{
            validate: (value, { issuer }) =>
              value !== '' ||
              !needsSecret(sso, issuer) ||
              t(sso.has_secret ? 'ssoSetting.secret.again' : 'ssoSetting.secret.required'),
          }}
        >
          {(input) => (
            <PasswordInput
              {...input}
              // Not a password of the user's: a browser that autofills one would submit it.
              autoComplete="new-password"
              placeholder={asksSecret ? undefined : '••••••••'}
            />
          )}
        </Field>
        <UseFields
          control={control}
          sso={sso}
          members={org.member_count}
          unlinked={unlinked}
          onOff={() => form.setValue('enforced', false, { shouldDirty: true })}
        />
        <SaveRow
          label={t('common.save')}
          sending={sending}
          retryAt={failure?.retryAt}
          disabled={!formState.isDirty}
          saved={saved && !formState.isDirty ? t('common.saved') : ''}
        />
      </form>
      <div className={styles.test}>
        <Button loading={test.busy} onClick={test.run}>
          {t('ssoTest.run')}
        </Button>
        <ConnectionTest test={test} />
      </div>
      <ConfirmDialog
        open={enforcing.about !== null}
        title={t('ssoSetting.enforceTitle')}
        confirm={t('ssoSetting.enforceConfirm')}
        danger
        onConfirm={() => enforcing.answer(true)}
        onCancel={() => enforcing.answer(false)}
      >
        {t('ssoSetting.enforceText', { unlinked: enforcing.about ?? unlinked })}
      </ConfirmDialog>
    </Panel>
  )
}

function State({ sso }: { sso: SsoSettings }) {
  const t = useT()
  if (!sso.configured) return <Badge tone="soft">{t('ssoSetting.state.none')}</Badge>
  if (!sso.enabled) return <Badge tone="warning">{t('ssoSetting.state.off')}</Badge>
  return (
    <Badge tone="success">
      {t(sso.enforced ? 'ssoSetting.state.must' : 'ssoSetting.state.on')}
    </Badge>
  )
}
