/**
 * Accounts elsewhere linked to this one: chat services for sign-in and notifications, and teams'
 * single sign-on.
 */
import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import type { User } from '../../api/account'
import { chatBindUrl, unbindChat, type ChatProvider } from '../../api/chat'
import { ApiError, type FailureCode } from '../../api/errors'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { FormError } from '../../components/form/FormError'
import { Moment } from '../../components/Moment'
import { useProviderRedirect } from '../../components/useProviderRedirect'
import { useT } from '../../i18n/useT'
import { reloadUser } from '../../session/session'
import { useEnvironment } from '../../session/useEnvironment'
import { shownProviders } from './bindings'
import { Section } from './Section'
import styles from './BindingsSection.module.css'

export function BindingsSection({ user }: { user: User }) {
  const t = useT()
  const environment = useEnvironment()
  const [asking, setAsking] = useState<ChatProvider | null>(null)
  const [unbound, setUnbound] = useState<ChatProvider | null>(null)
  const redirecting = useProviderRedirect((provider: ChatProvider) =>
    chatBindUrl(provider).catch((error: unknown) => {
      // Linked in another tab meanwhile: update the page.
      if (isCode(error, 'already_bound')) void reloadUser().catch(() => {})
      throw error
    }),
  )
  const unbinding = useMutation({
    mutationFn: (provider: ChatProvider) =>
      unbindChat(provider).catch((error: unknown) => {
        // Already unlinked, which is what was wanted.
        if (!isCode(error, 'not_bound')) throw error
      }),
    onSuccess: async (_, provider) => {
      await reloadUser().catch(() => {})
      setUnbound(provider)
    },
    onSettled: () => setAsking(null),
  })
  const lastWay = isCode(unbinding.error, 'last_way_in')
  const failure = lastWay
    ? t('bindings.lastWay')
    : (unbinding.error?.message ?? redirecting.failure?.message)

  const actionFor = (provider: ChatProvider) => {
    const name = t(`notify.channel.${provider}`)
    if (user.bindings[provider]) {
      return (
        <Button aria-label={t('bindings.unbindOf', { name })} onClick={() => setAsking(provider)}>
          {t('bindings.unbind')}
        </Button>
      )
    }
    const isOwn = redirecting.where === provider
    return (
      <Button
        aria-label={t('bindings.bindOf', { name })}
        loading={redirecting.busy && isOwn}
        disabled={redirecting.busy && !isOwn}
        onClick={() => {
          unbinding.reset()
          redirecting.go(provider)
        }}
      >
        {t('bindings.bind')}
      </Button>
    )
  }

  return (
    <Section name="bindings">
      <FormError>{failure}</FormError>
      <p className={styles.status} role="status">
        {unbound && !user.bindings[unbound]
          ? t('bindings.unbound', { name: t(`notify.channel.${unbound}`) })
          : ''}
      </p>
      <ul className={styles.list}>
        {shownProviders(environment, user).map((provider) => (
          <li key={provider} className={styles.row}>
            <div className={styles.words}>
              <strong>{t(`notify.channel.${provider}`)}</strong>
              <span className={styles.soft}>
                <Bound binding={user.bindings[provider]} />
              </span>
            </div>
            {actionFor(provider)}
          </li>
        ))}
        {user.sso.map(({ org_id, org_name }) => (
          <li key={org_id} className={styles.row}>
            <div className={styles.words}>
              <strong>{t('bindings.sso', { team: org_name })}</strong>
              <span className={styles.soft}>{t('bindings.ssoLinked')}</span>
            </div>
          </li>
        ))}
      </ul>
      <ConfirmDialog
        open={asking !== null}
        title={t('bindings.unbindTitle', { name: asking ? t(`notify.channel.${asking}`) : '' })}
        confirm={t('bindings.unbind')}
        danger
        busy={unbinding.isPending}
        onConfirm={() => asking && unbinding.mutate(asking)}
        onCancel={() => setAsking(null)}
      >
        {t('bindings.unbindText')}
      </ConfirmDialog>
    </Section>
  )
}

function Bound({ binding }: { binding: User['bindings'][ChatProvider] }) {
  const t = useT()
  if (!binding) return t('bindings.none')
  return (
    <>
      {binding.name} · <Moment after={t('bindings.since')} at={binding.bound_at} />
    </>
  )
}

const isCode = (error: unknown, code: FailureCode) =>
  error instanceof ApiError && error.code === code
