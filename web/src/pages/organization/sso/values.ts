/** The provider form: its values, and what can be checked before asking the server. */
import type { SsoChange, SsoSettings } from '../../../api/sso'
import type { Translate } from '../../../i18n/store'
import { parseUrl } from '../../../lib/url'

export type SsoValues = Required<SsoChange>

export function valuesOf(sso: SsoSettings): SsoValues {
  const { issuer, client_id, default_role, enabled, enforced } = sso
  return { issuer, client_id, client_secret: '', default_role, enabled, enforced }
}

/** An empty secret is omitted, which keeps the stored one. */
export function changeOf({ issuer, client_id, client_secret, ...rest }: SsoValues): SsoChange {
  return {
    ...rest,
    issuer: issuer.trim(),
    client_id: client_id.trim(),
    ...(client_secret && { client_secret }),
    // Single sign-on can't be required while it is off.
    enforced: rest.enabled && rest.enforced,
  }
}

/** Whether plain HTTP is allowed is up to the server. */
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

/** A stored secret is never sent to a different issuer, so a new one needs its own. */
export function needsSecret(sso: SsoSettings, issuer: string): boolean {
  return !sso.has_secret || issuer.trim() !== sso.issuer
}

/** Rejects only what is certainly not a domain. */
export function isDomain(text: string): boolean {
  return /^[^\s@/:.]+(\.[^\s@/:.]+)+\.?$/.test(text.trim())
}
