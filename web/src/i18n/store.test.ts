import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  changeLanguage,
  dismissLanguageFailure,
  t,
  translate,
  useLanguageFailure,
  useLanguageStore,
} from './store'

const fetchPack = vi.fn<(code: string) => Promise<Record<string, string>>>()

const state = () => useLanguageStore.getState()

/** A pack that arrives when the test says so. */
function traveling() {
  let arrive!: (pack: Record<string, string>) => void
  let fail!: (reason: Error) => void
  const promise = new Promise<Record<string, string>>((resolve, reject) => {
    arrive = resolve
    fail = reject
  })
  fetchPack.mockReturnValueOnce(promise)
  return { arrive, fail }
}

beforeEach(() => {
  fetchPack.mockReset()
  vi.stubGlobal('fetch', async ({ url }: Request) => {
    const [, code] = /\/locale\/(.+)\.json$/.exec(url)!
    return Response.json(await fetchPack(code!))
  })
  useLanguageStore.setState({
    allLangPackage: {},
    langPackage: {},
    currentLang: 'zh-CN',
    loadKeying: [],
  })
})

describe('which language', () => {
  it.each([
    ['en-US', null, 'en-US'],
    ['en-US', 'zh-CN', 'en-US'],
    ['fr-FR', 'en-US', 'en-US'],
    [undefined, 'en-US', 'en-US'],
    [undefined, 'fr-FR', 'zh-CN'],
    [['en-US'], null, 'zh-CN'],
    [undefined, null, 'zh-CN'],
  ])('requested %j, saved %j: %s', async (requested, saved, expected) => {
    if (saved) localStorage.setItem('currentLang', saved)
    fetchPack.mockResolvedValue({})
    await changeLanguage(requested)
    expect(fetchPack).toHaveBeenCalledExactlyOnceWith(expected)
    expect(state().currentLang).toBe(expected)
    expect(localStorage.getItem('currentLang')).toBe(expected)
  })
})

describe('loading', () => {
  it('holds exactly what the specification names', () => {
    expect(Object.keys(state()).sort()).toEqual([
      'allLangPackage',
      'currentLang',
      'langPackage',
      'loadKeying',
    ])
  })

  it('is flagged while a pack travels, then caches it and makes it current', async () => {
    const { arrive } = traveling()
    const done = changeLanguage('en-US')
    expect(state()).toMatchObject({ loadKeying: ['en-US'], currentLang: 'zh-CN' })
    arrive({ 'common.retry': 'Try again' })
    await done
    expect(state()).toMatchObject({ loadKeying: [], currentLang: 'en-US' })
    expect(state().allLangPackage['en-US']).toBe(state().langPackage)
    expect(t('common.retry')).toBe('Try again')
  })

  it('does not ask again for a pack that is cached or on its way', async () => {
    const { arrive } = traveling()
    const first = changeLanguage('en-US')
    await changeLanguage('en-US')
    arrive({})
    await first
    await changeLanguage('en-US')
    expect(fetchPack).toHaveBeenCalledTimes(1)
  })

  it('lets the last choice win, whichever pack arrives last', async () => {
    const english = traveling()
    const chinese = traveling()
    const first = changeLanguage('en-US')
    const second = changeLanguage('zh-CN')
    chinese.arrive({ 'common.retry': '重试' })
    await second
    english.arrive({ 'common.retry': 'Try again' })
    await first
    expect(state().currentLang).toBe('zh-CN')
    expect(localStorage.getItem('currentLang')).toBe('zh-CN')
    expect(state().allLangPackage['en-US']).toBeDefined()
  })
})

describe('a pack that does not arrive', () => {
  it('clears the flag, says so, keeps the language and can be retried', async () => {
    fetchPack.mockRejectedValueOnce(new Error('lost'))
    await changeLanguage('en-US')
    expect(state()).toMatchObject({ loadKeying: [], currentLang: 'zh-CN' })
    expect(useLanguageFailure.getState().failed).toBe('en-US')
    expect(localStorage.getItem('currentLang')).toBeNull()

    fetchPack.mockResolvedValueOnce({ 'common.retry': 'Try again' })
    await changeLanguage('en-US')
    expect(useLanguageFailure.getState().failed).toBeNull()
    expect(state().currentLang).toBe('en-US')
  })

  it('is not mentioned once the person has chosen otherwise', async () => {
    fetchPack.mockResolvedValueOnce({})
    await changeLanguage('zh-CN')
    const { fail } = traveling()
    const lost = changeLanguage('en-US')
    await changeLanguage('zh-CN')
    fail(new Error('lost'))
    await lost
    expect(useLanguageFailure.getState().failed).toBeNull()
  })

  it.each([
    ['is refused', new Response('{}', { status: 503 })],
    ['is a page instead', new Response('<!doctype html>')],
    ['is no object', Response.json('pack')],
  ])('may also be one that %s', async (_, answer) => {
    vi.stubGlobal('fetch', async () => answer)
    await changeLanguage('en-US')
    expect(useLanguageFailure.getState().failed).toBe('en-US')
    expect(state().loadKeying).toEqual([])
  })

  it('can be waved away', async () => {
    fetchPack.mockRejectedValueOnce(new Error('lost'))
    await changeLanguage('en-US')
    dismissLanguageFailure()
    expect(useLanguageFailure.getState().failed).toBeNull()
  })
})

describe('a text', () => {
  const pack = {
    currentLang: 'en-US' as const,
    langPackage: { hello: 'Hello {name}, {count} new', plain: 'Plain' },
  }
  it('fills its placeholders', () => {
    expect(translate(pack, 'hello', { name: 'Lin', count: 3 })).toBe('Hello Lin, 3 new')
  })
  it('separates thousands in numbers, and leaves words alone', () => {
    const text = translate(pack, 'hello', { name: '12345', count: 1_284_033 })
    expect(text).toBe('Hello 12345, 1,284,033 new')
  })
  it('keeps a placeholder nobody filled', () => {
    expect(translate(pack, 'hello', { name: 'Lin' })).toBe('Hello Lin, {count} new')
  })
  it('does not read a placeholder out of a value', () => {
    expect(translate(pack, 'hello', { name: '{count}', count: 3 })).toBe('Hello {count}, 3 new')
  })
  it('falls back where the key is missing, also for names every object has', () => {
    expect(translate(pack, 'gone', {}, 'instead')).toBe('instead')
    expect(translate(pack, 'toString', {}, 'instead')).toBe('instead')
    expect(translate(pack, 'gone')).toBe('gone')
  })
})
