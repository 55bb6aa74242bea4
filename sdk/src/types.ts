/** Anything JSON can hold. */
export type Properties = Record<string, unknown>

/** What a mutation does to the properties kept for a device or a user. */
export type Operation = 'set' | 'set_once' | 'unset' | 'increment' | 'append' | 'delete'

/** What has to be signed: see "Signing on your own server" in the documentation. */
export interface SignRequest {
  method: 'POST' | 'GET'
  /** The path of the request, as it is sent. */
  path: string
  /** The body as it is sent; for GET the query string without its question mark. */
  payload: string
}

/** `X-Access-Key-Id`, `X-Timestamp`, `X-Nonce` and `X-Signature`. */
export type SignedHeaders = Record<string, string>

export type Sign = (request: SignRequest) => SignedHeaders | Promise<SignedHeaders>

export interface Options {
  /** Where Atrium is, without `/v1/collect`. Nothing is sent while it is not set. */
  url?: string
  /** The app's collect key (`ck_…`). */
  appKey?: string
  /** Credentials that sign every request. A secret in a page is readable by every visitor. */
  accessKeyId?: string
  accessKeySecret?: string
  /** Signs every request elsewhere, usually on the page's own server. Wins over credentials. */
  sign?: Sign
  /** The version of the page or app, sent with every event. */
  clientVersion?: string
  /** Where events come from. Default `web`. */
  source?: string
  /** Default: a random id kept in local storage. */
  deviceId?: string | null
  userId?: string | null
  /** Report a page view on load and on client-side navigation. Default true. */
  pageView?: boolean
  /** Report clicks on buttons. Default true. */
  clicks?: boolean
  /** How requests that do not go by beacon are made. Default `POST`. */
  method?: 'POST' | 'GET'
  /** Messages gather until there are `size` (20) or the first has waited `delay` ms (2000). */
  batch?: { size?: number; delay?: number }
  /** Collect nothing where the browser asks not to be tracked. Default true. */
  respectDoNotTrack?: boolean
  /** What to report as the page's path, for addresses that hold secrets. */
  path?: () => string
  /** Say in the console what is dropped and why. */
  debug?: boolean
}

/** A button by hand; what is left out comes from the element. */
export interface Button {
  id?: string
  label?: string
  element?: Element
}

/** The operations of a mutation, a function each. */
export interface Mutations {
  set(properties: Properties): void
  setOnce(properties: Properties): void
  /** Removes the properties that the keys name. */
  unset(properties: Properties): void
  increment(properties: Record<string, number>): void
  append(properties: Properties): void
  /** Removes all that is kept. */
  delete(): void
}

export interface Client {
  track(event: string, properties?: Properties): void
  pageView(properties?: Properties): void
  buttonClick(button: Element | Button, properties?: Properties): void
  /** `null` forgets the user, as on sign-out. */
  setUserId(id: string | null): void
  /** `null` goes back to the generated id. */
  setDeviceId(id: string | null): void
  getDeviceId(): string
  deviceMutation(operation: Operation, properties?: Properties): void
  userMutation(operation: Operation, properties?: Properties): void
  device: Mutations
  user: Mutations
  /** Resolves when all that gathered was sent or is kept for later. Never rejects. */
  flush(): Promise<void>
  /** Collects nothing more in this browser and forgets what was not sent yet. */
  optOut(): void
  optIn(): void
  /** True while nothing is collected: by choice, or because the browser asks for it. */
  isOptedOut(): boolean
  /** Sends what gathered, then takes every listener off the page. */
  close(): void
}
