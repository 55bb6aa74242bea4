/** The sign-in providers as a row of equal buttons. */
import { Button } from 'antd'
import { useState } from 'react'
import { chatSignInUrl, type ChatProvider } from '../../api/chat'
import { FormError } from '../../components/form/FormError'
import { useProviderRedirect } from '../../components/useProviderRedirect'
import { useT } from '../../i18n/useT'
import { parseQuery, queryText } from '../../lib/query'
import type { SignInProvider } from '../../session/signInProviders'
import { ProviderIcon } from './providerIcons'
import { rememberedMethod, rememberMethod } from './method'
import styles from './signInProviders.module.css'

interface SignInProvidersProps {
  search: string
  /** The providers of this instance. */
  providers: SignInProvider[]
  /** The single sign-on form is open; its button in the row leads back. */
  inSso: boolean
  onSso: () => void
  onBack: () => void
}

export function SignInProviders({ search, providers, inSso, onSso, onBack }: SignInProvidersProps) {
  const t = useT()
  const [last] = useState(rememberedMethod)
  const redirect = queryText(parseQuery(search), 'redirect') ?? undefined
  const redirecting = useProviderRedirect((provider: ChatProvider) =>
    chatSignInUrl(provider, redirect),
  )

  function leaveBy(provider: ChatProvider) {
    rememberMethod(provider)
    redirecting.go(provider)
  }

  return (
    <>
      <FormError>{redirecting.failure?.message}</FormError>
      <div className={styles.providers} data-count={providers.length}>
        {inSso && (
          <Tile icon="own" onPress={onBack}>
            {t('login.ownWays')}
          </Tile>
        )}
        {providers
          .filter((provider) => !(inSso && provider === 'sso'))
          .map((provider) => (
            <Tile
              key={provider}
              icon={provider}
              last={provider === last}
              busy={redirecting.busy && redirecting.where === provider}
              disabled={redirecting.busy && redirecting.where !== provider}
              onPress={provider === 'sso' ? onSso : () => leaveBy(provider)}
            >
              {t(`provider.${provider}`)}
            </Tile>
          ))}
      </div>
    </>
  )
}

interface TileProps {
  icon: SignInProvider | 'own'
  /** Whether it was the last method used. */
  last?: boolean
  busy?: boolean
  disabled?: boolean
  onPress: () => void
  children: string
}

function Tile({ icon, last, busy, disabled, onPress, children }: TileProps) {
  const t = useT()
  return (
    <Button
      size="large"
      className={styles.provider}
      icon={<ProviderIcon of={icon} />}
      loading={busy}
      disabled={disabled}
      onClick={onPress}
    >
      {children}
      {last && <small className={styles.last}>{t('login.usedLast')}</small>}
    </Button>
  )
}
