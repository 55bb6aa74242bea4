import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { LanguageCode } from '../i18n/language'

export function readPack(code: LanguageCode): Record<string, string> {
  const file = resolve(import.meta.dirname, '../../public/locale', `${code}.json`)
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
}
