/**
 * A page for a client to run in, with a network that records requests and its own database and
 * clock.
 */

import { IDBFactory } from 'fake-indexeddb'
import { afterEach, beforeEach, vi } from 'vitest'
import { createClient } from '../src/index'
import type { Client, Options } from '../src/index'
import { save } from '../src/storage'

export interface Message {
  type: string
  data: Record<string, unknown> & { properties: Record<string, unknown> }
}

export interface Sent {
  via: 'beacon' | 'fetch'
  url: string
  /** The body as sent. */
  raw: string
  body: { app_key?: string; messages: Message[] }
  init: RequestInit
  headers: Record<string, string>
}

export const COLLECT = 'https://in.example/v1/collect'

/** Everything that left the page, in order. */
export let sent: Sent[] = []
/** The server's next answers; an Error is a network failure. 200 if empty. */
export let answers: (number | Error | Response)[] = []
/** What sendBeacon returns; undefined if the browser has none. */
export let beaconAnswer: boolean | undefined

let clients: Client[] = []

export function setBeacon(answer: boolean | undefined): void {
  beaconAnswer = answer
  stub(navigator, 'sendBeacon', answer === undefined ? undefined : beacon)
}

/** Overrides a property until the test ends. */
export function stub(target: object, name: string, value: unknown): void {
  const before = Object.getOwnPropertyDescriptor(target, name)
  Object.defineProperty(target, name, { value, configurable: true, writable: true })
  restore.push(() => {
    if (before) Object.defineProperty(target, name, before)
    else delete (target as Record<string, unknown>)[name]
  })
}
let restore: (() => void)[] = []

/** A client that reports nothing automatically. */
export function start(options: Options = {}): Client {
  const client = createClient({
    url: 'https://in.example',
    appKey: 'ck_test',
    pageView: false,
    clicks: false,
    ...options,
  })
  clients.push(client)
  return client
}

/** Lets everything that needs no timer finish: promises and the database. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 150; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** For work that doesn't finish within microtasks: crypto runs on its own thread. */
export async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + 3000
  while (!condition() && performance.now() < end) await settle()
}

export async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds)
  await settle()
}

export const messages = (): Message[] => sent.flatMap(({ body }) => body.messages)
export const events = (): unknown[] => messages().map(({ data }) => data.event)

/** The data of all messages sent so far, after a flush. */
export async function flushed(client: Client): Promise<Message['data'][]> {
  await client.flush()
  return messages().map(({ data }) => data)
}

export function hidePage(): void {
  stub(document, 'visibilityState', 'hidden')
  document.dispatchEvent(new Event('visibilitychange'))
}

export function goOffline(offline: boolean): void {
  stub(navigator, 'onLine', !offline)
  window.dispatchEvent(new Event(offline ? 'offline' : 'online'))
}

function beacon(url: string, raw: string): boolean {
  if (beaconAnswer) record({ via: 'beacon', url, raw, body: JSON.parse(raw) })
  return beaconAnswer!
}

async function respond(url: string, init: RequestInit): Promise<Response> {
  const query = url.split('?')[1]
  const fields = new URLSearchParams(query)
  const body = query
    ? {
        ...(fields.has('app_key') && { app_key: fields.get('app_key')! }),
        messages: JSON.parse(fields.get('messages')!),
      }
    : JSON.parse(init.body as string)
  record({ via: 'fetch', url, raw: query || (init.body as string), body, init })
  const answer = answers.shift() ?? 200
  if (answer instanceof Error) throw answer
  return typeof answer === 'number' ? new Response(null, { status: answer }) : answer
}

function record(request: Omit<Sent, 'headers' | 'init'> & { init?: RequestInit }): void {
  const { init = {} } = request
  sent.push({ ...request, init, headers: (init.headers ?? {}) as Record<string, string> })
}

/** Every test file that starts a client calls this first. */
export function usePage(): void {
  beforeEach(() => {
    sent = []
    answers = []
    clients = []
    restore = []
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 1_760_000_000_000 })
    vi.stubGlobal('fetch', vi.fn(respond))
    vi.stubGlobal('indexedDB', new IDBFactory())
    setBeacon(true)
    localStorage.clear()
    // Left in memory by a test whose local storage throws.
    save('atrium_device_id', null)
    save('atrium_opt_out', null)
    document.body.innerHTML = ''
    history.replaceState(null, '', '/start')
  })

  afterEach(async () => {
    clients.forEach((client) => client.close())
    await settle()
    restore.reverse().forEach((undo) => undo())
    vi.useRealTimers()
  })
}
