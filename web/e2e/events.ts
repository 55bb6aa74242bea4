/** Sends events the way a page with the app's key would. */
import type { Page } from '@playwright/test'
import { dataOf } from './team'
import { expect } from './test'

export interface Sent {
  event?: string
  device?: string
  user?: string
  os?: string
  path?: string
  properties?: object
  /** Overrides parts of a valid message. */
  broken?: object
}

export function message(sent: Sent = {}) {
  const { event = 'page_view', device = 'device-1', user, os = 'macOS', path = '/' } = sent
  const data = {
    log_id: crypto.randomUUID(),
    event,
    timestamp: Date.now(),
    device_id: device,
    ...(user && { user_id: user }),
    sdk_type: 'js',
    sdk_version: '0.2.4',
    timezone_offset: 8,
    os,
    language: 'zh-CN',
    url_path: path,
    device_type: 'PC',
    browser: 'Chrome',
    browser_version: '140',
    user_agent: 'test',
    client_version: 'v1',
    source: 'web',
    properties: sent.properties ?? { plan: 'pro' },
    ...sent.broken,
  }
  return { type: 'Event', data }
}

export async function send(page: Page, appId: string, ...messages: object[]): Promise<void> {
  const { items } = await dataOf<{ items: { kind: string; key: string }[] }>(
    await page.request.get(`/api/v1/apps/${appId}/api-keys`),
  )
  const { key: app_key } = items.find(({ kind }) => kind === 'collect')!
  await dataOf(await page.request.post('/v1/collect', { data: { app_key, messages } }))
}

/** Waits until the accepted events can be queried. */
export async function loaded(page: Page, appId: string, events: number): Promise<void> {
  await expect
    .poll(
      async () => {
        const { items } = await dataOf<{ items: { events_30d: number }[] }>(
          await page.request.get(`/api/v1/apps/${appId}/events?status=all`),
        )
        // They are counted a moment after they are stored.
        const app = await dataOf<{ has_events: boolean }>(
          await page.request.get(`/api/v1/apps/${appId}`),
        )
        return app.has_events ? items.reduce((sum, { events_30d }) => sum + events_30d, 0) : 0
      },
      { timeout: 40_000, intervals: [200] },
    )
    .toBe(events)
}
