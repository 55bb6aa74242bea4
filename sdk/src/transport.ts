import { createStore, type Item } from './store'
import type { Options, Sign } from './types'

export interface TransportSettings {
  /** The address of the collector, in full. */
  endpoint: string
  options: Options
  sign?: Sign
  /** False when nothing may be collected or sent any more. */
  allowed(): boolean
  debug(text: string, detail?: unknown): void
}

export interface Transport {
  add(item: Item): void
  /** `leaving`: the page may be gone the moment this returns. */
  flush(leaving?: boolean): Promise<unknown>
  /** Sends what earlier pages or failed attempts left behind. */
  resend(): Promise<void>
  forget(): void
  close(): void
}

const FIRST_WAIT = 1000
const LONGEST_WAIT = 60_000
const LONGEST_THROTTLE = 3600_000
/** Beacons of a page may hold 64 KiB in all. */
const BODY_LIMIT = 60_000
/** Many servers and proxies refuse addresses beyond 8 KB. */
const QUERY_LIMIT = 6000

export function createTransport(settings: TransportSettings): Transport {
  const { endpoint, options, sign, allowed, debug } = settings
  const { appKey, method = 'POST', batch = {} } = options
  const byQuery = method === 'GET'
  const { size = 20, delay = 2000 } = batch
  const store = createStore(appKey || options.accessKeyId || endpoint)
  let gathered: Item[] = []
  let gathering: ReturnType<typeof setTimeout> | undefined
  /** Set while the server is given time to recover. */
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
        // Unsigned bodies go as text/plain, which needs no preflight.
        headers: sign && {
          'Content-Type': 'application/json',
          ...(await sign({ method, path, payload })),
        },
        credentials: 'omit',
        // Browsers refuse to keep a larger body alive; only a lone message can be one.
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
    // Either seconds or a date.
    const asked = retryAfter
      ? Math.min(LONGEST_THROTTLE, +retryAfter * 1000 || Date.parse(retryAfter) - Date.now()) || 0
      : 0
    // Spread out, so that the pages a fault cut off do not all come back in the same moment.
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
      // By fetch: unlike a beacon it tells whether the messages arrived this time.
      if (items.length) await send(items, true)
    } while (items.length)
    resending = false
  }

  /** Takes off the front what one request can carry, and at least one. */
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
      // Another server's signature would come too late. If the page lives on, they go out soon.
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
