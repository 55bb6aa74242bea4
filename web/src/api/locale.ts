import type { LanguageCode } from '../i18n/language'
import { fetchWithLimit } from './client'

export type LanguagePack = Record<string, string>

/** Loads a language pack from beside the console's assets. Anything but a pack is a failure. */
export async function fetchLanguagePack(code: LanguageCode): Promise<LanguagePack> {
  const address = new URL(`${import.meta.env.BASE_URL}locale/${code}.json`, location.origin)
  const response = await fetchWithLimit(new Request(address))
  if (!response.ok) throw new Error(`language pack ${code}: HTTP ${response.status}`)
  const pack: unknown = await response.json()
  if (typeof pack !== 'object' || pack === null)
    throw new Error(`language pack ${code}: not an object`)
  return pack as LanguagePack
}
