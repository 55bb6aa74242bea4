import type { Properties } from './types'

/** A message as JSON, without the given properties where they cannot be encoded. */
export function encodeMessage(
  type: 'Event' | 'DeviceMutation' | 'UserMutation',
  data: Record<string, unknown>,
  own: Properties | undefined,
  given: Properties | undefined,
  debug: (text: string, detail?: unknown) => void,
): string {
  const encode = (properties: Properties) => {
    const json = JSON.stringify({ type, data: { ...data, properties } })
    // Half of an emoji, as cutting text by length leaves it: strict readers would refuse the whole
    // batch. JSON.stringify escapes only these; an escaped backslash before "ud…" is skipped.
    return json.replace(/\\(\\|ud[89a-f]..)/g, (all, what) => (what > 'u' ? '\\ufffd' : all))
  }
  try {
    return encode({ ...own, ...given })
  } catch (error) {
    debug('Properties left out', error)
    return encode({ ...own })
  }
}
