import type { Properties } from './types'

/** Encodes a message as JSON, leaving out the given properties if they can't be encoded. */
export function encodeMessage(
  type: 'Event' | 'DeviceMutation' | 'UserMutation',
  data: Record<string, unknown>,
  own: Properties | undefined,
  given: Properties | undefined,
  debug: (text: string, detail?: unknown) => void,
): string {
  const encode = (properties: Properties) => {
    const json = JSON.stringify({ type, data: { ...data, properties } })
    // A lone surrogate, left by cutting text by length, would make strict parsers reject the whole
    // batch. JSON.stringify escapes only these; the first alternative skips an escaped backslash
    // before "ud…".
    return json.replace(/\\(\\|ud[89a-f]..)/g, (all, what) => (what > 'u' ? '\\ufffd' : all))
  }
  try {
    return encode({ ...own, ...given })
  } catch (error) {
    debug('Properties left out', error)
    return encode({ ...own })
  }
}
