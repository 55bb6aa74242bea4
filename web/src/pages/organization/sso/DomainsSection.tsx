/** The domains whose addresses belong to the team, each verified by a DNS record. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { addSsoDomain, ssoQuery, type SsoDomain } from '../../../api/sso'
import { ApiError } from '../../../api/errors'
import { Field } from '../../../components/form/Field'
import { FormError } from '../../../components/form/FormError'
import { SubmitButton } from '../../../components/form/SubmitButton'
import { TextInput } from '../../../components/form/TextInput'
import { useUnsaved } from '../../../components/form/unsaved'
import { useSubmit } from '../../../components/form/useSubmit'
import { Panel } from '../../../components/Panel'
import type { MessageKey } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useOrg } from '../../../session/org'
import { DomainItem } from './DomainItem'
import { isDomain } from './values'
import organization from '../organization.module.css'
import styles from './sso.module.css'

/** Errors about the field, even if the server doesn't name it. */
const FIELD_CODES: Record<string, MessageKey> = {
  bad_domain: 'ssoDomain.rule',
  public_domain: 'ssoDomain.public',
  domain_taken: 'ssoDomain.taken',
}

export function DomainsSection({ domains }: { domains: SsoDomain[] }) {
  const t = useT()
  const change = useDomainChange()
  const [status, setStatus] = useState('')
  return (
    <Panel id="domains" title={t('ssoDomain.title')} lead={t('ssoDomain.lead')}>
      <p role="status" className={organization.status}>
        {status}
      </p>
      {domains.length === 0 ? (
        <p className={styles.none}>{t('ssoDomain.none')}</p>
      ) : (
        <ul className={styles.domains}>
          {domains.map((domain) => (
            <DomainItem
              key={domain.domain}
              domain={domain}
              onChange={(changed) => {
                change((all) => all.map((one) => (one.domain === domain.domain ? changed : one)))
                setStatus(t('ssoDomain.verifiedNow', { domain: changed.domain }))
              }}
              onRemoved={() => {
                change((all) => all.filter((one) => one.domain !== domain.domain))
                setStatus(t('ssoDomain.removed', { domain: domain.domain }))
              }}
            />
          ))}
        </ul>
      )}
      <AddDomain
        onAdded={(added) => {
          change((all) => [...all.filter((one) => one.domain !== added.domain), added])
          setStatus(t('ssoDomain.added', { domain: added.domain }))
        }}
      />
    </Panel>
  )
}

/** Keeps unsaved input about the provider. */
function useDomainChange() {
  const client = useQueryClient()
  const { queryKey } = ssoQuery(useOrg().id)
  return (make: (domains: SsoDomain[]) => SsoDomain[]) =>
    client.setQueryData(queryKey, (sso) => sso && { ...sso, domains: make(sso.domains) })
}

function AddDomain({ onAdded }: { onAdded: (domain: SsoDomain) => void }) {
  const t = useT()
  const org = useOrg()
  const form = useForm({ mode: 'onSubmit', defaultValues: { domain: '' } })
  useUnsaved(form.formState.isDirty)
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: ({ domain }) =>
      addSsoDomain(org.id, domain.trim().toLowerCase()).catch((error: unknown) => {
        throw atDomainField(error, (key) => t(key))
      }),
    done: (added) => {
      form.reset()
      onAdded(added)
    },
  })
  return (
    <form noValidate className={styles.add} onSubmit={onSubmit}>
      <FormError>{failure?.message}</FormError>
      <div className={styles.addRow}>
        <Field
          control={form.control}
          name="domain"
          label={t('ssoDomain.field')}
          rules={{ validate: (value) => isDomain(value) || t('ssoDomain.rule') }}
        >
          {(input) => (
            <TextInput
              {...input}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              placeholder="example.com"
            />
          )}
        </Field>
        <SubmitButton sending={sending} retryAt={failure?.retryAt}>
          {t('ssoDomain.add')}
        </SubmitButton>
      </div>
    </form>
  )
}

function atDomainField(error: unknown, t: (key: MessageKey) => string): unknown {
  const code = error instanceof ApiError ? error.code : null
  const key = code !== null && Object.hasOwn(FIELD_CODES, code) ? FIELD_CODES[code] : undefined
  if (!(error instanceof ApiError) || !key) return error
  const { status } = error
  return new ApiError({ status, code, text: () => t(key), fields: { domain: t(key) } })
}
