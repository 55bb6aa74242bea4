/**
 * One real event, sent the way an app's own pages send theirs: with the public key, to the
 * collector.
 */
import { uuid } from 'atrium-analytics'
import { storedLanguage } from '../i18n/language'
import type { App } from './app'
import { fetchWithLimit, notifyFailure } from './client'
import { ApiError, errorOfAnswer, errorWithoutAnswer } from './errors'
import type { components } from './schema'

export const TEST_EVENT = 'test_event'

type RejectionReason = components['schemas']['RejectionReason']

interface Receipt {
  data?: { accepted?: number; errors?: { error: string; code: RejectionReason }[] }
}

export async function sendTestEvent(app: App): Promise<void> {
  try {
    const response = await fetchWithLimit(requestFor(app))
    const body = (await response.json().catch(() => null)) as Receipt | null
    if (!response.ok) throw errorOfAnswer(response, body)
    if (body?.data?.accepted === 1) return
    const [refusal] = body?.data?.errors ?? []
    if (!refusal) throw errorWithoutAnswer('bad_answer')
    throw new ApiError({ status: 422, code: refusal.code, text: () => refusal.error })
  } catch (failure) {
    notifyFailure(failure)
    throw failure
  }
}

function requestFor(app: App): Request {
  const version = import.meta.env.BASE_URL.replaceAll('/', '')
  const data = {
    log_id: uuid(),
    event: TEST_EVENT,
    timestamp: Date.now(),
    device_id: 'atrium-console',
    sdk_type: 'console',
    sdk_version: version,
    client_version: version,
    language: navigator.language,
    timezone_offset: new Date().getTimezoneOffset() / -60,
    source: 'web',
    url_path: window.location.pathname,
    properties: {},
  }
  // Use our own origin: the app's endpoint may be another name for this host.
  const origin = app.is_local ? window.location.origin : app.endpoint.replace(/\/+$/, '')
  return new Request(`${origin}/v1/collect`, {
    method: 'POST',
    // The key identifies the app; the sender doesn't matter.
    credentials: 'omit',
    headers: { 'Content-Type': 'application/json', 'Accept-Language': storedLanguage() },
    body: JSON.stringify({ app_key: app.collect_key, messages: [{ type: 'Event', data }] }),
  })
}
