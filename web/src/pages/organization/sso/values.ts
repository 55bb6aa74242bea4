/** The form of a provider: its values, what can be told of them before the server is asked. */
import type { SsoChange, SsoSettings } from '../../../api/sso'
import type { Translate } from '../../../i18n/store'
import { parseUrl } from '../../../lib/url'

export type SsoValues = Required<SsoChange>

export function valuesOf(sso: SsoSettings): SsoValues {
  const { issuer, client_id, default_role, enabled, enforced } = sso
  return { issuer, client_id, client_secret: '', default_role, enabled, enforced }
}

/** A secret that was not typed is left out, and then the stored one stays. */
export function changeOf({ issuer, client_id, client_secret, ...rest }: SsoValues): SsoChange {
  return {
    ...rest,
    issuer: issuer.trim(),
    client_id: client_id.trim(),
    ...(client_secret && { client_secret }),
    // Nobody can be made to use what is switched off.
    enforced: rest.enabled && rest.enforced,
  }
}

/** Whether plain http is allowed is for the server to say. */
export function isIssuer(text: string): boolean {
  const url = parseUrl(text.trim())
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    !url.username &&
    !url.password &&
    !/[?#]/.test(text)
  )
}

export function issuerRule(t: Translate) {
  return {
    validate: {
      filled: (value: string) => value.trim() !== '' || t('ssoSetting.issuer.required'),
      shape: (value: string) => isIssuer(value) || t('ssoSetting.issuer.rule'),
    },
  }
}

/** A stored secret is never sent to another issuer, so that one needs its own. */
export function needsSecret(sso: SsoSettings, issuer: string): boolean {
  return !sso.has_secret || issuer.trim() !== sso.issuer
}

/** Only what is certainly no domain. */
export function isDomain(text: string): boolean {
  return /^[^\s@/:.]+(\.[^\s@/:.]+)+\.?$/.test(text.trim())
}
