/** Names the steps of a test. An unknown step says so. */
import type { SsoTestStep } from '../../../api/sso'
import type { Translate } from '../../../i18n/store'

export const TEST_STEPS = [
  'address',
  'discovery',
  'issuer',
  'endpoints',
  'features',
  'keys',
  'client',
] as const

export const TEST_CODES = [
  'name_not_found',
  'refused',
  'timeout',
  'tls',
  'address_forbidden',
  'http_status',
  'not_json',
  'too_large',
  'redirected',
  'issuer_differs',
  'endpoint_missing',
  'endpoint_insecure',
  'no_code_flow',
  'no_algorithm',
  'no_keys',
  'client_refused',
  'unexpected',
] as const

export function stepName(t: Translate, { step }: SsoTestStep): string {
  const known = TEST_STEPS.find((name) => name === step)
  return known ? t(`sso.test.step.${known}`) : step
}

/** What failed, and how to fix it. */
export function stepProblem(t: Translate, { code }: SsoTestStep) {
  const known = TEST_CODES.find((name) => name === code) ?? 'unexpected'
  return { what: t(`sso.test.code.${known}`), fix: t(`sso.test.fix.${known}`) }
}
