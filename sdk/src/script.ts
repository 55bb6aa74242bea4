/** The build for script tags: a global `atrium`, configured by the tag's attributes. */

import { createClient, init, uuid, type Client, type Options } from './index'

type Call = [name: string, ...args: unknown[]]

const page = window as { atrium?: Call[] | Client }
const earlier = page.atrium

// A page that includes the tag twice still gets one client.
if (!earlier || !(earlier as Client).track) {
  const script = document.currentScript as HTMLScriptElement | null
  /** Calls made before the client exists. */
  const early: Call[] = []

  const push = (...calls: Call[]) =>
    calls.forEach((call) => {
      const action = api[call[0]]
      try {
        if (action) (action as (...args: unknown[]) => void)(...call.slice(1))
        else early.push(call)
      } catch (error) {
        console.warn('[atrium]', error)
      }
    })

  const api: Record<string, unknown> = {
    createClient,
    uuid,
    push,
    init(options: Options) {
      Object.assign(api, init(options))
      push(...early.splice(0))
      return api
    },
  }
  page.atrium = api as unknown as Client

  if (script && script.dataset.appKey) {
    const { appKey, url, pageView, clicks, clientVersion, debug } = script.dataset
    push([
      'init',
      {
        appKey,
        url: url || new URL(script.src).origin,
        pageView: pageView !== 'off',
        clicks: clicks !== 'off',
        clientVersion,
        debug: debug != null,
      },
    ])
  }
  if (Array.isArray(earlier)) push(...earlier)
}
