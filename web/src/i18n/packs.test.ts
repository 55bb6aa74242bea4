/** Checks that both packs match each other and the code. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readPack } from '../testing/packs'

const packs = { 'zh-CN': readPack('zh-CN'), 'en-US': readPack('en-US') }
const placeholders = (text: string) =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()

function sources(): string {
  const root = resolve(import.meta.dirname, '..')
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|schema\.d\.ts|^testing/.test(file))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
}

describe('the language packs', () => {
  it('have the same keys', () => {
    expect(Object.keys(packs['en-US']).sort()).toEqual(Object.keys(packs['zh-CN']).sort())
  })

  it('have the same placeholders under every key', () => {
    for (const [key, text] of Object.entries(packs['zh-CN'])) {
      expect(placeholders(packs['en-US'][key]!), key).toEqual(placeholders(text))
    }
  })

  it('leave no text empty or untrimmed', () => {
    for (const [code, pack] of Object.entries(packs)) {
      for (const [key, text] of Object.entries(pack)) {
        if (key === 'error.separator') continue
        expect(text.trim(), `${code} ${key}`).toBe(text)
        expect(text, `${code} ${key}`).not.toBe('')
      }
    }
  })

  it('write Chinese in Chinese punctuation', () => {
    for (const [key, text] of Object.entries(packs['zh-CN'])) {
      expect(text, key).not.toMatch(/[\u4e00-\u9fff][,;:?!()]|[,;:?!()][\u4e00-\u9fff]/)
    }
  })

  it('count in English so that one is right too', () => {
    for (const [key, text] of Object.entries(packs['en-US'])) {
      expect(text, key).not.toMatch(/\{(count|unlinked|events|users)\} (\w+ )?(\w+s|people)\b/)
    }
  })

  it('hold every key the code uses, and none it does not', () => {
    const code = sources()
    // t('…') and keys in tables; `…${x}…` counts for every key of that shape.
    const literal = new Set([...code.matchAll(/'([a-z]\w*(?:\.\w+)+)'/gi)].map(([, key]) => key!))
    const shaped = [...code.matchAll(/t\(`([^`]+)`/g)].map(
      ([, shape]) =>
        new RegExp(`^${shape!.replace(/\./g, '\\.').replace(/\$\{[^}]+\}/g, '\\w+')}$`),
    )
    const called = [...code.matchAll(/\bt\(\s*'([^']+)'/g)].map(([, key]) => key!)

    expect(called.length).toBeGreaterThan(30)
    expect(called.filter((key) => !(key in packs['zh-CN']))).toEqual([])
    const unused = Object.keys(packs['zh-CN']).filter(
      (key) => !literal.has(key) && !shaped.some((shape) => shape.test(key)),
    )
    expect(unused).toEqual([])
  })
})
