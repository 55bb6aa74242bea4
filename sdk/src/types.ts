/** Anything JSON can hold. */
export type Properties = Record<string, unknown>

/** What a mutation does to stored device or user properties. */
export type Operation = 'set' | 'set_once' | 'unset' | 'increment' | 'append' | 'delete'

/** What has to be signed. See "Signing on your own server" in the documentation. */
export interface SignRequest {
  method: 'POST' | 'GET'
  /** The request path as sent. */
  path: string
  /** The body as sent. For GET, the query string without the question mark. */
  payload: string
}

/** `X-Access-Key-Id`, `X-Timestamp`, `X-Nonce` and `X-Signature`. */
export type SignedHeaders = Record<string, string>

export type Sign = (request: SignRequest) => SignedHeaders | Promise<SignedHeaders>

export interface Options {
  /** Where Atrium runs, without `/v1/collect`. Nothing is sent until this is set. */
  url?: string
  /** The app's collect key (`ck_…`). */
  appKey?: string
  /** Credentials to sign every request with. Every visitor can read a secret in a page. */
  accessKeyId?: string
  accessKeySecret?: string
  /**
   * Signs every request elsewhere, usually on the page's own server. Takes precedence over
   * credentials.
   */
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
  /** How to make requests that don't use a beacon. Default `POST`. */
  method?: 'POST' | 'GET'
  /** Messages are sent once there are `size` (20) or the first has waited `delay` ms (2000). */
  batch?: { size?: number; delay?: number }
  /** Collect nothing if the browser asks not to be tracked. Default true. */
  respectDoNotTrack?: boolean
  /** What to report as the page's path, for URLs that contain secrets. */
  path?: () => string
  /** Log to the console what is dropped and why. */
  debug?: boolean
}

/** A button reported manually. Anything omitted is read from the element. */
export interface Button {
  id?: string
  label?: string
  element?: Element
}

/** The operations of a mutation, one function each. */
export interface Mutations {
  set(properties: Properties): void
  setOnce(properties: Properties): void
  /** Removes the properties named by the keys. */
  unset(properties: Properties): void
  increment(properties: Record<string, number>): void
  append(properties: Properties): void
  /** Removes all stored properties. */
  delete(): void
}

export interface Client {
  track(event: string, properties?: Properties): void
  pageView(properties?: Properties): void
  buttonClick(button: Element | Button, properties?: Properties): void
  /** `null` clears the user, as on sign-out. */
  setUserId(id: string | null): void
  /** `null` goes back to the generated ID. */
  setDeviceId(id: string | null): void
  getDeviceId(): string
  deviceMutation(operation: Operation, properties?: Properties): void
  userMutation(operation: Operation, properties?: Properties): void
  device: Mutations
  user: Mutations
  /** Resolves once everything queued has been sent or stored for later. Never rejects. */
  flush(): Promise<void>
  /** Stops collecting in this browser and discards unsent messages. */
  optOut(): void
  optIn(): void
  /** True if nothing is collected, by choice or because the browser asks for it. */
  isOptedOut(): boolean
  /** Sends what is queued, then removes every listener from the page. */
  close(): void
}
