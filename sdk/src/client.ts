import { clickedButton, describeButton } from './button'
import { describeDevice } from './device'
import { encodeMessage } from './message'
import { onNavigation } from './navigation'
import { createPage } from './page'
import { signWith } from './sign'
import { load, save } from './storage'
import { createTransport, type Transport } from './transport'
import type { Button, Client, Mutations, Operation, Options, Properties } from './types'
import { uuid } from './uuid'

const SDK = { sdk_type: 'js', sdk_version: '0.2.4' }
const DEVICE_ID = 'atrium_device_id'
const OPT_OUT = 'atrium_opt_out'

/**
 * Creates a separate client, independent of any other on the page.
 *
 * @throws Error if `url` is set but nothing identifies the app.
 * @throws TypeError if `url` is neither an http(s) address nor a path on this host.
 */
export function createClient(options: Options): Client {
  const { url, appKey, accessKeyId, accessKeySecret } = options
  const undo: (() => void)[] = []
  let { userId, deviceId, sign } = options
  let transport: Transport | undefined

  const warn = (text: string) => console.warn('[atrium] ' + text)
  const debug = (text: string, detail: unknown = '') =>
    options.debug && console.warn('[atrium] ' + text, detail)
  const page = createPage(options, debug)

  /** A bug in the SDK must never break the page. */
  const guarded =
    <A extends unknown[], R>(action: (...args: A) => R) =>
    (...args: A): R => {
      try {
        return action(...args)
      } catch (error) {
        debug('Failed', error)
        return undefined as R
      }
    }

  const listen = (target: EventTarget, type: string, action: (event: Event) => void) => {
    const listener = guarded(action)
    const settings = { capture: true, passive: true }
    target.addEventListener(type, listener, settings)
    undo.push(() => target.removeEventListener(type, listener, settings))
  }

  const isOptedOut = () =>
    !!load(OPT_OUT) || (options.respectDoNotTrack !== false && asksNotToBeTracked())

  const getDeviceId = () => {
    const id = deviceId || load(DEVICE_ID)
    if (id) return id
    const generated = uuid()
    save(DEVICE_ID, generated)
    return generated
  }

  const add = (
    type: 'Event' | 'DeviceMutation' | 'UserMutation',
    data: () => Record<string, unknown>,
    own?: Properties,
    given?: Properties,
  ) => {
    if (!transport || isOptedOut()) return
    const time = Date.now()
    const common = { log_id: uuid(), timestamp: time, ...SDK }
    const json = encodeMessage(type, { ...common, ...data() }, own, given, debug)
    transport.add({ time, json, size: encodeURIComponent(json).length })
  }

  const track = (event: string, given?: Properties, own?: Properties) =>
    add(
      'Event',
      () => ({
        event,
        device_id: getDeviceId(),
        user_id: userId || undefined,
        timezone_offset: new Date().getTimezoneOffset() / -60,
        language: navigator.language,
        url_path: page.path(),
        user_agent: navigator.userAgent,
        client_version: options.clientVersion || '',
        source: options.source || 'web',
        ...describeDevice(navigator),
      }),
      own,
      given,
    )

  const pageView = (properties?: Properties) =>
    track('page_view', properties, { referrer: page.view() })

  const buttonClick = (button: Element | Button, properties?: Properties) => {
    const described = describeButton(button)
    if (described) track('button_click', properties, described)
  }

  const mutate = (
    type: 'DeviceMutation' | 'UserMutation',
    id: () => string,
    operation: Operation,
    properties?: Properties,
  ) => {
    if (transport && !sign) {
      warn(`${type} needs credentials or sign`)
      return
    }
    add(type, () => ({ operation, id: id() }), {}, properties)
  }

  const deviceMutation = guarded((operation: Operation, properties?: Properties) =>
    mutate('DeviceMutation', getDeviceId, operation, properties),
  )

  const userMutation = guarded((operation: Operation, properties?: Properties) => {
    const id = userId
    if (id) mutate('UserMutation', () => id, operation, properties)
    else warn('请先通过 setUserId 设置用户 ID,再上报用户属性')
  })

  const close = () => {
    undo.splice(0).forEach((action) => action())
    if (transport) transport.close()
    transport = undefined
  }

  const start = (endpoint: string) => {
    const running = (transport = createTransport({
      endpoint,
      options,
      sign,
      allowed: () => !isOptedOut(),
      debug,
    }))
    listen(window, 'pagehide', () => running.flush(true))
    listen(document, 'visibilitychange', () => {
      if (document.visibilityState === 'hidden') running.flush(true)
    })
    if (options.clicks !== false) {
      listen(document, 'click', (event) => {
        const button = clickedButton(event)
        if (button) buttonClick(button)
      })
    }
    if (options.pageView !== false) {
      undo.push(
        onNavigation(
          guarded(() => {
            if (page.moved()) pageView()
          }),
        ),
      )
      // Don't count a prerendered page until the visitor opens it.
      if ((document as { prerendering?: boolean }).prerendering) {
        listen(document, 'prerenderingchange', () => pageView())
      } else {
        pageView()
      }
    }
    running.resend()
  }

  if (!url) {
    console.log(
      '[atrium] The analytics client does not report in development: no ingest URL is set',
    )
  } else if (typeof document !== 'undefined') {
    // A bare host name would be resolved as a path on this site.
    if (!/^(https?:\/)?\//.test(url)) throw new TypeError('[atrium] url must be an address')
    const endpoint = new URL(url.replace(/\/+$/, '') + '/v1/collect', location.href).href
    if (!sign && accessKeyId && accessKeySecret) {
      sign = signWith(accessKeyId, accessKeySecret)
      if (!sign) warn('Signing needs a secure connection (https)')
    } else if (!sign && !appKey) {
      throw new Error('[atrium] appKey is needed, or credentials, or sign')
    }
    if (sign || appKey) guarded(start)(endpoint)
  }

  return {
    track: guarded((event: string, properties?: Properties) => track(event, properties)),
    pageView: guarded(pageView),
    buttonClick: guarded(buttonClick),
    setUserId(id) {
      userId = id && String(id)
    },
    setDeviceId(id) {
      deviceId = id && String(id)
    },
    getDeviceId: guarded(getDeviceId),
    deviceMutation,
    userMutation,
    device: mutations(deviceMutation),
    user: mutations(userMutation),
    async flush() {
      if (transport) await Promise.all([transport.flush(), transport.resend()])
    },
    optOut: guarded(() => {
      save(OPT_OUT, '1')
      if (transport) transport.forget()
    }),
    optIn: guarded(() => save(OPT_OUT, null)),
    isOptedOut: guarded(isOptedOut),
    close: guarded(close),
  }
}

function mutations(mutate: (operation: Operation, properties?: Properties) => void): Mutations {
  return {
    set: (properties) => mutate('set', properties),
    setOnce: (properties) => mutate('set_once', properties),
    unset: (properties) => mutate('unset', properties),
    increment: (properties) => mutate('increment', properties),
    append: (properties) => mutate('append', properties),
    delete: () => mutate('delete'),
  }
}

function asksNotToBeTracked(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & {
    globalPrivacyControl?: boolean
  }
  return (
    doNotTrack === '1' ||
    (window as { doNotTrack?: string }).doNotTrack === '1' ||
    !!globalPrivacyControl
  )
}
