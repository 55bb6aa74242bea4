import { createStore, type Item } from './store'
import type { Options, Sign } from './types'

export interface TransportSettings {
  /** The collector's full URL. */
  endpoint: string
  options: Options
  sign?: Sign
  /** False if nothing may be collected or sent anymore. */
  allowed(): boolean
  debug(text: string, detail?: unknown): void
}

export interface Transport {
  add(item: Item): void
  /** `leaving`: the page may be gone as soon as this returns. */
  flush(leaving?: boolean): Promise<unknown>
  /** Sends what earlier pages or failed attempts left behind. */
  resend(): Promise<void>
  forget(): void
  close(): void
}

const FIRST_WAIT = 1000
const LONGEST_WAIT = 60_000
const LONGEST_THROTTLE = 3600_000
/** A page's pending beacons may total 64 KiB. */
const BODY_LIMIT = 60_000
/** Many servers and proxies reject URLs over 8 KB. */
const QUERY_LIMIT = 6000

export function createTransport(settings: TransportSettings): Transport {
  const { endpoint, options, sign, allowed, debug } = settings
  const { appKey, method = 'POST', batch = {} } = options
  const byQuery = method === 'GET'
  const { size = 20, delay = 2000 } = batch
  const store = createStore(appKey || options.accessKeyId || endpoint)
  let gathered: Item[] = []
  let gathering: ReturnType<typeof setTimeout> | undefined
  /** Set while backing off so the server can recover. */
  let waiting: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let resending = false
  let closed = false

  const offline = () => navigator.onLine === false

  const keep = async (items: Item[]) => {
    if (items.length && allowed()) await store((kept) => kept.concat(items))
  }

  const send = async (items: Item[], byFetch?: boolean, leaving?: boolean): Promise<void> => {
    const messages = `[${items.map(({ json }) => json).join()}]`
    const key = sign ? '' : `"app_key":${JSON.stringify(appKey)},`
    const body = `{${key}"messages":${messages}}`
    let status = 0
    let retryAfter: string | null = null
    try {
      if (!sign && !byFetch && navigator.sendBeacon && navigator.sendBeacon(endpoint, body)) return
      const query =
        (sign ? '' : `app_key=${encodeURIComponent(appKey!)}&`) +
        `messages=${encodeURIComponent(messages)}`
      const payload = byQuery ? query : body
      const path = new URL(endpoint).pathname
      const response = await fetch(byQuery ? `${endpoint}?${query}` : endpoint, {
        method,
        body: byQuery ? undefined : body,
        // Unsigned bodies are sent as text/plain, which needs no preflight.
        headers: sign && {
          'Content-Type': 'application/json',
          ...(await sign({ method, path, payload })),
        },
        credentials: 'omit',
        // Browsers refuse keepalive for larger bodies. Only a single message can exceed the limit.
        keepalive: leaving && items[0]!.size < BODY_LIMIT,
      })
      status = response.status
      retryAfter = response.headers.get('Retry-After')
    } catch (error) {
      debug('Not sent', error)
    }
    if (status >= 200 && status < 400) {
      failures = 0
    } else if (status === 413 && items.length > 1) {
      const half = items.length >> 1
      await Promise.all([
        send(items.slice(0, half), true, leaving),
        send(items.slice(half), true, leaving),
      ])
    } else if (!status || status === 408 || status === 429 || status >= 500) {
      wait(retryAfter)
      await keep(items)
    } else {
      debug('Dropped, refused with ' + status, messages)
    }
  }

  const wait = (retryAfter: string | null) => {
    clearTimeout(waiting)
    const longest = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** failures++)
    // Retry-After is either seconds or a date.
    const asked = retryAfter
      ? Math.min(LONGEST_THROTTLE, +retryAfter * 1000 || Date.parse(retryAfter) - Date.now()) || 0
      : 0
    // Add jitter so that clients don't all return at once after an outage.
    waiting = setTimeout(resume, Math.max(asked, longest * (0.5 + Math.random() / 2)))
  }

  const resume = () => {
    clearTimeout(waiting)
    waiting = undefined
    return resend()
  }

  const resend = async () => {
    if (resending) return
    resending = true
    let items: Item[]
    do {
      items = []
      if (closed || waiting || offline() || !allowed()) break
      await store((kept) => {
        items = fitting(kept)
        return kept
      })
      // Use fetch: unlike a beacon, it reports whether the messages arrived.
      if (items.length) await send(items, true)
    } while (items.length)
    resending = false
  }

  /** Takes as many items off the front as one request can carry, at least one. */
  const fitting = (items: Item[]) => {
    let room = byQuery ? QUERY_LIMIT : BODY_LIMIT
    const beyond = items.findIndex((item, index) => (room -= item.size) < 0 && index > 0)
    return items.splice(0, beyond < 0 ? items.length : beyond)
  }

  const flush = (leaving?: boolean) => {
    clearTimeout(gathering)
    gathering = undefined
    const items = gathered
    gathered = []
    const work: Promise<void>[] = []
    if (!allowed()) return Promise.all(work)
    if (offline() || waiting) {
      work.push(keep(items))
    } else if (leaving && options.sign) {
      // Signing on another server would take too long. If the page survives, they are sent soon
      // after.
      work.push(keep(items))
      setTimeout(resend, delay)
    } else {
      while (items.length) work.push(send(fitting(items), false, leaving))
    }
    return Promise.all(work)
  }

  addEventListener('online', resume)

  return {
    add(item) {
      gathered.push(item)
      if (gathered.length >= size) flush()
      else gathering = gathering || setTimeout(flush, delay)
    },
    flush,
    resend,
    forget() {
      gathered = []
      store(() => [])
    },
    close() {
      flush()
      closed = true
      clearTimeout(waiting)
      removeEventListener('online', resume)
    },
  }
}
